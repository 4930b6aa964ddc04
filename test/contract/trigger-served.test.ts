import { nodeRuntimes } from '../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { startCallflowPbx } from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import type { TestTrigger } from '../support/core';
import { TriggerBench } from '../support/trigger';

/** Of the option Check Every. */
const ONE_CHECK = 5;

let events: TriggerBench;
let callflows: CallflowPbx;
let trigger: TestTrigger;
beforeAll(async () => {
	events = await TriggerBench.start();
	callflows = await startCallflowPbx();
});
beforeEach(() => callflows.reset());
afterEach(async () => {
	await trigger.close();
	await events.clear();
});
afterAll(async () => {
	await callflows.close();
	await events.close();
});

const kinds = [
	['event', async () => await events.trigger()],
	['routing', async () => await callflows.makeTrigger()],
] as const;

describe.each(kinds)('a published %s trigger', (_, make) => {
	beforeEach(async () => (trigger = await make()));

	it.each([404, 200] as const)(
		'reports once that n8n answers %d in its place, and that it is back',
		async (status) => {
			await trigger.activate();
			trigger.answersInstead = status;
			await trigger.pass(ONE_CHECK);
			expect(trigger.reported).toEqual([]);
			await trigger.pass(1);
			expect(trigger.log).toEqual([
				expect.stringContaining(`nothing listens at ${trigger.url()}, so calls don't start it.`),
			]);
			expect(trigger.reported).toMatchObject([
				{ description: expect.stringMatching(/^Unpublish .*publish it again/) },
			]);
			await trigger.pass(2 * ONE_CHECK);
			expect(trigger.reported).toHaveLength(1);
			trigger.answersInstead = undefined;
			await trigger.pass(1);
			expect(trigger.notes).toContainEqual(expect.stringContaining('serves'));
			expect(trigger.executions).toEqual([]);
		},
	);

	it('says nothing of an address that only was away for a moment, or that n8n cannot reach', async () => {
		await trigger.activate();
		trigger.answersInstead = 404;
		await trigger.pass(ONE_CHECK);
		trigger.answersInstead = 502;
		await trigger.pass(2 * ONE_CHECK);
		await trigger.close();
		await trigger.pass(2 * ONE_CHECK);
		expect([trigger.log, trigger.reported]).toEqual([[], []]);
	});

	it('reports that n8n never registered its webhook, though its schedule runs', async () => {
		await trigger.activate();
		const known = nodeRuntimes
			.values()
			.flatMap(({ endpoints }) => endpoints.production ?? [])
			.filter(({ url }) => url === trigger.url());
		const noted = known.map(({ activation }) => activation);
		for (const node of known) node.activation = undefined;
		await trigger.pass(2);
		expect(trigger.reported).toEqual([]);
		await trigger.pass(10);
		expect(trigger.log).toEqual([
			expect.stringContaining("hasn't registered this trigger's webhook"),
		]);
		expect(trigger.reported).toHaveLength(1);
		known.forEach((node, index) => (node.activation = noted[index]));
		await trigger.pass(1);
		expect(trigger.notes).toContainEqual(expect.stringContaining('has registered the webhook'));
	});
});
