import { setTimeout as sleep } from 'node:timers/promises';
import type { TestTrigger } from '../support/core';
import { IS_RELEASE, times } from '../support/release';
import { TriggerBench } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended'] };

const ROUNDS = times(5, 40);

/** Pseudo-random numbers that are the same in every run. */
function dice(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
}

/** What a PBX under load does to a few requests. */
function fault(roll: (sides: number) => number) {
	const any = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
	const where = {
		path: any(['*/webhooks*', '*/webhooks', '*']),
		method: any(['GET', 'PUT', 'DELETE'] as const),
		skip: roll(3),
		times: 1 + roll(3),
	};
	return any([
		{ kind: 'latency', seconds: (50 + roll(600)) / 1000, ...where },
		{ kind: 'status', status: any([500, 503, 429]), ...where },
		{ kind: 'status', status: 500, when: 'after', ...where },
		{ kind: 'drop', when: any(['before', 'after'] as const), ...where },
	] as const);
}

describe('what overlaps', () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	beforeEach(async () => void (trigger = await bench.trigger(EVENTS)));
	afterEach(async () => await bench.clear());
	afterAll(async () => await bench.close());

	const slow = (seconds: number, more: object = {}) =>
		bench.sandbox.pbx.faults.add({ kind: 'latency', path: '*/webhooks*', seconds, ...more });

	/** As n8n publishes a new version of an active workflow. */
	async function publish(): Promise<void> {
		await trigger.deactivate();
		await sleep(20);
		await trigger.activate('update');
	}

	it.each(IS_RELEASE ? [0, 0.15, 0.4, 0.9] : [0, 0.4])(
		'leaves nothing when a workflow is deactivated while a new version is published (latency %d s)',
		async (seconds) => {
			await trigger.activate();
			if (seconds > 0) slow(seconds);
			for (const delay of [0, seconds * 500, seconds * 2000]) {
				const publishing = publish();
				await sleep(delay);
				await trigger.deactivate();
				await publishing;
				expect([delay, bench.hooks(trigger)]).toEqual([delay, []]);
				bench.sandbox.pbx.faults.clear();
				await trigger.activate();
				expect([delay, bench.hooks(trigger)]).toEqual([delay, ALL]);
				if (seconds > 0) slow(seconds);
			}
		},
		60_000,
	);

	it('hears when a new version is published while the workflow is still deactivated', async () => {
		await trigger.activate();
		slow(0.3);
		const deactivation = trigger.deactivate();
		await sleep(50);
		await publish();
		await deactivation;
		expect(bench.hooks(trigger)).toEqual(ALL);
	}, 30_000);

	it('hears when new versions are published one upon the other', async () => {
		await trigger.activate();
		slow(0.2);
		const first = publish();
		await sleep(100);
		await Promise.all([first, publish()]);
		expect(bench.hooks(trigger)).toEqual(ALL);
	}, 30_000);

	it('ends a deactivation soon although the activation before it hangs', async () => {
		slow(40, { method: 'PUT', skip: 1, times: 1 });
		const activation = trigger.activate();
		while (bench.hooks(trigger).length === 0) await sleep(20);
		await sleep(100);
		const begin = Date.now();
		await trigger.deactivate();
		expect(Date.now() - begin).toBeLessThan(30_000);
		await activation;
		expect(bench.hooks(trigger)).toEqual([]);
	}, 60_000);

	it('leaves nothing, or says what, when n8n starts and a person deactivates on a PBX that fails', async () => {
		const roll = dice(20_261_122);
		for (let round = 0; round < ROUNDS; round++) {
			if (roll(2) === 0) await trigger.activate().catch(() => undefined);
			for (let count = roll(4); count > 0; count--) bench.sandbox.pbx.faults.add(fault(roll));
			const told = trigger.log.length;
			const activation = trigger.activate(roll(2) === 0 ? 'init' : 'update').catch(() => undefined);
			await sleep(roll(400));
			await trigger.deactivate();
			await activation;
			const stays = bench.hooks(trigger);
			const isTold = trigger.log
				.slice(told)
				.some((line) => line.includes('may still be registered'));
			expect([round, stays, isTold]).toEqual([round, isTold ? stays : [], isTold]);

			bench.sandbox.pbx.faults.clear();
			await trigger.activate();
			expect([round, bench.hooks(trigger)]).toEqual([round, ALL]);
			await trigger.deactivate();
			expect([round, bench.hooks(trigger)]).toEqual([round, []]);
		}
	}, 300_000);

	it('lets an activation that was overtaken fail in silence', async () => {
		slow(0.5, { method: 'GET', times: 1 });
		const activation = trigger.hook('checkExists', 'init');
		await sleep(100);
		await trigger.deactivate();
		expect(await activation).toBe(true);
		expect(bench.hooks(trigger)).toEqual([]);
	});
});
