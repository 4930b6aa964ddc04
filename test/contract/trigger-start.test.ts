import { forgetSecret } from '../../nodes/VirtualPbx/triggers/callEvent/registration/state';
import type { TestTrigger } from '../support/core';
import { TriggerBench } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended'] };
const PLAIN = { ...EVENTS, options: { pingsItself: false } };

let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

const faults = () => bench.sandbox.pbx.faults;
const slow = (seconds: number) => faults().add({ kind: 'latency', path: '*/webhooks*', seconds });
const all = (trigger: TestTrigger) => bench.at(trigger.url());
const states = (trigger: TestTrigger) =>
	all(trigger)
		.map(({ hook, enabled }) => (enabled ? hook : `${hook} off`))
		.sort();
const active = async (parameters: object = PLAIN) => {
	const trigger = await bench.trigger(parameters as never);
	await trigger.activate();
	bench.addForeign(trigger);
	return trigger;
};
/** n8n was stopped meanwhile: what its process knew is gone. */
const restart = async (trigger: TestTrigger) => {
	forgetSecret(trigger.url());
	await trigger.activate('init');
};
const switchOff = (trigger: TestTrigger) => {
	for (const one of all(trigger)) bench.store.put({ ...one, enabled: false });
};

describe('n8n’s start, with webhooks that were switched off meanwhile', () => {
	it.each([0.45, 1, 1.4])(
		'goes on at a PBX that takes %d s for each answer, and the first check makes all right',
		async (seconds) => {
			const trigger = await active();
			switchOff(trigger);
			for (const hook of ALL) bench.add({ uri: trigger.url('test'), hook: hook as never });
			slow(seconds);
			const began = Date.now();
			await restart(trigger);
			expect(Date.now() - began).toBeLessThan(4500);
			faults().clear();
			await trigger.pass(1);
			expect(states(trigger)).toEqual(ALL);
			expect(bench.hooks(trigger, 'test')).toEqual([]);
			bench.expectForeignUntouched();
			await trigger.deactivate();
			expect(all(trigger)).toEqual([]);
		},
	);

	it('leaves to the first check also where no further ones are wanted', async () => {
		const trigger = await active({ ...EVENTS, options: { checkMinutes: 0 } });
		switchOff(trigger);
		slow(1);
		await restart(trigger);
		expect(states(trigger)).toEqual(ALL.map((hook) => `${hook} off`));
		faults().clear();
		await trigger.pass(1);
		expect(states(trigger)).toEqual(ALL);
		const before = bench.sandbox.pbx.requests.list().length;
		await trigger.pass(100);
		expect(bench.sandbox.pbx.requests.list()).toHaveLength(before);
	});

	it('makes right at once what a PBX that answers fast lets it', async () => {
		const trigger = await active();
		switchOff(trigger);
		await restart(trigger);
		expect(states(trigger)).toEqual(ALL);
		expect(trigger.staticData.shown).toEqual(
			Object.fromEntries(all(trigger).map(({ id }) => [id, expect.any(String)])),
		);
	});

	it('still registers a trigger of which nothing is recorded, however slow the PBX is', async () => {
		const trigger = await bench.trigger({ events: ['ended'], options: { pingsItself: false } });
		slow(0.8);
		await trigger.activate('init');
		expect(states(trigger)).toEqual(['channel_destroy']);
	});

	it.each([400, 403, 500, 503])(
		'keeps the healthy ones where the PBX refuses to make another with %d, and goes on trying',
		async (status) => {
			const trigger = await active();
			const [lost, ...healthy] = all(trigger);
			if (lost) bench.store.remove(lost.id);
			const fault = { kind: 'status', method: 'PUT', path: '*/webhooks', status } as const;
			faults().add(fault);
			await restart(trigger);
			expect(all(trigger)).toEqual(healthy);
			await trigger.pass(1);
			expect(all(trigger)).toEqual(healthy);
			expect(trigger.log).toEqual([
				expect.stringMatching(/could not be repaired: Call .* no longer registered/),
			]);
			faults().clear();
			await trigger.pass(5);
			expect(states(trigger)).toEqual(ALL);
			bench.expectForeignUntouched();
		},
	);

	it('takes back what the PBX does not keep', async () => {
		const trigger = await active();
		const [lost, ...healthy] = all(trigger);
		if (lost) bench.store.remove(lost.id);
		faults().add({ kind: 'webhook-disable', method: 'PUT', path: '*/webhooks' });
		await restart(trigger);
		expect(all(trigger)).toEqual(healthy);
	});
});
