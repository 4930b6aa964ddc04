import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOf } from '../../tools/n8n';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { SHORT, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { errorOf, runToEnd } from '../support/e2e/chain';
import { importExample } from '../support/e2e/examples';
import { times } from '../support/release';
import { callflowNamed } from '../support/routing';

const MAIN = '12125550100';
const ANNA = '12125550123';

let n8n: N8nClient;
let pbx: TestPbx;

beforeAll(async () => ({ n8n, pbx } = await startBed()));

describe('the routing rehearsal', () => {
	const IMPORTANT = ANNA;
	const OTHERS = '1646555';
	let decision: Workflow;
	let rehearsal: Workflow;

	/** The rules as shipped, but open at any hour, so that the test doesn't depend on the clock. */
	const rules = (change = (code: string) => code) => {
		const { jsCode } = decision.nodes.find(({ name }) => name === 'Decide')?.parameters ?? {};
		const open = 'const isOpen = true;';
		return { jsCode: change(String(jsCode).replace(/const isOpen = .*;/, open)) };
	};

	const rehearse = async () => {
		const execution = await runToEnd(n8n, await n8n.getWorkflow(rehearsal.id), 'Rehearse');
		expect(errorOf(execution)).toBeUndefined();
		return { rows: jsonOf(execution, 'Compare'), sums: jsonOf(execution, 'Summarize')[0] };
	};

	/**
	 * The order of the n-th call, which rings some extensions. 101 is there for 4 of 5 calls, and 100
	 * for every other one. Every fourth caller is important.
	 */
	const orderOf = (index: number, rings: string[]) => {
		const turn = Math.floor(index / 4);
		const isThere: Record<string, boolean> = { '100': turn % 2 === 0, '101': turn % 5 > 0 };
		const answeredBy = rings.find((extension) => isThere[extension]);
		const from = index % 4 === 1 ? IMPORTANT : `${OTHERS}${1000 + index}`;
		const ends = answeredBy ? { answered_by: answeredBy } : { outcome: 'no-answer' as const };
		return { ...SHORT, speed: 1000, ring_seconds: 2, from, ...ends };
	};

	const indexes = Array.from({ length: times(20, 200) }, (_, index) => index);

	beforeAll(async () => {
		await pbx.client.reset();
		decision = await importExample(n8n, pbx, 'routing-decision.json');
		rehearsal = await importExample(n8n, pbx, 'routing-rehearsal.json');
		const workflowId = { __rl: true, mode: 'id', value: decision.id };
		await n8n.changeNode(rehearsal.id, 'Decide', { workflowId });
		const { id } = await callflowNamed(pbx, 'Web routing');
		const callflowId = { __rl: true, mode: 'id', value: id };
		// A busy machine can exceed the default deadline, which triggers the fallback.
		const options = { deadline: 20, requestTimeout: 25 };
		await n8n.changeNode(decision.id, 'Incoming Call', {
			connect: 'callflow',
			callflowId,
			options,
		});
		await n8n.changeNode(decision.id, 'Decide', rules());
		await n8n.activate(decision.id);
	});
	afterAll(async () => await n8n.deactivate(decision.id));

	it('predicts where calls go, and the share of missed calls within 5 points', async () => {
		// Past calls: everyone reached 100 by the main number, and some dialed 101.
		for (const index of indexes) await pbx.client.call({ ...orderOf(index, ['100']), to: MAIN });
		for (let index = 0; index < 20; index += 4)
			await pbx.client.call({ ...orderOf(index, ['101']), to: '101', from: `${OTHERS}0000` });
		await sleep(1500);
		const { rows, sums } = await rehearse();
		const before = pbx.sandbox.exchange.list().length;
		for (const index of indexes) {
			const isImportant = orderOf(index, []).from === IMPORTANT;
			const order = orderOf(index, isImportant ? ['101', '100'] : ['100']);
			await pbx.client.call({ ...order, to: '12125550102' });
		}
		const replayed = pbx.sandbox.exchange.list().slice(before);

		const ofMain = rows.filter(({ to }) => to === MAIN);
		const predicted = new Map(ofMain.map(({ from, goesTo }) => [from, goesTo]));
		expect(replayed.map(({ legs }) => `extension ${legs[1]?.callee.number}`)).toEqual(
			replayed.map(({ order }) => predicted.get(order.from)),
		);
		expect(sums).toMatchObject({ calls: indexes.length + 5, getFallback: 0, reasons: [] });
		const missed = replayed.filter(({ result }) => result !== 'answered').length;
		const expected = ofMain.reduce((sum, { missedAfter }) => sum + Number(missedAfter), 0);
		expect(Math.abs(missed - expected) / indexes.length).toBeLessThanOrEqual(0.05);
	});

	it('counts calls whose decision fails or is invalid', async () => {
		const faults = `
			if (digits.endsWith('1000')) throw new Error('The CRM is down');
			if (digits.endsWith('1002')) operations = [{ type: 'fax' }];
			return { json`;
		await n8n.changeNode(
			decision.id,
			'Decide',
			rules((code) => code.replace('return { json', faults)),
		);
		await n8n.activate(decision.id);
		const { sums } = await rehearse();

		expect(sums).toMatchObject({ getFallback: 4 });
		expect(String(sums?.reasons)).toMatch(/CRM is down/);
	});
});
