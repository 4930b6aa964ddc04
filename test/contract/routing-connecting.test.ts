import type { IDataObject } from 'n8n-workflow';
import { startTrigger, storeCredential } from '../support/core';
import type { StoredCredential, TestTrigger } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx, SeenRequest } from '../support/scriptedPbx';

const OLD_FLOW = {
	module: 'user',
	data: { id: 'u1', timeout: '20' },
	children: { _: { module: 'voicemail', data: { id: 'v1' }, children: {} } },
	stick_node: false,
};

/** A callflow with a field that the contract does not know. */
const CALLFLOW = {
	id: 'cf1',
	name: 'Main',
	numbers: ['74950000100'],
	patterns: ['^1\\d\\d$'],
	fakenumber: true,
	flow: OLD_FLOW as IDataObject,
	ringback: { early: 'tone' },
};

const STEPS = { step: [{ type: 'extension', extension: '100' }] };

describe('a routing trigger that connects itself', () => {
	let pbx: ScriptedPbx;
	let account: StoredCredential;
	let trigger: TestTrigger;
	let store: Map<string, IDataObject>;
	/** Stands in the way of a request; undefined lets it through. */
	let fault: (request: SeenRequest) => ScriptedAnswer | undefined;
	/** What the PBX makes of a flow before it keeps it. */
	let keep: (flow: IDataObject) => IDataObject;

	const flowOf = (id = 'cf1') => store.get(id)?.flow as IDataObject;
	const snapshot = () => structuredClone(store.get('cf1'));
	const pivotOf = (url: string, id = 'cf1') => ({
		method: 'GET',
		req_timeout: '5',
		req_format: 'pbx',
		voice_url: `{dflow}&callflow_id=${id}&webserver=${url.replace(/^https?:\/\//, '')}`,
	});
	const connected = (url = trigger.url(), old: IDataObject = OLD_FLOW) => ({
		module: 'pivot',
		data: pivotOf(url),
		children: { _: old },
	});
	const make = async (parameters: IDataObject = {}, rest: { instanceUrl?: string } = {}) =>
		await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			name: 'Route',
			webhookId: 'route-1',
			credential: account,
			parameters: {
				connect: 'callflow',
				callflowId: { __rl: true, mode: 'id', value: 'cf1' },
				fallback: STEPS,
				...parameters,
			} as never,
			...rest,
		});

	beforeAll(async () => {
		pbx = await startScriptedPbx((request) => {
			const id = /\/callflows\/([^/]+)$/.exec(request.path)?.[1];
			if (id === undefined) return undefined;
			const answer = fault(request);
			const callflow = store.get(id);
			if (request.method === 'POST' && callflow && answer?.status === undefined) {
				const data = structuredClone((request.body as { data: IDataObject }).data);
				store.set(id, { id, ...data, flow: keep(data.flow as IDataObject) });
			}
			if (answer) return answer;
			if (!callflow) return { status: 404, body: { message: 'bad identifier' } };
			return { body: { data: store.get(id), status: 'success' } };
		});
		account = await storeCredential({
			baseUrl: pbx.url,
			login: 'demo',
			password: 'secret',
			realm: 'demo.test',
		});
	});
	afterAll(async () => await pbx.close());

	beforeEach(async () => {
		store = new Map([
			['cf1', structuredClone(CALLFLOW)],
			['cf2', { ...structuredClone(CALLFLOW), id: 'cf2', numbers: ['200'] }],
		]);
		fault = () => undefined;
		keep = (flow) => flow;
		trigger = await make();
	});
	afterEach(async () => await trigger.close());

	it('puts the pivot node in front of the flow, loses nothing, and puts everything back', async () => {
		const before = snapshot();
		await trigger.activate();
		expect(store.get('cf1')).toEqual({ ...before, flow: connected() });
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
			fault = (request) => {
				if (request.method !== method) return undefined;
				fault = () => undefined;
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
		fault = () => ({ status: 503, headers: { 'retry-after': '0' } });
		await trigger.activate('init');
		fault = () => undefined;
		expect(flowOf()).toEqual(connected());
	});

	it('leaves a flow alone that someone else has set in between', async () => {
		await trigger.activate();
		const other = { module: 'play', data: { filename: 'new.wav' }, children: {} };
		store.set('cf1', { ...store.get('cf1'), flow: other });
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
		store.set('cf1', { ...store.get('cf1'), name: 'Renamed', flow: inFront });
		await trigger.activate('init');
		expect(flowOf()).toEqual(inFront);
		await trigger.deactivate();
		expect(store.get('cf1')).toEqual({
			...CALLFLOW,
			name: 'Renamed',
			flow: { ...inFront, children: { _: behind, t1: behind } },
		});
	});

	it('leaves a pivot node alone that got further children', async () => {
		await trigger.activate();
		const flow = connected();
		const changed = { ...flow, children: { ...flow.children, '404': OLD_FLOW } };
		store.set('cf1', { ...store.get('cf1'), flow: changed });
		await trigger.deactivate();
		expect(flowOf()).toEqual(changed);
	});

	it('puts back the old flow from its own copy when the PBX lost it', async () => {
		await trigger.activate();
		store.set('cf1', { ...store.get('cf1'), flow: { ...connected(), children: {} } });
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it("treats another n8n's pivot node as the old flow", async () => {
		const foreign = {
			module: 'pivot',
			data: pivotOf('https://other.example/webhook/x'),
			children: {},
		};
		store.set('cf1', { ...CALLFLOW, flow: foreign });
		await trigger.activate();
		expect(flowOf()).toEqual(connected(trigger.url(), foreign));
		await trigger.deactivate();
		expect(flowOf()).toEqual(foreign);
	});

	it('undoes two connections of one callflow in either order', async () => {
		const second = await make();
		const third = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			webhookId: 'route-2',
			credential: account,
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
		expect(flowOf('cf2')).toEqual({ ...connected(), data: pivotOf(trigger.url(), 'cf2') });
		await trigger.deactivate();
		expect(flowOf('cf2')).toEqual(OLD_FLOW);
	});

	it('forgets no callflow when it is to be connected by hand', async () => {
		await trigger.activate();
		fault = ({ method }) => (method === 'POST' ? { status: 500 } : undefined);
		await trigger.deactivate();
		fault = () => undefined;
		trigger.setParameters({ connect: 'manual' });
		await expect(trigger.activate('update')).rejects.toThrow('Callflow cf1 still asks this node');
		trigger.setParameters({ connect: 'callflow' });
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it('follows a changed address of n8n', async () => {
		const staticData = {
			connection: {
				callflowId: 'cf1',
				webserver: 'old.example/webhook/route-1/routing',
				oldFlow: OLD_FLOW,
			},
		};
		store.set('cf1', {
			...CALLFLOW,
			flow: connected('http://old.example/webhook/route-1/routing'),
		});
		trigger.staticData = staticData;
		await trigger.activate('init');
		expect(flowOf()).toEqual(connected());
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
			data: { ...pivotOf(trigger.url()), method: 'POST', req_timeout: '6', req_format: 'own' },
		});
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it('has nothing to put back in a callflow that was deleted', async () => {
		await trigger.activate();
		store.delete('cf1');
		await trigger.deactivate();
		expect(trigger.staticData).toEqual({ notPutBack: { callflowId: 'cf1', oldFlow: OLD_FLOW } });
	});

	it('refuses a PBX that does not keep the old flow, and leaves the callflow as it was', async () => {
		const before = snapshot();
		keep = (flow) => (flow.module === 'pivot' ? { ...flow, children: {} } : flow);
		await expect(trigger.activate()).rejects.toThrow(
			'does not keep the old flow behind the pivot module',
		);
		expect(snapshot()).toEqual(before);
	});

	it('refuses a PBX that does not show the flow, and changes nothing', async () => {
		const { flow: _, ...rest } = CALLFLOW;
		fault = ({ method }) => (method === 'GET' ? { body: { data: rest } } : undefined);
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
		keep = grow;
		await trigger.activate();
		await trigger.deactivate();
		expect(flowOf()).toEqual(grow(grow(OLD_FLOW)));
	});

	it('counts what really happened when the answer to a change got lost', async () => {
		fault = ({ method }) =>
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
		fault = script;
		await expect(trigger.activate()).rejects.toThrow();
		fault = () => undefined;
		expect(snapshot()).toEqual(before);
	});

	it('keeps its copy for the next time when the PBX is down at deactivation', async () => {
		await trigger.activate();
		fault = ({ method }) => (method === 'POST' ? { status: 500 } : undefined);
		await trigger.deactivate();
		expect(trigger.staticData.connection).toMatchObject({ callflowId: 'cf1', oldFlow: OLD_FLOW });
		fault = () => undefined;
		await trigger.activate();
		await trigger.deactivate();
		expect(flowOf()).toEqual(OLD_FLOW);
	});

	it('connects at a PBX that takes only what the contract shows', async () => {
		const before = snapshot();
		fault = ({ method, body }) => {
			const data = method === 'POST' ? (body as { data: IDataObject }).data : {};
			if (!('ringback' in data)) return undefined;
			return { status: 400, body: { data: { ringback: { unknown: 'is not known' } } } };
		};
		keep = (flow) => flow;
		await trigger.activate();
		expect(flowOf()).toEqual(connected());
		await trigger.deactivate();
		expect({ ...before, ringback: undefined }).toEqual({ ...snapshot(), ringback: undefined });
	});

	it('connects a callflow without a flow, and empties it again', async () => {
		store.set('cf1', { ...CALLFLOW, flow: {} });
		await trigger.activate();
		expect(flowOf()).toEqual({ ...connected(), children: {} });
		await trigger.deactivate();
		expect(flowOf()).toEqual({});
	});

	it.each<[string, IDataObject, string]>([
		['no callflow', { callflowId: '' }, 'Callflow is empty'],
		['no fallback', { fallback: {} }, 'Fallback: The answer holds no steps'],
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
