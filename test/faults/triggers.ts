import type { INodeParameters } from 'n8n-workflow';
import { makeRecordTrigger } from '../support/core';
import type { TestRecordTrigger, TestTrigger } from '../support/core';
import type { Bench, Result, Step } from './bench';

/** Each bench's trigger and poller, for the current cell. */
const triggers = new WeakMap<Bench, { trigger: TestTrigger; before: string }>();
const pollers = new WeakMap<Bench, TestRecordTrigger>();

const resultOf = async (work: Promise<unknown>): Promise<Result> =>
	await work.then(
		() => ({ items: [] }),
		(error: Error) => ({ items: [], error }),
	);

/** Deactivates a trigger. It logs what it couldn't remove instead of throwing, which would make n8n skip other triggers. */
async function deactivate(trigger: TestTrigger): Promise<void> {
	const logged = trigger.log.length;
	if (!(await trigger.hook('delete'))) throw new Error(trigger.log.slice(logged).join(' '));
}

/** Checks that activating and deactivating without a fault restores the initial state, whatever the fault left. */
async function recover(bench: Bench): Promise<string[]> {
	const { trigger, before } = triggers.get(bench) ?? {};
	if (!trigger) return ['there is no trigger'];
	const on = await resultOf(trigger.activate());
	if (on.error) return [`can't be activated afterward: ${on.error.message}`];
	const uris = bench.account.webhooks.all().map(({ hook, uri }) => `${hook} ${uri}`);
	if (new Set(uris).size !== uris.length) return ['a webhook is registered twice'];
	const off = await resultOf(deactivate(trigger));
	if (off.error) return [`can't be deactivated afterward: ${off.error.message}`];
	return bench.state() === before ? [] : ['something was left behind, or lost, at the PBX'];
}

function lifecycleSteps(section: string, type: string, parameters: INodeParameters): Step[] {
	const setUp = async (bench: Bench) => {
		const before = bench.state();
		const trigger = await bench.trigger(type, parameters);
		triggers.set(bench, { trigger, before });
		return trigger;
	};
	return [
		{
			...{ name: 'Activate', section, isOperation: false, undoes: true, recover },
			prepare: async (bench) => {
				const trigger = await setUp(bench);
				return async () => await resultOf(trigger.activate());
			},
		},
		{
			...{ name: 'Deactivate', section, isOperation: false, recover },
			prepare: async (bench) => {
				const trigger = await setUp(bench);
				await trigger.activate();
				return async () => await resultOf(deactivate(trigger));
			},
		},
	];
}

const poll: Step = {
	...{ name: 'Poll', section: 'Virtual PBX Call Record Trigger', isOperation: true },
	prepare: async (bench) => {
		const since = new Date(Date.now() - 3_600_000).toISOString();
		const poller = await makeRecordTrigger({
			type: 'virtualPbxRecordTrigger',
			credential: bench.credential,
			parameters: { event: 'newCallRecord', firstRun: 'since', since },
		});
		pollers.set(bench, poller);
		await poller.publish('init');
		return async () => {
			const items = (await poller.poll(1)) ?? [];
			return { items, error: poller.failures.splice(0)[0] };
		};
	},
	/** Checks that the next poll returns what the failed one didn't, without duplicates. */
	recover: async (bench, { items }) => {
		const next = (await pollers.get(bench)?.poll()) ?? [];
		const expected = items.length > 0 ? 0 : 1;
		return next.length === expected ? [] : [`the next poll returned ${next.length} records`];
	},
};

/** Lifecycle steps of the triggers that send requests to the PBX. */
export const triggerSteps: Step[] = [
	...lifecycleSteps('Virtual PBX Trigger', 'virtualPbxTrigger', { events: ['answered', 'ended'] }),
	...lifecycleSteps('Virtual PBX Call Routing Trigger', 'virtualPbxRoutingTrigger', {
		responseMode: 'lastNode',
		callflowId: { __rl: true, mode: 'id', value: 'callflow-one' },
		fallback: { step: [{ type: 'voicemail', extension: '100' }] },
	}),
	poll,
];
