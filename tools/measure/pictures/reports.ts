import { toGregorian } from '../../../sandbox/model/time';
import type { Bench } from './bench';

/** The calls' hang-up causes, in turn. */
const CAUSES = ['NORMAL_CLEARING', 'NORMAL_CLEARING', 'NORMAL_CLEARING', 'NO_ANSWER', 'USER_BUSY'];
const EMPLOYEES = ['100', '101', '102'];
const CALLS = 44;
/** One call every 13 minutes: nine and a half hours of calls. */
const PAUSE_MS = 780_000;

/** Returns records of the latest calls, each with two legs. */
function recordsOfADay(): Array<Record<string, string>> {
	return Array.from({ length: CALLS }, (_, call) => {
		const cause = CAUSES[call % CAUSES.length] ?? '';
		const shared = {
			BRIDGE_ID: `${String(call).padStart(32, '0')}@192.0.2.10`,
			TIMESTAMP: String(toGregorian(Date.now() - (call + 1) * PAUSE_MS)),
			HANGUP_CAUSE: cause,
			BILLING_SECONDS: cause === 'NORMAL_CLEARING' ? String(60 + ((call * 37) % 400)) : '0',
			CALLER_ID_NUMBER: `7999555${String(10 + (call % 30))}33`,
		};
		const employee = EMPLOYEES[call % EMPLOYEES.length] ?? '';
		return [
			{ ...shared, CALL_DIRECTION: 'inbound', CALLEE_ID_NUMBER: '74950000100' },
			{ ...shared, CALL_DIRECTION: 'outbound', CALLEE_ID_NUMBER: employee },
		];
	}).flat();
}

/** The pictures of example executions: a part of the open node. */
const REPORTS = [
	{
		...{ picture: 'daily-report', file: 'daily-call-report.json', trigger: 'Every Evening' },
		...{ node: 'Report', part: 'output-panel', size: { width: 1440, height: 1000 } },
	},
	{
		...{ picture: 'missed-callers', file: 'missed-not-called-back.json' },
		...{ trigger: 'Every Working Hour', node: 'Missed Callers' },
		...{ part: 'ndv', size: { width: 1200, height: 820 } },
	},
];

/** Takes the daily report and the list of missed callers, as their nodes show them. */
export async function shootReports({ editor, examples, n8n, pbx, shoot }: Bench): Promise<void> {
	await pbx.addRecords(recordsOfADay());
	for (const { picture, file, trigger, node, part, size } of REPORTS) {
		const workflow = examples.get(file);
		if (!workflow) throw new Error(`examples/${file} is missing`);
		await n8n.runManually(workflow, trigger);
		const [execution] = await n8n.waitForExecutions(workflow.id);
		await editor.page.setViewportSize(size);
		await editor.goto(`workflow/${workflow.id}/executions/${execution?.id}`);
		await editor.part('canvas-node').nth(1).waitFor();
		await editor.openNode(node);
		await editor.page.waitForTimeout(1500);
		await shoot(picture, editor.part(part));
		await editor.closeNode();
	}
}
