import { DateTime } from 'luxon';
import type { Locator } from 'playwright-core';
import { toGregorian } from '../../../sandbox/model/time';
import { importKit } from '../../../test/support/e2e/kits';
import { jsonOf } from '../../n8n';
import type { Workflow } from '../../n8n';
import type { Bench } from './bench';

const EMPLOYEES = ['100', '101', '102'];
/** Calls per hour from 9 a.m. on a working day, and a factor for each weekday, from Sunday. */
const HOURS = [2, 4, 5, 4, 2, 3, 5, 4, 2];
const WEEKDAYS = [0.2, 1.6, 1.1, 1, 1.2, 0.9, 0.3];
const HOUR_MS = 3_600_000;
/** The time zone of workflows without one. */
const N8N_ZONE = 'America/New_York';

/** Returns records of the working hours of the last weeks. Half of the unanswered calls are called back. */
function recordsOfWeeks(weeks: number, zone?: string): Array<Record<string, string>> {
	const midnight = DateTime.now().setZone(zone).startOf('day');
	const slots = Array.from({ length: weeks * 7 * HOURS.length }, (_, slot) => {
		const ago = 1 + Math.floor(slot / HOURS.length);
		const day = midnight.minus({ days: ago });
		const hour = slot % HOURS.length;
		const busy = (WEEKDAYS[day.weekday % 7] ?? 1) * (ago > 10 ? 0.8 : 1);
		const count = Math.round((HOURS[hour] ?? 0) * busy + (slot % 5) / 4);
		return Array.from(
			{ length: count },
			(__, nth) => day.toMillis() + (9 + hour) * HOUR_MS + nth * 420_000,
		);
	});
	return slots.flat().flatMap((at, call) => {
		const isMissed = call % 7 === 3;
		const talk = isMissed ? 0 : 60 + ((call * 37) % 400);
		const customer = `7916${String(1_000_000 + ((call * 7919) % 90) * 10_007)}`;
		const employee = EMPLOYEES[call % (call % 2 ? 3 : 2)] ?? '';
		const made = { call, at, talk, from: customer, to: '74950000100', rang: employee };
		if (!isMissed || call % 2 === 0) return legsOf(made);
		const back = { talk: 90, from: employee, to: customer, rang: customer };
		return [...legsOf(made), ...legsOf({ ...back, call: call + 0.5, at: at + 1_500_000 })];
	});
}

function legsOf(
	made: Record<'call' | 'at' | 'talk', number> & Record<'from' | 'to' | 'rang', string>,
) {
	const shared = {
		BRIDGE_ID: `${String(made.call * 10).padStart(32, '0')}@192.0.2.10`,
		TIMESTAMP: String(toGregorian(made.at)),
		HANGUP_CAUSE: made.talk > 0 ? 'NORMAL_CLEARING' : 'NO_ANSWER',
		BILLING_SECONDS: String(made.talk),
		CALLER_ID_NUMBER: made.from,
	};
	return [
		{ ...shared, CALL_DIRECTION: 'inbound', CALLEE_ID_NUMBER: made.to },
		{ ...shared, CALL_DIRECTION: 'outbound', CALLEE_ID_NUMBER: made.rang },
	];
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
export async function shootReports(bench: Bench): Promise<void> {
	const { editor, examples, n8n, pbx, shoot } = bench;
	await pbx.reset();
	await pbx.addRecords(recordsOfWeeks(1));
	for (const { picture, file, trigger, ...place } of REPORTS) {
		const workflow = examples.get(file);
		if (!workflow) throw new Error(`examples/${file} is missing`);
		await n8n.runManually(workflow, trigger);
		await shoot(picture, await openResult(bench, workflow, place));
		await editor.closeNode();
	}
}

/** Takes the result of a rehearsal of routing rules, with the calls of a week. */
export async function shootRehearsal(bench: Bench): Promise<void> {
	const { editor, examples, n8n, pbx, shoot } = bench;
	const [decision, rehearsal] = ['routing-decision.json', 'routing-rehearsal.json'].map((file) =>
		examples.get(file),
	);
	if (!decision || !rehearsal) throw new Error('An example is missing');
	await pbx.reset();
	await pbx.addRecords(recordsOfWeeks(1));
	await n8n.changeNode(decision.id, 'Incoming Call', { connect: 'manual' });
	await n8n.activate(decision.id);
	const workflowId = { __rl: true, mode: 'id', value: decision.id };
	await n8n.runManually(await n8n.changeNode(rehearsal.id, 'Decide', { workflowId }), 'Rehearse');
	const place = { node: 'Summarize', part: 'output-panel', size: { width: 1600, height: 640 } };
	const output = await openResult(bench, rehearsal, place);
	await n8n.deactivate(decision.id);
	await output.getByText('JSON', { exact: true }).click();
	await editor.page.waitForTimeout(500);
	await shoot('routing-rehearsal', output);
	await editor.closeNode();
}

/** Takes the email of the week in figures as a mail program shows it. */
export async function shootWeek(bench: Bench): Promise<void> {
	const { browser, credential, n8n, pbx, shoot } = bench;
	await pbx.reset();
	await pbx.addRecords(recordsOfWeeks(4, N8N_ZONE));
	const choices = { credentials: [credential], settings: {} };
	const week = await importKit(n8n, 'services/week-in-figures.json', choices);
	await n8n.runManually(week, 'Every Monday');
	const [execution] = await n8n.waitForExecutions(week.id, { withinMs: 120_000 });
	if (!execution) throw new Error('The week in figures did not run');
	const [report] = jsonOf(execution, 'Report');
	const page = await browser.newPage({ viewport: { width: 440, height: 900 } });
	await page.setContent(String(report?.html));
	await shoot('week-in-figures', page.locator('body'));
}

/** Opens a node in an execution. Returns a part of the editor once it shows it. */
async function openResult(
	{ editor, n8n }: Bench,
	{ id }: Workflow,
	{ node, part, size }: { node: string; part: string; size: { width: number; height: number } },
): Promise<Locator> {
	const [execution] = await n8n.waitForExecutions(id, { withinMs: 120_000 });
	await editor.page.setViewportSize(size);
	await editor.goto(`workflow/${id}/executions/${execution?.id}`);
	await editor.part('canvas-node').nth(1).waitFor();
	await editor.openNode(node);
	await editor.page.waitForTimeout(1500);
	return editor.part(part);
}
