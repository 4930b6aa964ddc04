import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';

import { TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import { CALLFLOW, connectedTo, OLD_FLOW, startCallflowPbx } from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import type { TestTrigger } from '../support/core';
import type { SeenRequest } from '../support/scriptedPbx';

/** Long enough that all requests of a race on a busy machine have arrived. */
const SETTLING_MS = 1_500;

let pbx: CallflowPbx;
beforeAll(async () => (pbx = await startCallflowPbx(SETTLING_MS)));
afterAll(async () => await pbx.close());
beforeEach(() => pbx.reset());

type Client = 'a' | 'b';

/** Every order in which the three requests of one client and the three of the other can reach the PBX. */
function ordersOf(a: number, b: number): string[] {
	if (a === 0 || b === 0) return ['a'.repeat(a) + 'b'.repeat(b)];
	return [
		...ordersOf(a - 1, b).map((rest) => `a${rest}`),
		...ordersOf(a, b - 1).map((rest) => `b${rest}`),
	];
}
const ORDERS = ordersOf(3, 3);

type Sequencer = ReturnType<typeof sequencer>;
/** Lets requests of two clients through in one order, after so many of each that pass at once; then all. */
function sequencer(order: string, free: Record<Client, number>) {
	const waiting = new Map<Client, () => void>();
	const passed = { a: 0, b: 0 };
	let rest = order;
	const release = () => {
		const next = rest[0] as Client;
		const open = waiting.get(next);
		if (!open) return;
		waiting.delete(next);
		rest = rest.slice(1);
		open();
	};
	return {
		enter: async (client: Client) => {
			if (passed[client]++ < free[client] || !rest.includes(client)) return;
			await new Promise<void>((resolve) => {
				waiting.set(client, resolve);
				release();
			});
			setImmediate(release);
		},
		/** A client that is done leaves its turns to the other. */
		leave: (client: Client) => {
			rest = rest.replaceAll(client, '');
			release();
		},
	};
}

/** Two n8n that route one callflow; each comes by a path of its own. */
async function rivals(callflowId: string): Promise<Record<Client, TestTrigger>> {
	const one = async (client: Client) =>
		await pbx.makeTrigger(
			{
				callflowId: { __rl: true, mode: 'id', value: callflowId },
				options: { accountId: client, responseFormat: 'pbx' },
			},
			{ webhookId: `route-${client}-${callflowId}`, workflow: { id: `${client}-${callflowId}` } },
		);
	return { a: await one('a'), b: await one('b') };
}

const clientOf = ({ path }: SeenRequest) => /accounts\/([ab])\//.exec(path)?.[1] as Client;
const callflowOf = ({ path }: SeenRequest) => /callflows\/([^/]+)$/.exec(path)?.[1] ?? '';

/** The addresses that a flow asks, from its root on, and what stands behind them. */
function chainOf(flow: IDataObject): { asked: string[]; behind: unknown } {
	if (flow.module !== 'pivot') return { asked: [], behind: flow };
	const { voice_url: url } = flow.data as { voice_url: string };
	const { asked, behind } = chainOf((flow.children as { _: IDataObject })._);
	return { asked: [url.split('&webserver=')[1] ?? '', ...asked], behind };
}
const webserverOf = (trigger: TestTrigger) => trigger.url().replace(/^https?:\/\//, '');

it.each([
	['activate', 'activate'],
	['deactivate', 'activate'],
	['deactivate', 'deactivate'],
] as const)(
	'two n8n that %s and %s on one callflow at a time lose nothing in any order of their requests, and the active ones are asked',
	async (...acts) => {
		const sequencers = new Map<string, Sequencer>();
		pbx.gate = (request) => sequencers.get(callflowOf(request))?.enter(clientOf(request));
		const race = async (order: string) => {
			pbx.store.set(order, { ...structuredClone(CALLFLOW), id: order });
			const { a, b } = await rivals(order);
			const both = [
				{ client: 'a', trigger: a, act: acts[0] },
				{ client: 'b', trigger: b, act: acts[1] },
			] as const;
			for (const { trigger, act } of both) if (act === 'deactivate') await trigger.activate();
			// The first request of an activation looks up the callflow.
			const free = acts.map((act) => (act === 'activate' ? 1 : 0));
			sequencers.set(order, sequencer(order, { a: free[0] ?? 0, b: free[1] ?? 0 }));
			const run = async ({ client, trigger, act }: (typeof both)[number]) => {
				await trigger[act]();
				sequencers.get(order)?.leave(client);
			};
			await Promise.all(both.map(run));
			sequencers.delete(order);
			const active = both.filter(({ act }) => act === 'activate');
			const expected = active.map(({ trigger }) => webserverOf(trigger)).sort();
			const { asked, behind } = chainOf(pbx.flowOf(order));
			expect([order, asked.sort(), behind]).toEqual([order, expected, OLD_FLOW]);
			await Promise.all([a.close(), b.close()]);
		};
		await Promise.all(ORDERS.map(race));
	},
);

it('a workflow whose rival writes long after its publication is told which one is asked', async () => {
	TIMEOUTS.settling = 20;
	const { a, b } = await rivals('cf1');
	let late = () => undefined as void;
	const isLate = new Promise<void>((resolve) => (late = resolve));
	pbx.gate = (request) =>
		request.method === 'POST' && clientOf(request) === 'b' ? isLate : undefined;
	const second = b.activate();
	while (pbx.seen('POST', 'cf1').length === 0) await sleep(5);
	await a.activate();
	late();
	await second;
	expect(chainOf(pbx.flowOf()).asked).toEqual([webserverOf(b)]);
	await a.pass(5);
	const description = expect.stringContaining(`It now asks ${webserverOf(b)}.`);
	expect(a.reported).toMatchObject([
		{ message: expect.stringContaining('no longer asks this node'), description },
	]);
	await Promise.all([a.close(), b.close()]);
});

describe('a callflow that someone changes while a workflow is published', () => {
	beforeAll(() => void (TIMEOUTS.settling = 20));
	const USER = { module: 'user', data: { id: 'u2' }, children: {} };
	let trigger: TestTrigger;
	beforeEach(async () => (trigger = await pbx.makeTrigger()));
	afterEach(async () => await trigger.close());

	const connected = (old: IDataObject) => connectedTo(trigger.url(), old);
	/** Changes the callflow right before the PBX takes the n-th reading for which a condition holds. */
	const changeBefore = (count: number, change: () => void, counts = () => true) => {
		let seen = 0;
		pbx.fault = ({ method }) => {
			if (method === 'GET' && counts() && ++seen === count) change();
			return undefined;
		};
	};

	it.each([1, 2, 3])('keeps another flow that is set before reading %i', async (count) => {
		changeBefore(count, () => pbx.setFlow(USER));
		await trigger.activate();
		expect(pbx.flowOf()).toEqual(connected(USER));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(USER);
	});

	const inMenu = () => ({ module: 'menu', data: {}, children: { '1': connected(OLD_FLOW) } });
	it.each<[string, () => IDataObject]>([
		['in front of it', inMenu],
		['behind it', () => connected(USER)],
	])('keeps what is set %s right after the writing', async (_, flow) => {
		const change = jest.fn(() => pbx.setFlow(flow()));
		changeBefore(1, change, () => pbx.flowOf().module === 'pivot');
		await trigger.activate();
		expect(change).toHaveBeenCalledTimes(1);
		expect(pbx.flowOf()).toEqual(flow());
	});

	it('keeps a new name and a new flow that are set while it is unpublished', async () => {
		await trigger.activate();
		changeBefore(2, () =>
			pbx.store.set('cf1', { ...pbx.store.get('cf1'), name: 'New', flow: connected(USER) }),
		);
		await trigger.deactivate();
		expect(pbx.store.get('cf1')).toEqual({ ...CALLFLOW, name: 'New', flow: USER });
	});

	it('is named with what it asks instead where it takes every writing back', async () => {
		const rival = connectedTo('http://rival.example/route', OLD_FLOW);
		pbx.keep = () => rival;
		await expect(trigger.activate()).rejects.toThrow(/cf1.*rival\.example\/route/s);
		await expect(trigger.activate()).rejects.not.toThrow(/Nothing was changed/);
		expect(pbx.flowOf()).toEqual(rival);
	});

	it('has its address taken back once where the PBX rewrites it', async () => {
		pbx.keep = (flow) => {
			const { data } = flow as { data: { voice_url?: string } };
			return data.voice_url === undefined
				? flow
				: { ...flow, data: { ...data, voice_url: encodeURIComponent(data.voice_url) } };
		};
		await expect(trigger.activate()).rejects.toThrow(/Nothing was changed/);
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	const first = { _: { ...OLD_FLOW, children: {} } };
	it.each<[string, IDataObject, IDataObject]>([
		['nothing behind the module', {}, {}],
		['nothing behind the module, with defaults of its own', {}, { debug: false }],
		['only the first node behind the module', first, {}],
	])('is given back where the PBX keeps %s', async (_, children, more) => {
		pbx.keep = (flow) =>
			flow.module === 'pivot'
				? { ...flow, data: { ...(flow.data as IDataObject), ...more }, children }
				: flow;
		pbx.fault = ({ method, body }) =>
			method === 'POST' ? { body: { status: 'success', ...(body as object) } } : undefined;
		await expect(trigger.activate()).rejects.toThrow(
			/doesn't keep the old flow.*Nothing was changed.*Set 'Connect' to 'Manually'/s,
		);
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});
});
