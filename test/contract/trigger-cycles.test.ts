import { TriggerBench } from '../support/trigger';
import type { Webhook } from '../support/trigger';
import { BOTH_WAYS } from '../support/core';
import type { TestTrigger } from '../support/core';
import { times } from '../support/release';
import type { EventValue } from '../../nodes/VirtualPbx/events/table';
import { hooksOf } from '../../nodes/VirtualPbx/events/table';

const CYCLES = times(30, 500);

/** Pseudo-random numbers that are the same in every run. */
function dice(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
}

describe('many activations and deactivations with faults between', () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	beforeAll(async () => {
		bench = await TriggerBench.start();
		trigger = await bench.trigger();
		bench.addForeign(trigger);
	});
	afterAll(async () => await bench.close());

	const roll = dice(20_261_120);
	const any = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
	const own = (): Webhook | undefined => any(bench.at(trigger.url()));
	let events: EventValue[] = ['ended'];

	/** What may happen to webhooks, to n8n and to the network while a workflow is active. */
	const FAULTS: Array<() => void | Promise<void>> = [
		() => undefined,
		() => bench.store.remove(own()?.id ?? ''),
		() => edit({ enabled: false, disable_reason: 'too many failed attempts' }),
		() => edit({ hook: any(['channel_create', 'channel_answer', 'channel_destroy'] as const) }),
		() => edit({ http_verb: 'get', retries: 0 }),
		() => edit({ custom_data: undefined }),
		() => void bench.add({ ...own(), uri: trigger.url(), id: `double-${roll(1e9)}` }),
		() => choose(),
		() =>
			void bench.sandbox.pbx.change({
				webhook_list: any(['full', 'without_uri', 'brief'] as const),
			}),
		() => void bench.sandbox.pbx.change({ page_size: roll(4) }),
		() => bench.sandbox.pbx.tokens.expire() as unknown as void,
		() =>
			fail({
				kind: 'status',
				method: 'PUT',
				path: '*/webhooks',
				status: 500,
				skip: roll(3),
				times: 1,
			}),
		() =>
			fail({
				kind: 'drop',
				method: 'PUT',
				path: '*/webhooks',
				when: 'after',
				skip: roll(3),
				times: 1,
			}),
		() =>
			fail({
				kind: 'status',
				method: 'GET',
				path: '*/webhooks',
				status: 503,
				times: 1,
				headers: { 'retry-after': '0' },
			}),
		() => fail({ kind: 'status', method: 'DELETE', status: 404, when: 'after', times: 1 }),
		() => fail({ kind: 'drop', method: 'DELETE', when: 'after', times: 1 }),
		() => fail({ kind: 'truncate', method: 'GET', path: '*/webhooks/*', times: 1 }),
		() => fail({ kind: 'webhook-delete', method: 'PUT', path: '*/webhooks', times: 1 }),
	];

	function edit(changes: object): void {
		const webhook = own();
		if (webhook) bench.store.put({ ...webhook, ...changes });
	}

	function fail(fault: Parameters<typeof bench.sandbox.pbx.faults.add>[0]): void {
		bench.sandbox.pbx.faults.add(fault);
	}

	function choose(): void {
		const some = (['started', 'answered', 'ended', 'missed'] as const).filter(() => roll(2) === 0);
		events = some.length > 0 ? [...some] : ['ended'];
		trigger.setParameters({ events });
	}

	it(`leave no orphan, no double, and no foreign webhook touched after ${CYCLES} cycles`, async () => {
		let failed = 0;
		for (let cycle = 0; cycle < CYCLES; cycle++) {
			choose();
			trigger.way = any(BOTH_WAYS);
			const isActive = await trigger.activate().then(
				() => true,
				() => false,
			);
			if (!isActive) {
				failed++;
				expect([cycle, bench.hooks(trigger)]).toEqual([cycle, []]);
				bench.sandbox.pbx.faults.clear();
				continue;
			}
			for (let harm = roll(3); harm > 0; harm--) await any(FAULTS)();
			if (roll(2) === 0) {
				await trigger.restart();
				await trigger.pass(1);
				// What may pass is tried again a minute later.
				bench.sandbox.pbx.faults.clear();
				await trigger.pass(5);
				expect([cycle, bench.hooks(trigger)]).toEqual([cycle, hooksOf(events).sort()]);
				expect([cycle, bench.secrets(trigger)]).toEqual([cycle, [expect.any(String)]]);
			}
			await trigger.deactivate();
			expect([cycle, bench.hooks(trigger)]).toEqual([cycle, []]);
			if (roll(3) > 0) bench.sandbox.pbx.faults.clear();
		}
		bench.expectForeignUntouched();
		expect(bench.store.all()).toHaveLength(6);
		expect(failed).toBeLessThan(CYCLES / 5);
	}, 120_000);
});
