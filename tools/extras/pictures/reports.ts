import { DateTime } from 'luxon';
import type { Locator } from 'playwright-core';
import { importKit } from '../../../test/support/e2e/kits';
import type { PastCall } from '../../../test/support/history/calls';
import { recordCalls } from '../../../test/support/history/records';
import { credentialOf, jsonOf, makeNode, rowOf } from '../../n8n';
import type { Workflow } from '../../n8n';
import { SCALE, shoot } from './bench';
import type { Bench } from './bench';
import { MAIN_NUMBER } from './company';

const EMPLOYEES = ['100', '101', '102'];
/** Calls per hour from 9 a.m. on a working day, and a factor for each weekday, from Sunday. */
const HOURS = [2, 4, 5, 4, 2, 3, 5, 4, 2];
const WEEKDAYS = [0.2, 1.6, 1.1, 1, 1.2, 0.9, 0.3];
/** Area codes of customers. */
const AREAS = ['212', '312', '415', '617', '718'];

/** Stores the calls of the working hours of today and the days before. Half of the unanswered calls are called back. */
async function storeCalls({ pbx, sandbox }: Bench, days: number): Promise<void> {
	await pbx.reset();
	const midnight = DateTime.now().startOf('day');
	const times = Array.from({ length: (days + 1) * HOURS.length }, (_, slot) => {
		const ago = Math.floor(slot / HOURS.length);
		const day = midnight.minus({ days: ago });
		const hour = slot % HOURS.length;
		const busy = ago === 0 ? 1.2 : (WEEKDAYS[day.weekday % 7] ?? 1) * (ago > 10 ? 0.8 : 1);
		const count = Math.round((HOURS[hour] ?? 0) * busy + (slot % 5) / 4);
		return Array.from(
			{ length: count },
			(__, nth) => day.toSeconds() + (9 + hour) * 3600 + nth * 420,
		);
	}).flat();
	const ended = Date.now() / 1000 - 600;
	const calls = times.flatMap((at, call): PastCall[] => {
		if (at > ended) return [];
		const isMissed = call % 7 === 3;
		const made: PastCall = {
			...{ id: `call-${call}`, type: 'incoming', at },
			outcome: isMissed ? 'noAnswer' : 'answered',
			talk: isMissed ? 0 : 60 + ((call * 37) % 400),
			customer: `1${AREAS[call % 5] ?? ''}55501${String(10 + ((call * 7919) % 90))}`,
			line: MAIN_NUMBER,
			employees: [EMPLOYEES[call % (call % 2 ? 3 : 2)] ?? ''],
		};
		if (!isMissed || call % 2 === 0) return [made];
		const back = { id: `back-${call}`, at: at + 1500, talk: 90 } as const;
		return [made, { ...made, ...back, type: 'outgoing', outcome: 'answered' }];
	});
	recordCalls({ sandbox }, calls);
}

/** Takes the list of missed callers, as its node shows it. */
export async function shootMissed(bench: Bench): Promise<void> {
	const { credential, editor, n8n } = bench;
	await storeCalls(bench, 7);
	const parameters = { resource: 'call', operation: 'getMissedCallers' };
	const node = makeNode('Missed Callers', 'virtualPbx', parameters, credentialOf(credential));
	const start = makeNode('Start', 'n8n-nodes-base.manualTrigger');
	const workflow = await n8n.createWorkflow(rowOf('Missed callers', [start, node]));
	await n8n.runManually(workflow, start.name);
	const place = { node: node.name, size: { width: 2300, height: 460 } };
	await shoot('missed-callers', await openResult(bench, workflow, place));
	await editor.closeNode();
}

/** The emails that are shown, by picture. */
const EMAILS = {
	'daily-report': { file: 'services/daily-report-email.json', trigger: 'Every Evening' },
	'week-in-figures': { file: 'services/week-in-figures.json', trigger: 'Every Monday' },
};

/** Takes emails as a mail program shows them. */
export async function shootEmails(bench: Bench): Promise<void> {
	const { browser, credentials, n8n } = bench;
	for (const [picture, { file, trigger }] of Object.entries(EMAILS)) {
		await storeCalls(bench, 28);
		const workflow = await importKit(n8n, file, { credentials, settings: {} });
		await n8n.runManually(workflow, trigger);
		const [execution] = await n8n.waitForExecutions(workflow.id, { withinMs: 120_000 });
		if (!execution) throw new Error(`${file} did not run`);
		const viewport = { width: 440, height: 900 };
		const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE });
		const html = String(jsonOf(execution, 'Report')[0]?.html);
		await page.setContent(`<main style="padding:0 8px;background:white">${html}</main>`);
		await shoot(picture, page.locator('main'));
	}
}

/** Takes the result of a rehearsal of routing rules, with the calls of two days. */
export async function shootRehearsal(bench: Bench): Promise<void> {
	const { editor, examples, n8n } = bench;
	const [decision, rehearsal] = ['routing-decision.json', 'routing-rehearsal.json'].map((file) =>
		examples.get(file),
	);
	if (!decision || !rehearsal) throw new Error('An example is missing');
	await storeCalls(bench, 1);
	await n8n.changeNode(decision.id, 'Incoming Call', { connect: 'manual' });
	await n8n.activate(decision.id);
	const workflowId = { __rl: true, mode: 'id', value: decision.id };
	await n8n.runManually(await n8n.changeNode(rehearsal.id, 'Decide', { workflowId }), 'Rehearse');
	const place = { node: 'Summarize', size: { width: 2200, height: 300 } };
	const output = await openResult(bench, rehearsal, place);
	await n8n.deactivate(decision.id);
	await shoot('routing-rehearsal', output);
	await editor.closeNode();
}

/** Opens a node in an execution. Returns a part of the editor once it shows it. */
async function openResult(
	{ editor, n8n }: Bench,
	{ id }: Workflow,
	{ node, size }: { node: string; size: { width: number; height: number } },
): Promise<Locator> {
	const [execution] = await n8n.waitForExecutions(id, { withinMs: 120_000 });
	await editor.page.setViewportSize(size);
	await editor.goto(`workflow/${id}/executions/${execution?.id}`);
	await editor.part('canvas-node').nth(1).waitFor();
	await editor.openNode(node);
	await editor.page.waitForTimeout(1500);
	return editor.part('output-panel');
}
