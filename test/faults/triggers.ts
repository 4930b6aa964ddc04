import type { INodeParameters } from 'n8n-workflow';
import { makeRecordTrigger } from '../support/core';
import type { TestRecordTrigger, TestTrigger } from '../support/core';
import type { Bench, Result } from './bench';
import type { Step } from './step';

/** Each bench's trigger and poller, for the current cell. */
const triggers = new WeakMap<Bench, { trigger: TestTrigger; before: string }>();
const pollers = new WeakMap<Bench, TestRecordTrigger>();

async function result(work: () => Promise<unknown>): Promise<Result> {
	try {
		await work();
		return { items: [] };
	} catch (error) {
		return { items: [], error: error instanceof Error ? error : new Error(String(error)) };
	}
}

interface Kind {
	section: string;
	type: string;
	parameters: INodeParameters;
}

const EVENTS: Kind = {
	section: 'Virtual PBX Trigger',
	type: 'virtualPbxTrigger',
	parameters: { events: ['answered', 'ended'] },
};
const ROUTING: Kind = {
	section: 'Virtual PBX Call Routing Trigger',
	type: 'virtualPbxRoutingTrigger',
	parameters: {
		responseMode: 'lastNode',
		callflowId: { __rl: true, mode: 'id', value: 'callflow-one' },
		fallback: { step: [{ type: 'voicemail', extension: '100' }] },
	},
};

async function setUp(bench: Bench, { type, parameters }: Kind): Promise<TestTrigger> {
	const before = bench.state();
	const trigger = await bench.trigger(type, parameters);
	triggers.set(bench, { trigger, before });
	return trigger;
}

/** Deactivates a trigger. It logs what it couldn't remove instead of throwing, which would make n8n skip other triggers. */
async function deactivateTrigger(trigger: TestTrigger | undefined): Promise<Result> {
	const logged = trigger?.log.length ?? 0;
	return await result(async () => {
		const isDone = await trigger?.hook('delete');
		if (isDone === false) throw new Error(trigger?.log.slice(logged).join(' '));
	});
}

/** Checks that activating and deactivating without a fault restores the initial state, whatever the fault left. */
async function recovers(bench: Bench): Promise<string[]> {
	const { trigger, before } = triggers.get(bench) ?? {};
	const { error } = await result(async () => await trigger?.activate());
	if (error) return [`can't be activated afterward: ${error.message}`];
	const uris = bench.account.webhooks.all().map(({ hook, uri }) => `${hook} ${uri}`);
	if (new Set(uris).size !== uris.length) return ['a webhook is registered twice'];
	const off = await deactivateTrigger(trigger);
	if (off.error) return [`can't be deactivated afterward: ${off.error.message}`];
	return bench.state() === before ? [] : ['something was left behind, or lost, at the PBX'];
}

const activate = (kind: Kind): Step => ({
	name: 'Activate',
	section: kind.section,
	isOperation: false,
	undoes: true,
	prepare: async (bench) => {
		const trigger = await setUp(bench, kind);
		return async () => await result(async () => await trigger.activate());
	},
	recover: recovers,
});

const deactivate = (kind: Kind): Step => ({
	name: 'Deactivate',
	section: kind.section,
	isOperation: false,
	prepare: async (bench) => {
		const trigger = await setUp(bench, kind);
		await trigger.activate();
		return async () => await deactivateTrigger(trigger);
	},
	recover: recovers,
});

const poll: Step = {
	name: 'Poll',
	section: 'Virtual PBX Call Record Trigger',
	isOperation: true,
	prepare: async (bench) => {
		const poller = await makeRecordTrigger({
			type: 'virtualPbxRecordTrigger',
			credential: bench.credential,
			parameters: {
				event: 'newCallRecord',
				firstRun: 'since',
				since: new Date(Date.now() - 3_600_000).toISOString(),
			},
		});
		pollers.set(bench, poller);
		await poller.publish('init');
		return async () => {
			let items: Result['items'] = [];
			const { error } = await result(async () => {
				items = (await poller.poll(1)) ?? [];
				const [failure] = poller.failures.splice(0);
				if (failure) throw failure;
			});
			return { items, error };
		};
	},
	/** Checks that the next poll returns what the failed one didn't, without duplicates. */
	recover: async (bench, { items }) => {
		const poller = pollers.get(bench);
		const next = (await poller?.poll()) ?? [];
		const expected = items.length > 0 ? 0 : 1;
		return next.length === expected ? [] : [`the next poll returned ${next.length} records`];
	},
};

/** Lifecycle steps of the triggers that send requests to the PBX. */
export const triggerSteps: Step[] = [
	activate(EVENTS),
	deactivate(EVENTS),
	activate(ROUTING),
	deactivate(ROUTING),
	poll,
];
