import { toGregorian } from '../../sandbox/model/time';
import type { Workflow } from '../n8n';
import type { Bench } from './bench';

/** How a day's calls went, in turn. */
const CAUSES = ['NORMAL_CLEARING', 'NORMAL_CLEARING', 'NORMAL_CLEARING', 'NO_ANSWER', 'USER_BUSY'];
const EMPLOYEES = ['100', '101', '102'];
const CALLS = 44;

const DAY_MS = 86_400_000;

/** Hours by which n8n's default time zone is behind. */
const BEHIND_UTC = 5;

/** The second of the day in UTC: from 9 to 18 o'clock in that zone, most calls around noon. */
const secondOf = (call: number): number => {
	const share = (call + 0.5) / CALLS;
	return Math.round((BEHIND_UTC + 9 + 9 * (share + Math.sin(2 * Math.PI * share) / 9)) * 3600);
};

/** The records of yesterday's calls, each of two legs. */
function recordsOfADay(): Array<Record<string, string>> {
	const midnight = (Math.floor(Date.now() / DAY_MS - BEHIND_UTC / 24) - 1) * (DAY_MS / 1000);
	return Array.from({ length: CALLS }, (_, call) => {
		const cause = CAUSES[call % CAUSES.length] ?? '';
		const shared = {
			BRIDGE_ID: `${String(call).padStart(32, '0')}@192.0.2.10`,
			TIMESTAMP: String(toGregorian((midnight + secondOf(call)) * 1000)),
			HANGUP_CAUSE: cause,
			BILLING_SECONDS: cause === 'NORMAL_CLEARING' ? String(60 + ((call * 37) % 400)) : '0',
			CALLER_ID_NUMBER: `7999555${String(10 + (call % 30))}33`,
		};
		return [
			{ ...shared, CALL_DIRECTION: 'inbound', CALLEE_ID_NUMBER: '74950000100' },
			{
				...shared,
				CALL_DIRECTION: 'outbound',
				CALLEE_ID_NUMBER: EMPLOYEES[call % EMPLOYEES.length] ?? '',
			},
		];
	}).flat();
}

/** An example's execution over yesterday's calls, in the editor. */
async function openExecution(bench: Bench, file: string, trigger: string): Promise<void> {
	const { editor, examples, n8n } = bench;
	const example = examples.get(file);
	if (!example) throw new Error(`examples/${file} is missing`);
	const { name, nodes, connections } = example;
	const before = '={{ $today }}';
	const ofYesterday = nodes.map((node) => ({
		...node,
		parameters:
			node.parameters.operation === 'getMany'
				? { ...node.parameters, after: '={{ $today.minus({ days: 1 }) }}', before }
				: node.parameters,
	}));
	const copy = { name: `${name}, yesterday`, nodes: ofYesterday, connections };
	const workflow: Workflow = await n8n.createWorkflow(copy);
	await n8n.runManually(workflow, trigger);
	const [execution] = await n8n.waitForExecutions(workflow.id);
	await editor.goto(`workflow/${workflow.id}/executions/${execution?.id}`);
	await editor.part('canvas-node').nth(1).waitFor();
}

/** The report of a day, and the list of missed callers, as the nodes that make them show them. */
export async function shootReports(bench: Bench): Promise<void> {
	const { editor, pbx, shoot } = bench;
	await pbx.addRecords(recordsOfADay());
	await editor.page.setViewportSize({ width: 1440, height: 1000 });
	await openExecution(bench, 'daily-call-report.json', 'Every Evening');
	await editor.openNode('Report');
	await editor.page.waitForTimeout(1500);
	await shoot('daily-report', editor.part('output-panel'));
	await editor.closeNode();

	await editor.page.setViewportSize({ width: 1200, height: 820 });
	await openExecution(bench, 'missed-not-called-back.json', 'Every Working Hour');
	await editor.openNode('Missed Callers');
	await editor.page.waitForTimeout(1500);
	await shoot('missed-callers', editor.part('ndv'));
	await editor.closeNode();
}
