import type { IDataObject } from 'n8n-workflow';
import {
	CALLFLOW,
	connectedTo,
	OLD_FLOW,
	pivotAt,
	startCallflowPbx,
	STEPS,
} from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import type { TestTrigger } from '../support/core';
import { startTrigger } from '../support/core';
import type { SeenRequest } from '../support/scriptedPbx';

describe('a routing trigger that connects itself', () => {
	let pbx: CallflowPbx;
	let trigger: TestTrigger;

	const flowOf = (id = 'cf1') => pbx.flowOf(id);
	const snapshot = () => structuredClone(pbx.store.get('cf1'));
	const connected = (url = trigger.url(), old: IDataObject = OLD_FLOW) => connectedTo(url, old);

	beforeAll(async () => (pbx = await startCallflowPbx()));
	afterAll(async () => await pbx.close());
	beforeEach(async () => {
		pbx.reset();
		trigger = await pbx.makeTrigger();
	});
	afterEach(async () => await trigger.close());

	it('puts the pivot node in front of the flow, loses nothing, and puts everything back', async () => {
		const before = snapshot();
		await trigger.activate();
		expect(pbx.store.get('cf1')).toEqual({ ...before, flow: connected() });
		await trigger.deactivate();
		expect(snapshot()).toEqual(before);
		expect(trigger.staticData).toEqual({});
	});

	it.each<[string, (one: TestTrigger) => Promise<void> | void]>([
		['a restart', async (one) => await one.activate('init')],
		['lost static data', (one) => void (one.staticData = {})],
		[
			'lost static data and a restart',
			async (one) => {
				one.staticData = {};
				await one.activate('init');
			},
		],
		['a second activation', async (one) => await one.activate()],
		[
			'a second activation with lost static data',
			async (one) => {
				one.staticData = {};
				await one.activate('update');
			},
		],
	])('puts everything back after %s', async (_, happen) => {
		const before = snapshot();
		await trigger.activate();
		await happen(trigger);
		expect(flowOf()).toEqual(connected());
		await trigger.deactivate();
		expect(snapshot()).toEqual(before);
	});

	it.each([
		['n8n still checks the callflow at its start', 'init', 'GET'],
		['n8n still connects', 'activate', 'POST'],
	] as const)('puts everything back when deactivated while %s', async (_, mode, method) => {
		const before = snapshot();
		if (mode === 'init') await trigger.activate();
		const slow = new Promise<void>((resolve) => {
			pbx.fault = (request) => {
				if (request.method !== method) return undefined;
				pbx.fault = () => undefined;
				resolve();
				return { delayMs: 300, body: { data: before, status: 'success' } };
			};
		});
		const activation = trigger.activate(mode);
		await slow;
		await trigger.deactivate();
		await activation;
		expect(snapshot()).toEqual(before);
		await trigger.activate();
		expect(flowOf()).toEqual(connected());
	});

	it('writes nothing while someone listens for a test event', async () => {
		const before = snapshot();
		await trigger.activate('manual', 'test');
		await trigger.deactivate('test');
		expect(snapshot()).toEqual(before);
		await trigger.activate();
		await trigger.activate('manual', 'test');
		await trigger.deactivate('test');
		expect(flowOf()).toEqual(connected());
	});

	it('keeps its route when the PBX is down at the start of n8n', async () => {
		await trigger.activate();
		pbx.fault = () => ({ status: 503, headers: { 'retry-after': '0' } });
		await trigger.activate('init');
		pbx.fault = () => undefined;
		expect(flowOf()).toEqual(connected());
	});

	it('leaves a flow alone that someone else has set in between', async () => {
		await trigger.activate();
		const other = { module: 'play', data: { filename: 'new.wav' }, children: {} };
		pbx.store.set('cf1', { ...pbx.store.get('cf1'), flow: other });
		await trigger.deactivate();
		expect(flowOf()).toEqual(other);
		expect(trigger.staticData).toEqual({ notPutBack: { callflowId: 'cf1', oldFlow: OLD_FLOW } });
	});

	it('keeps what someone has changed around it: number, other flow behind, node in front', async () => {
		await trigger.activate();
		const behind = { module: 'user', data: { id: 'u2' }, children: {} };
		const inFront = {
			module: 'temporal_route',
			data: {},
			children: { _: connected(trigger.url(), behind), t1: behind },
		};
		pbx.store.set('cf1', { ...pbx.store.get('cf1'), name: 'Renamed', flow: inFront });
		await trigger.activate('init');
		expect(flowOf()).toEqual(inFront);
		await trigger.deactivate();
		expect(pbx.store.get('cf1')).toEqual({
			...CALLFLOW,
			name: 'Renamed',
			flow: { ...inFront, children: { _: behind, t1: behind } },
		});
	});

	it('leaves a pivot node alone that got further children', async () => {
		await trigger.activate();
		const flow = connected();
		const changed = { ...flow, children: { _: OLD_FLOW, '404': OLD_FLOW } };
		pbx.store.set('cf1', { ...pbx.store.get('cf1'), flow: changed });
		await trigger.deactivate();
		expect(flowOf()).toEqual(changed);
	});

	it('puts back the old flow from its own copy when the PBX lost it', async () => {
		await trigger.activate();
		pbx.store.set('cf1', { ...pbx.store.get('cf1'), flow: { ...connected(), children: {} } });
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it("treats another n8n's pivot node as the old flow", async () => {
		const foreign = {
			module: 'pivot',
			data: pivotAt('https://other.example/webhook/x'),
			children: {},
		};
		pbx.store.set('cf1', { ...CALLFLOW, flow: foreign });
		await trigger.activate();
		expect(flowOf()).toEqual(connected(trigger.url(), foreign));
		await trigger.deactivate();
		expect(flowOf()).toEqual(foreign);
	});

	it('undoes two connections of one callflow in either order', async () => {
		const second = await pbx.makeTrigger();
		const third = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			webhookId: 'route-2',
			credential: pbx.account,
			parameters: { connect: 'callflow', callflowId: 'cf1', fallback: STEPS },
		});
		await trigger.activate();
		await third.activate();
		await trigger.deactivate();
		expect(flowOf()).toEqual(connected(third.url()));
		await third.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
		await Promise.all([second.close(), third.close()]);
	});

	it('moves to another callflow when another one is chosen', async () => {
		await trigger.activate();
		trigger.setParameters({ callflowId: 'cf2' });
		await trigger.activate('update');
		expect(flowOf('cf1')).toEqual(OLD_FLOW);
		expect(flowOf('cf2')).toEqual({ ...connected(), data: pivotAt(trigger.url(), 'cf2') });
		await trigger.deactivate();
		expect(flowOf('cf2')).toEqual(OLD_FLOW);
	});

	it('forgets no callflow when it is to be connected by hand', async () => {
		await trigger.activate();
		pbx.fault = ({ method }) => (method === 'POST' ? { status: 500 } : undefined);
		await trigger.deactivate();
		pbx.fault = () => undefined;
		trigger.setParameters({ connect: 'manual' });
		await expect(trigger.activate('update')).rejects.toThrow('Callflow cf1 still asks this node');
		trigger.setParameters({ connect: 'callflow' });
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it('updates changed parameters of the pivot node only', async () => {
		await trigger.activate();
		trigger.setParameters({
			options: { requestMethod: 'POST', requestTimeout: '6', responseFormat: 'own' },
		});
		await trigger.activate('update');
		expect(flowOf()).toEqual({
			...connected(),
			data: { ...pivotAt(trigger.url()), method: 'POST', req_timeout: '6', req_format: 'own' },
		});
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it('has nothing to put back in a callflow that was deleted', async () => {
		await trigger.activate();
		pbx.store.delete('cf1');
		await trigger.deactivate();
		expect(trigger.staticData).toEqual({ notPutBack: { callflowId: 'cf1', oldFlow: OLD_FLOW } });
	});

	it('refuses a PBX that does not keep the old flow, and leaves the callflow as it was', async () => {
		const before = snapshot();
		pbx.keep = (flow) => (flow.module === 'pivot' ? { ...flow, children: {} } : flow);
		await expect(trigger.activate()).rejects.toThrow(
			'does not keep the old flow behind the pivot module',
		);
		expect(snapshot()).toEqual(before);
	});

	it('refuses a PBX that does not show the flow, and changes nothing', async () => {
		const { flow: _, ...rest } = CALLFLOW;
		pbx.fault = ({ method }) => (method === 'GET' ? { body: { data: rest } } : undefined);
		await expect(trigger.activate()).rejects.toThrow('does not show the flow of callflow cf1');
		expect(snapshot()).toEqual(CALLFLOW);
	});

	it('takes what a PBX adds to a flow for kept', async () => {
		const grow = (flow: IDataObject): IDataObject => ({
			...flow,
			added: true,
			children: Object.fromEntries(
				Object.entries((flow.children ?? {}) as IDataObject).map(([key, child]) => [
					key,
					grow(child as IDataObject),
				]),
			),
		});
		pbx.keep = grow;
		await trigger.activate();
		await trigger.deactivate();
		expect(flowOf()).toEqual(grow(grow(OLD_FLOW)));
	});

	it('counts what really happened when the answer to a change got lost', async () => {
		pbx.fault = ({ method }) =>
			method === 'POST' ? { raw: (response) => void response.destroy() } : undefined;
		await trigger.activate();
		expect(flowOf()).toEqual(connected());
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it.each([
		[
			'refuses the change',
			({ method }: SeenRequest) =>
				method === 'POST' ? { status: 400, body: { message: 'no' } } : undefined,
		],
		[
			'fails at the change',
			({ method }: SeenRequest) => (method === 'POST' ? { status: 500 } : undefined),
		],
		['knows no such callflow', () => ({ status: 404, body: { message: 'bad identifier' } })],
	])('tells it when the PBX %s, and changes nothing', async (_, script) => {
		const before = snapshot();
		pbx.fault = script;
		await expect(trigger.activate()).rejects.toThrow();
		pbx.fault = () => undefined;
		expect(snapshot()).toEqual(before);
	});

	it('keeps its copy for the next time when the PBX is down at deactivation', async () => {
		await trigger.activate();
		pbx.fault = ({ method }) => (method === 'POST' ? { status: 500 } : undefined);
		await trigger.deactivate();
		expect(trigger.staticData.connection).toMatchObject({ callflowId: 'cf1', oldFlow: OLD_FLOW });
		pbx.fault = () => undefined;
		await trigger.activate();
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it('connects at a PBX that takes only what the contract shows', async () => {
		const before = snapshot();
		pbx.fault = ({ method, body }) => {
			const data = method === 'POST' ? (body as { data: IDataObject }).data : {};
			if (!('ringback' in data)) return undefined;
			return { status: 400, body: { data: { ringback: { unknown: 'is not known' } } } };
		};
		pbx.keep = (flow) => flow;
		await trigger.activate();
		expect(flowOf()).toEqual(connected());
		await trigger.deactivate();
		expect({ ...before, ringback: undefined }).toEqual({ ...snapshot(), ringback: undefined });
	});

	it('connects a callflow without a flow, and empties it again', async () => {
		pbx.store.set('cf1', { ...CALLFLOW, flow: {} });
		await trigger.activate();
		expect(flowOf()).toEqual({ ...connected(), children: {} });
		await trigger.deactivate();
		expect(flowOf()).toEqual({});
	});

	it.each<[string, IDataObject, string]>([
		['no callflow', { callflowId: '' }, 'Callflow is empty'],
		['no fallback', { fallback: {} }, 'Fallback: The answer contains no steps'],
		[
			'a fallback that breaks a rule',
			{ fallback: { step: [{ type: 'play' }] } },
			'Fallback: Step 1 (play file): File Name is empty',
		],
		[
			'a deadline beyond the request timeout',
			{ deadline: 5 },
			'Deadline (5 s) must be shorter than the Request Timeout (5 s)',
		],
		...[0, -1, 'abc', 1e12].map((deadline): [string, IDataObject, string] => [
			`the deadline ${deadline}`,
			{ deadline },
			'Deadline must be a number of seconds from 0.1 to 60',
		]),
	])('is refused with %s before anything is sent', async (_, parameters, words) => {
		trigger.setParameters(parameters as never);
		const seen = pbx.requests.length;
		await expect(trigger.activate('activate')).rejects.toThrow(words);
		expect(pbx.requests.slice(seen).filter(({ method }) => method === 'POST')).toEqual([]);
		expect(flowOf()).toEqual(OLD_FLOW);
	});
});
