import { toGregorian } from '../../sandbox/model/time';
import type { IDataObject } from 'n8n-workflow';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { jsonOf } from '../../tools/n8n';
import { eventually, SHORT } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { importExample } from '../support/e2e/examples';
import { activateNodes, importKit, runKit, settle } from '../support/e2e/kits';
import { CALL, callWorkflow, errorOf } from '../support/e2e/chain';
import { startAmong } from '../support/e2e/own';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { keyOf } from '../support/e2e/recordingLinks';
import { chooseFor, crms, KITS } from '../support/services/crms';
import { Entries } from '../support/services/entries';
import { IS_RELEASE } from '../support/release';

const COMPANY = '74950000100';
const ANNA = '74951234567';
const NEWCOMER = '79160000001';
const MISSED = '79160000002';
const TWINS = '79160000003';
const LATE = '79160000004';
const RINGER = '79160000006';
/** A number that ends Anna's, and what is no number. */
const SHORT_NUMBER = '234567';
const NO_NUMBER = '7916*05';

const standIns = crms();
const { sheets } = standIns;
const services = Object.values(standIns);

let n8n: N8nClient;
let pbx: TestPbx;
let kits: Workflow[];

const entries = new Entries(standIns);

const incoming = async (from: string, more: object = {}) =>
	await pbx.client.call({ ...SHORT, from, to: COMPANY, ...more });

/** Runs a kit from one of its nodes; it must succeed. */
async function runFrom(kit: Workflow, trigger: string): Promise<void> {
	expect(await runKit(n8n, kit, trigger)).toBeUndefined();
}

beforeAll(async () => {
	const bed = await startAmong(services);
	({ n8n, pbx } = bed);
	const choices = await chooseFor(n8n, bed.credential, standIns);
	kits = await Promise.all(
		KITS.map(async (name) => await importKit(n8n, `crm/${name}.json`, choices)),
	);
	const setUps = kits.filter(({ nodes }) => nodes.some(({ name }) => name === 'Set Up'));
	for (const kit of setUps) await runFrom(kit, 'Set Up');
	for (const { id } of kits) await n8n.activate(id);
});

it('write each call once, with its customer, also where the service first refuses', async () => {
	services.forEach((service) => service.fail(429, { times: 1, headers: { 'retry-after': '1' } }));
	await incoming(ANNA);
	await incoming(NEWCOMER);
	await incoming(NEWCOMER);
	await incoming(TWINS);
	await incoming(MISSED, { outcome: 'cancelled' });
	await incoming('anonymous');
	await incoming(SHORT_NUMBER);
	await incoming(NO_NUMBER);
	await pbx.client.call({ ...SHORT, from: '100', to: ANNA });
	await pbx.client.call({ ...SHORT, from: '100', to: '101' });
	await eventually(() => {
		expect(entries.counts()).toEqual({
			...{ rows: 9, customers: 6 },
		});
	}, 120_000);
});

it('put each call where it belongs', async () => {
	await settle(n8n);
	const { rows } = entries.state();

	expect(entries.links().flat()).toEqual([]);
	const { at } = rows.filter(({ customerNumber }) => customerNumber === NEWCOMER).at(-1) ?? {};
	expect(sheets.read('Customers')).toContainEqual({ customerNumber: NEWCOMER, lastCallAt: at });
	expect(rows.map(({ customerNumber }) => customerNumber).sort()).toEqual(
		['', ANNA, ANNA, NEWCOMER, NEWCOMER, MISSED, TWINS, SHORT_NUMBER, NO_NUMBER].sort(),
	);
});

it('close what a missed call opened when the customer is called back', async () => {
	const [spreadsheet] = kits as [Workflow, Workflow];
	sheets.expire();
	await runFrom(spreadsheet, 'Every 10 Minutes');
	expect(sheets.read('Call Back')).toMatchObject([
		{ customerNumber: MISSED, status: 'call back', missedCalls: 1 },
	]);

	sheets.loseAnswer(':append');
	await pbx.client.call({ ...SHORT, from: '100', to: MISSED });
	await eventually(() => {
		expect(entries.counts()).toMatchObject({ rows: 10 });
	}, 120_000);
	await runFrom(spreadsheet, 'Every 10 Minutes');
	expect(sheets.read('Call Back')).toMatchObject([
		{ customerNumber: MISSED, status: 'called back', calledBackBy: '100' },
	]);
});

it('add links to the recordings where these come later, and the links play', async () => {
	await settle(n8n);
	const before = entries.counts();
	const key = await keyOf(n8n, 'a long random text');
	const links = await importExample(n8n, pbx, 'recording-link.json', [key]);
	await n8n.activate(links.id);
	const choices = {
		'Recording Link': { workflowId: { __rl: true, mode: 'list', value: links.id } },
		'Call Rings': { options: { includeDetails: true, dropRepeats: false } },
	};
	kits = await Promise.all(kits.map(async (kit) => await activateNodes(n8n, kit, choices)));
	await Promise.all(kits.map(async (kit) => await runFrom(kit, 'Every Night')));
	const first = await Promise.all(entries.links().map(async ([link = '']) => await fetch(link)));

	expect(entries.links().map((found) => found.length)).toEqual([9]);
	expect(entries.counts()).toEqual(before);
	expect(first.map(({ status }) => status)).toEqual([200]);
	for (const answer of first)
		expect(Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF');
});

it('change nothing when they run again for the same calls', async () => {
	await settle(n8n);
	const before = entries.state();
	await Promise.all(kits.map(async (kit) => await runFrom(kit, 'Every Night')));

	expect(entries.state()).toEqual(before);
});

// It waits for the nodes' own retries.
if (IS_RELEASE)
	it('lose no call while the services are down, and show which one waits', async () => {
		const seen = await Promise.all(kits.map(async ({ id }) => await newest(id)));
		services.forEach((service) => service.fail(503));
		await incoming(LATE, { outcome: 'cancelled' });
		const failed = await Promise.all(
			kits.map(
				async ({ id }, index) =>
					await eventually(async () => {
						const executions = await n8n.waitForExecutions(id, { after: seen[index] ?? '0' });
						const found = executions.find(
							// The schedule of a kit may fail in the outage, too.
							({ status, data }) => status === 'error' && data.resultData.runData['New Call'],
						);
						expect(found).toBeDefined();
						return found;
					}, POLL_PATIENCE_MS),
			),
		);
		services.forEach((service) => service.recover());
		for (const execution of failed) {
			expect(execution?.data.resultData.error?.message).toMatch(
				new RegExp(`Calls? of ${LATE} \\(\\d+ \\w+ \\d{4}, \\d\\d:\\d\\d\\): .`),
			);
			await n8n.rest.request('POST', `executions/${execution?.id}/retry`, { loadWorkflow: true });
		}

		await eventually(() => {
			expect(entries.counts()).toEqual({
				...{ rows: 11, customers: 7 },
			});
		});
	});

it('show a new caller while the call rings, and the result in the same entries', async () => {
	const before = entries.counts();
	await eventually(async () => expect(await pbx.client.webhooks()).toHaveLength(1));
	const call = await pbx.client.call({ from: RINGER, to: COMPANY, ring_seconds: 60 });
	const callId = String(call.bridge_id);
	await eventually(() => {
		expect(entries.of(callId)).toMatchObject({
			sheets: { outcome: 'ringing', missed: '' },
		});
		expect(sheets.read('Customers').at(-1)?.customerNumber).toBe(RINGER);
	});
	await settle(n8n);
	const ringing = entries.state();
	await ringAgain(call.id);
	expect(entries.state()).toEqual(ringing);
	pbx.sandbox.exchange.get(String(call.id))?.hangUp();
	await eventually(() => {
		expect(entries.of(callId)).toMatchObject({
			sheets: { outcome: 'noAnswer', missed: 'yes' },
		});
		expect(entries.counts()).toMatchObject({
			rows: before.rows + 1,
		});
	}, POLL_PATIENCE_MS);
	await settle(n8n);
	const ended = entries.state();
	await ringAgain(call.id);
	expect(entries.state()).toEqual(ended);
});

it('add the summary of a talk to the entry of its call, once, also before the call is written', async () => {
	const before = entries.counts();
	const [callId, at] = ['talk@192.0.2.1', new Date(Date.now() - 5 * 3_600_000)];
	const leg = {
		...{ BRIDGE_ID: callId, CALLER_ID_NUMBER: ANNA, BILLING_SECONDS: '60' },
		...{ HANGUP_CAUSE: 'NORMAL_CLEARING', TIMESTAMP: String(toGregorian(at.getTime())) },
	};
	await pbx.client.addRecords([
		{ ...leg, CALL_DIRECTION: 'inbound', CALLEE_ID_NUMBER: COMPANY },
		{ ...leg, CALL_DIRECTION: 'outbound', CALLEE_ID_NUMBER: '100' },
	]);
	const review = { callId, at: at.toISOString(), customerNumber: ANNA };
	const first = { ...review, summary: 'Wants <2> chairs & a table.', promises: 'employee: Call' };
	await reviewed(first);
	const said = 'Wants <2> chairs & a table.';

	expect(entries.of(callId)).toMatchObject({
		sheets: { summary: said, promises: 'employee: Call' },
	});
	// The other kit has written the whole call with the review.
	const [sheetsKit] = kits as [Workflow, Workflow];
	await runFrom(sheetsKit, 'Every Night');
	expect(entries.counts()).toEqual({
		...before,
		customers: entries.counts().customers,
		rows: before.rows + 1,
	});
	expect(entries.of(callId)).toMatchObject({
		sheets: { outcome: 'answered', summary: said },
	});

	const once = entries.state();
	await reviewed(first);
	expect(entries.state()).toEqual(once);
	await reviewed({ ...review, summary: 'Wants nothing.', promises: '' });
	expect(entries.of(callId)).toMatchObject({
		sheets: { summary: 'Wants nothing.', promises: '' },
	});
});

/** Hands a review to each kit, as the review of talks does. */
async function reviewed(review: IDataObject): Promise<void> {
	await Promise.all(
		kits.map(async (kit) => {
			const execution = await callWorkflow(n8n, kit, [review]);
			expect([kit.name, errorOf(execution)]).toEqual([kit.name, undefined]);
			expect(jsonOf(execution, CALL)).toHaveLength(1);
		}),
	);
}

/** Lets the PBX tell again, to each kit, that a call rings, and waits for what follows. */
async function ringAgain(id: unknown): Promise<void> {
	const told = (await pbx.client.deliveries()).filter(
		({ call_id, event, leg }) => call_id === id && event === 'CHANNEL_CREATE' && leg === 'inbound',
	);
	expect(told).toHaveLength(1);
	const before = await countRings();
	for (const { webhook_id, payload } of told)
		await pbx.client.sendEvent(String(webhook_id), 'CHANNEL_CREATE', payload as IDataObject);
	await eventually(async () => expect(await countRings()).toBe(before + 1));
	await settle(n8n);
}

/** How many executions events of the PBX have started. */
async function countRings(): Promise<number> {
	const executions = await n8n.listExecutions();
	return executions.filter(({ mode }) => mode === 'webhook').length;
}

/** The ID of a workflow's newest execution. */
async function newest(workflowId: string): Promise<string> {
	const [execution] = await n8n.listExecutions({ workflowId }, 1);
	return execution?.id ?? '0';
}
