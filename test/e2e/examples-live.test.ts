import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { publishBoard } from '../../tools/demo/examples';
import type { N8nClient, N8nProcess, Workflow } from '../../tools/n8n';
import { eventually, SHORT } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { errorOf, runToEnd } from '../support/e2e/chain';
import { addRows } from '../support/e2e/dataTable';
import { EMPLOYEE_HEADERS, importExample } from '../support/e2e/examples';
import { enter } from '../support/e2e/kits';
import { startAmong } from '../support/e2e/own';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { openBoard } from '../support/liveBoard';
import type { Board } from '../support/liveBoard';
import { IS_RELEASE } from '../support/release';
import { Twilio } from '../support/services/twilio';

const MAIN = '12125550100';
const ANNA = '12125550123';
const BORIS = '17185550102';
/** The maximum delay of the board, even on a busy machine. */
const SOON_MS = 30_000;

let n8n: N8nClient;
let pbx: TestPbx;
let main: N8nProcess;

const twilio = new Twilio();

beforeAll(async () => ({ n8n, pbx, main } = await startAmong([twilio])));

describe('the live board', () => {
	let board: Workflow;
	let address: string;

	let figures: () => Promise<Board>;
	const calls = () => pbx.sandbox.exchange.list();
	const idsOf = (list: unknown) => (list as IDataObject[]).map(({ callId }) => callId).sort();

	/** Returns what the PBX knows, which the board must show. */
	function truth() {
		const idsIn = (state: string) =>
			calls()
				.filter(({ first }) => first.state === state)
				.map(({ first }) => first.callId)
				.sort();
		const incoming = calls().filter(({ result, order }) => result && order.from.length > 3);
		const answered = incoming.filter(({ result }) => result === 'answered').length;
		return {
			...{ ringing: idsIn('ringing'), talking: idsIn('answered') },
			...{ answered, missed: incoming.length - answered },
			share: Math.round((100 * answered) / incoming.length),
		};
	}

	const untilTrue = async (withinMs: number) =>
		await eventually(async () => {
			const { ringing, talking, answered, missed, share } = await figures();
			const shown = { ringing: idsOf(ringing), talking: idsOf(talking), answered, missed, share };
			expect(shown).toEqual(truth());
		}, withinMs);

	const place = async (from: string, order: object = {}) =>
		await pbx.client.call({ from, to: MAIN, speed: 1, ring_seconds: 1, ...order });

	beforeAll(async () => {
		await pbx.client.reset();
		board = await importExample(n8n, pbx, 'live-board.json');
		address = await publishBoard(n8n, board);
		figures = await openBoard(address, EMPLOYEE_HEADERS);
	});
	afterAll(async () => {
		await n8n.deactivate(board.id);
		pbx.sandbox.pbx.faults.clear();
	});

	it('is a page only for users who sign in', async () => {
		const page = await fetch(address, { headers: EMPLOYEE_HEADERS });
		const ask = async (key: string) =>
			await fetch(address, { method: 'POST', body: new URLSearchParams({ key, after: '0' }) });
		const rejected = [await fetch(address), await ask(''), await ask('0'.repeat(32))];
		const text = await page.text();
		const { authorization } = EMPLOYEE_HEADERS;

		expect(rejected.map(({ status }) => status)).toEqual([401, 403, 403]);
		expect(page.headers.get('content-type')).toMatch(/^text\/html/);
		// The password is nowhere in the page, whatever can read it there.
		expect(text).not.toContain(authorization.split(' ')[1]);
		expect(await figures()).toMatchObject({
			...{ ringing: [], talking: [], callBack: [] },
			...{ answered: 0, missed: 0, share: null },
		});
	});

	it('shows what the PBX knows, even if events are duplicated or out of order', async () => {
		pbx.sandbox.pbx.faults.add({ kind: 'delivery-duplicate', skip: 2 });
		pbx.sandbox.pbx.faults.add({ kind: 'delivery-reorder', event: 'CHANNEL_CREATE', skip: 3 });
		await place(ANNA, { caller_name: 'Anna Peters', ring_seconds: 2, talk_seconds: 900 });
		await place('17185550103', { to: '101', ring_seconds: 14, outcome: 'no-answer' });
		await place('17185550104', { talk_seconds: 1 });
		await place(BORIS, { outcome: 'cancelled' });
		await place('100', { to: '17185550105', talk_seconds: 900 });
		await eventually(() => expect(truth()).toMatchObject({ missed: 1, answered: 1 }));
		await untilTrue(SOON_MS);
		const { talking, callBack } = await figures();

		for (const who of [ANNA, '17185550105'])
			expect(talking).toContainEqual(expect.objectContaining({ who, with: '100' }));
		expect(talking).toContainEqual(expect.objectContaining({ who: ANNA, name: 'Anna Peters' }));
		expect(callBack).toMatchObject([{ who: BORIS, with: MAIN }]);
	});

	it('removes a call with a lost last event once its record arrives, and a caller who was called back', async () => {
		pbx.sandbox.pbx.faults.add({ kind: 'delivery-lose', event: 'CHANNEL_DESTROY' });
		// Records count whole seconds: a shorter call would last 0.
		await sleep(1500);
		for (const call of calls()) call.hangUp();
		await place('100', { to: BORIS, talk_seconds: 1 });
		await eventually(() => expect(truth()).toMatchObject({ ringing: [], talking: [] }));
		await untilTrue(POLL_PATIENCE_MS);

		const { callBack } = await figures();
		expect(callBack).not.toContainEqual(expect.objectContaining({ who: BORIS }));
	});

	if (IS_RELEASE)
		it('keeps up with two calls a second, and is correct again within two minutes after n8n is killed', async () => {
			pbx.sandbox.pbx.faults.clear();
			for (let index = 0; index < 60; index += 1) {
				await place(`134755501${10 + index}`, { talk_seconds: index % 4 ? 3 : 900 });
				await sleep(500);
			}
			await eventually(() => expect(truth().ringing).toEqual([]));
			// The delay depends on the machine's load. The guide has the measured values.
			await untilTrue(60_000);
			await main.kill();
			for (const call of calls().slice(-20)) call.hangUp();
			await place('13475550199', { talk_seconds: 1 });
			await sleep(5000);
			await main.start();
			await untilTrue(120_000);
		}, 400_000);
});

describe('the text message to missed callers', () => {
	const CELL = '447700900001';
	const OTHER_CELL = '447700900002';
	const STOPPED = '447700900003';
	const CALLED_BACK = '447700900004';
	const LANDLINE = '442079460145';
	let workflow: Workflow;

	const run = async () =>
		await runToEnd(n8n, await n8n.getWorkflow(workflow.id), 'Every 5 Minutes in the Daytime');
	const texted = () => twilio.messages.map(({ To }) => To).sort();
	const miss = async (from: string) =>
		await pbx.client.call({ ...SHORT, from, to: MAIN, outcome: 'cancelled' });

	beforeAll(async () => {
		await pbx.client.reset();
		const { accountSid, authToken } = twilio.login;
		const data = { authType: 'authToken', accountSid, authToken };
		const credential = await n8n.createCredential('twilioApi', 'Twilio', data);
		workflow = await importExample(n8n, pbx, 'missed-call-text-back.json', [credential]);
		await runToEnd(n8n, workflow, 'Set Up');
		await enter(n8n, workflow, 'mobilePrefixes', '447');
		await addRows(n8n, 'Do not text', [{ number: STOPPED }]);
	});

	it('goes to cell phones, but not to landlines, numbers on the stop list, or callers already called back', async () => {
		for (const from of [CELL, OTHER_CELL, STOPPED, CALLED_BACK, LANDLINE, 'anonymous'])
			await miss(from);
		await sleep(1500);
		await pbx.client.call({ ...SHORT, from: '100', to: CALLED_BACK });
		await sleep(1500);
		twilio.unsubscribed.add(`+${CELL}`);
		const failed = await run();
		expect(errorOf(failed)).toMatchObject({ node: 'Fail with Reason' });
		expect(texted()).toEqual([`+${OTHER_CELL}`]);
		expect(twilio.messages).toMatchObject([
			{ Body: expect.stringMatching(/^We missed your call/) },
		]);
	});

	it('goes to each caller at most once a day', async () => {
		await miss(OTHER_CELL);
		await sleep(1500);
		expect(errorOf(await run())).toBeUndefined();
		expect(texted()).toEqual([`+${OTHER_CELL}`]);
	});

	it('goes to nobody if more callers wait than the settings allow, in a run or a day', async () => {
		for (let index = 0; index < 3; index += 1) await miss(`44770090010${index}`);
		await sleep(1500);
		await enter(n8n, workflow, 'mostPerRun', 2);
		const inRun = errorOf(await run());
		await enter(n8n, workflow, 'mostPerRun', 20);
		await enter(n8n, workflow, 'mostPerDay', 4);
		const inDay = errorOf(await run());
		const before = texted();
		await enter(n8n, workflow, 'mostPerDay', 5);
		expect(errorOf(await run())).toBeUndefined();

		expect(inRun?.message).toMatch(/^3 callers would get a text now, and mostPerRun is 2\./);
		// The refused one counts, too: it may have cost money.
		expect(inDay?.message).toMatch(/^2 texts were sent today, 3 more callers wait, and mostPerDay/);
		expect(before).toEqual([`+${OTHER_CELL}`]);
		expect(texted()).toHaveLength(4);
	});
});

describe('the call watch', () => {
	it('alerts once about a call to a country that an extension never called before', async () => {
		await pbx.client.reset();
		const workflow = await importExample(n8n, pbx, 'call-watch.json');
		const dial = async (from: string, to: string) => await pbx.client.call({ ...SHORT, from, to });
		await dial('100', '16465550191');
		await dial('101', '16465550192');
		await sleep(1500);
		await runToEnd(n8n, workflow, 'Set Up');
		await n8n.activate(workflow.id);
		await dial('100', '16465550193');
		await dial('101', '5351234567');
		const alert = { text: 'Unusual calls:\n101 called 5351234567: first call to +53' };
		await eventually(
			async () => expect(await pbx.client.notes()).toEqual([alert]),
			POLL_PATIENCE_MS,
		);
		const { length: count } = await n8n.listExecutions({ workflowId: workflow.id });
		await dial('101', '5351234567');
		await n8n.waitForExecutions(workflow.id, { count: count + 1 });
		await n8n.deactivate(workflow.id);

		expect(await pbx.client.notes()).toEqual([alert]);
	});
});
