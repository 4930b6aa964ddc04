import type { IDataObject } from 'n8n-workflow';
import { CALLFLOW, connectedTo, OLD_FLOW, pivotAt, startCallflowPbx } from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import { BOTH_WAYS } from '../support/core';
import type { TestTrigger } from '../support/core';

const USER = { module: 'user', data: { id: 'u2' }, children: {} };
const ONE_CHECK = 5;

let pbx: CallflowPbx;
beforeAll(async () => (pbx = await startCallflowPbx()));
afterAll(async () => await pbx.close());
beforeEach(() => pbx.reset());

const snapshot = () => structuredClone(pbx.store.get('cf1'));

describe.each(BOTH_WAYS)('a routing trigger that connects itself, published the %s way', (way) => {
	let trigger: TestTrigger;
	const connected = (old: IDataObject = OLD_FLOW) => connectedTo(trigger.url(), old);
	beforeEach(async () => (trigger = await pbx.makeTrigger({}, { way })));
	afterEach(async () => await trigger.close());

	it('puts the pivot module in front of the flow, loses nothing, and puts everything back', async () => {
		const before = snapshot();
		await trigger.activate();
		expect(pbx.store.get('cf1')).toEqual({ ...before, flow: connected() });
		await trigger.pass(2 * ONE_CHECK);
		expect([trigger.log, trigger.reported]).toEqual([[], []]);
		await trigger.deactivate();
		expect(snapshot()).toEqual(before);
		expect(trigger.staticData).toEqual({});
	});

	it.each([false, true])(
		'puts everything back after a restart, static data lost: %s',
		async (lost) => {
			const before = snapshot();
			await trigger.activate();
			if (lost) trigger.staticData = {};
			await trigger.restart();
			if (lost) await trigger.pass(1);
			expect(pbx.flowOf()).toMatchObject({ module: 'pivot', children: { _: OLD_FLOW } });
			await trigger.deactivate();
			expect(snapshot()).toEqual(before);
		},
	);

	it('moves to another callflow when another one is chosen', async () => {
		await trigger.activate();
		await trigger.republish({ callflowId: 'cf2' });
		expect(pbx.flowOf('cf1')).toEqual(OLD_FLOW);
		expect(pbx.flowOf('cf2')).toEqual({ ...connected(), data: pivotAt(trigger.url(), 'cf2') });
		await trigger.republish({ connect: 'manual' });
		expect(pbx.flowOf('cf2')).toEqual(OLD_FLOW);
	});

	it('puts everything back when it is unpublished while n8n still connects', async () => {
		const before = snapshot();
		const slow = new Promise<void>((resolve) => {
			pbx.fault = ({ method }) => {
				if (method !== 'POST') return undefined;
				pbx.fault = () => undefined;
				resolve();
				return { delayMs: 300, body: { data: before, status: 'success' } };
			};
		});
		const activation = trigger.activate().catch(() => undefined);
		await slow;
		await trigger.deactivate();
		await activation;
		await trigger.pass(2 * ONE_CHECK);
		expect(snapshot()).toEqual(before);
	});

	it('writes nothing while someone listens for a test event', async () => {
		const before = snapshot();
		await trigger.activate('manual', 'test');
		await trigger.deactivate('test');
		expect(snapshot()).toEqual(before);
	});

	describe('at n8n’s start', () => {
		it.each([
			['is down', () => ({ status: 503, headers: { 'retry-after': '0' } })],
			['refuses', () => ({ status: 403 })],
		] as const)('asks nobody where the PBX %s, and keeps its route', async (_, fault) => {
			await trigger.activate();
			pbx.fault = fault;
			const asked = pbx.requests.length;
			await trigger.restart();
			expect(pbx.requests).toHaveLength(asked);
			await trigger.pass(1);
			expect(trigger.reported).toHaveLength(1);
			pbx.fault = () => undefined;
			await trigger.pass(ONE_CHECK);
			expect(pbx.flowOf()).toEqual(connected());
			expect(trigger.notes).toContainEqual(expect.stringContaining('the check works again'));
		});

		it.each(['init', 'update'] as const)('connects what n8n was killed over: %s', async (mode) => {
			await trigger.restart(mode);
			expect(pbx.flowOf()).toEqual(OLD_FLOW);
			await trigger.pass(1);
			expect(pbx.flowOf()).toEqual(connected());
		});

		it('leaves out what someone has taken out meanwhile, and reports it', async () => {
			await trigger.activate();
			pbx.setFlow(USER);
			await trigger.restart();
			await trigger.pass(2 * ONE_CHECK);
			expect(pbx.flowOf()).toEqual(USER);
			expect(trigger.reported).toMatchObject([
				{ message: expect.stringContaining('no longer asks this node') },
			]);
			await trigger.deactivate();
			expect(pbx.flowOf()).toEqual(USER);
		});

		it('touches no pivot module of the address that n8n had, or of the n8n that it is a copy of', async () => {
			await trigger.activate();
			const before = pbx.flowOf();
			trigger.moveTo('http://127.0.0.1:9/');
			await trigger.restart();
			await trigger.pass(1);
			expect(pbx.flowOf()).toEqual(before);
			expect(trigger.reported.map(({ message }) => message)).toEqual([
				expect.stringMatching(/n8n is now at (http:\/\/)?127.0.0.1:9/),
			]);
			await trigger.deactivate();
			expect(pbx.flowOf()).toEqual(before);
		});
	});

	it('has the address of n8n replaced when a person publishes after a move', async () => {
		await trigger.activate();
		trigger.moveTo('http://127.0.0.1:9/');
		await trigger.restart();
		await trigger.republish();
		expect(pbx.flowOf()).toEqual(connected());
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it.each<[string, CallflowPbx['fault'], RegExp]>([
		[
			'the PBX does not show the flow',
			({ method }) => {
				const { flow: _, ...rest } = CALLFLOW;
				return method === 'GET' ? { body: { data: rest } } : undefined;
			},
			/doesn't show the flow of callflow cf1/,
		],
		[
			'the callflow is not there',
			() => ({ status: 404, body: { message: 'bad identifier' } }),
			/Callflow cf1 wasn't found/,
		],
	])('fails because %s: one message, asked once, nothing changed', async (_, fault, words) => {
		const before = snapshot();
		pbx.fault = fault;
		const reads = () => pbx.seen('GET', 'cf1').length;
		const earlier = reads();
		await expect(trigger.activate()).rejects.toThrow(words);
		expect(reads() - earlier).toBeLessThanOrEqual(8);
		pbx.fault = () => undefined;
		expect(snapshot()).toEqual(before);
		const asked = pbx.requests.length;
		await trigger.pass(2 * ONE_CHECK);
		expect(pbx.requests).toHaveLength(asked);
	});

	it('has nothing to put back in a callflow that was deleted', async () => {
		await trigger.activate();
		pbx.store.delete('cf1');
		await trigger.deactivate();
		expect(trigger.log).toEqual([]);
	});
});

describe('a flow that someone has changed around the pivot module', () => {
	let trigger: TestTrigger;
	const own = (old?: IDataObject) => connectedTo(trigger.url(), old);
	const inBranches = (day: IDataObject, night: IDataObject): IDataObject => ({
		module: 'temporal_route',
		data: { rules: [{ id: 'r1' }] },
		children: { day, _: { module: 'menu', data: {}, children: { '7': night } } },
	});
	beforeEach(async () => {
		trigger = await pbx.makeTrigger();
		await trigger.activate();
	});
	afterEach(async () => await trigger.close());

	it.each<[string, () => IDataObject, () => IDataObject]>([
		['another flow', () => USER, () => USER],
		[
			'it in several branches',
			() => inBranches(own(OLD_FLOW), own(USER)),
			() => inBranches(OLD_FLOW, USER),
		],
		['it twice in a row', () => own(own(USER)), () => USER],
	])('gets back what was behind it: %s', async (_, flow, expected) => {
		pbx.setFlow(flow());
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(expected());
	});

	it('keeps it where it cannot be told what belongs in its place, and says so', async () => {
		const stays = { ...own(USER), children: { _: USER, '404': OLD_FLOW } };
		pbx.setFlow(inBranches(own(OLD_FLOW), stays));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(inBranches(OLD_FLOW, stays));
		expect(trigger.log.join()).toContain('the pivot module now has other children');
	});

	it('is left alone by checks, which report it', async () => {
		const changed = { ...own(OLD_FLOW), data: { ...pivotAt(trigger.url()), method: 'POST' } };
		pbx.setFlow(changed);
		await trigger.pass(2 * ONE_CHECK);
		expect(pbx.flowOf()).toEqual(changed);
		expect(trigger.reported).toMatchObject([
			{ message: expect.stringContaining('changed the pivot module') },
		]);
		pbx.setFlow(own(OLD_FLOW));
		await trigger.pass(ONE_CHECK);
		expect(trigger.notes).toContainEqual(expect.stringContaining('asks this node again'));
	});
});

it('two workflows on one callflow are undone in either order', async () => {
	const first = await pbx.makeTrigger();
	const second = await pbx.makeTrigger({}, { webhookId: 'route-2', workflow: { id: 'w2' } });
	await first.activate();
	await second.activate();
	await first.deactivate();
	expect(pbx.flowOf()).toEqual(connectedTo(second.url(), OLD_FLOW));
	await second.deactivate();
	expect(pbx.flowOf()).toEqual(OLD_FLOW);
	await Promise.all([first.close(), second.close()]);
});

it('a Delivery URL goes to the PBX in place of n8n’s own address', async () => {
	const deliveryOptions = { deliveryUrl: 'http://pbx-side.example/n8n', skipUrlCheck: true };
	const trigger = await pbx.makeTrigger({ deliveryOptions });
	await trigger.activate();
	const address = `http://pbx-side.example/n8n${new URL(trigger.url()).pathname}`;
	expect(pbx.flowOf()).toEqual(connectedTo(address, OLD_FLOW));
	await trigger.deactivate();
	expect(pbx.flowOf()).toEqual(OLD_FLOW);
	await trigger.close();
});
