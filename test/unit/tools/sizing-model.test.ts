import { randomExponential, randomLcg } from 'd3-random';
import { Clock } from '../../../tools/sizing/clock';
import { quantiles, simulate } from '../../../tools/sizing/model';
import type { Plant, Work } from '../../../tools/sizing/model';
import { Pool } from '../../../tools/sizing/pool';
import { drawTimes, SEED } from '../../../tools/sizing/traffic';

const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;

describe('a line before servers', () => {
	const LOAD = 0.7;
	const CUSTOMERS = 300_000;

	/** How long one waits on average, where a service takes a second on average. */
	function meanWait(servers: number, service: () => number): number {
		const clock = new Clock();
		const pool = new Pool(clock, servers, 1);
		const traffic = { perSecond: LOAD * servers, seconds: CUSTOMERS / LOAD / servers };
		const waits: number[] = [];
		for (const at of drawTimes(traffic, SEED))
			clock.after(at, () =>
				pool.enter((one) => {
					waits.push(clock.now - at);
					clock.after(service(), () => pool.leave(one));
				}),
			);
		clock.run();
		return mean(waits);
	}

	it.each([
		['M/M/1', 1, randomExponential.source(randomLcg(0.1))(1), LOAD / (1 - LOAD)],
		['M/D/1', 1, () => 1, LOAD / 2 / (1 - LOAD)],
		// Erlang C of 5 servers at 70 % is 0.3784.
		['M/M/5', 5, randomExponential.source(randomLcg(0.2))(1), 0.3784 / (5 * (1 - LOAD))],
	])('waits as queueing theory says: %s', (_, servers, service, expected) => {
		const ratio = meanWait(servers, service) / expected;

		expect(ratio).toBeGreaterThan(0.95);
		expect(ratio).toBeLessThan(1.05);
	});
});

describe('arrivals', () => {
	it('come as often as asked, and in a burst so many times as often', () => {
		const times = drawTimes({ perSecond: 1000, seconds: 100, burst: { at: 50, times: 10 } }, SEED);
		const inBurst = times.filter((at) => at >= 50 && at < 51).length;

		expect(inBurst / 10_000).toBeCloseTo(1, 1);
		expect((times.length - inBurst) / 99_000).toBeCloseTo(1, 1);
	});
});

describe('the model of n8n', () => {
	const work: Work = {
		before: 30,
		after: 8,
		worker: 37,
		database: 8,
		answers: 'webhook',
		scatter: 0,
	};
	const plant: Plant = { webhooks: 1, workers: 1 };
	const every = (seconds: number, count: number) =>
		Array.from({ length: count }, (_, i) => i * seconds);

	it('answers an event alone after its work and its waiting for the database', () => {
		const { answers, waiting, refused } = simulate(plant, work, { times: every(1, 10), legs: 1 });

		expect(quantiles(answers)).toEqual({ p50: 34, p99: 34 });
		expect(quantiles(waiting)).toEqual({ p50: 9.25, p99: 9.25 });
		expect(refused).toBe(0);
	});

	it('answers a question after the work of both', () => {
		const question: Work = { ...work, answers: 'worker' };
		const { answers } = simulate(plant, question, { times: [0], legs: 1 });

		expect(answers[0]).toBeCloseTo(30 + 4 + 37 + 4 + 8);
	});

	it('starts one execution for both legs of a call', () => {
		const { answers, waiting } = simulate(plant, work, { times: every(1, 10), legs: 2 });

		expect(answers).toHaveLength(20);
		expect(waiting).toHaveLength(10);
	});

	it.each([
		['a core each', {}, 1000 / 38],
		['a quarter of a core each', { share: { webhook: 0.25, worker: 0.25 } }, 250 / 38],
		['one core for all', { cores: 1 }, 1000 / (38 + 37)],
	])('takes what its cores can, and refuses what waits too long: %s', (_, cores, perSecond) => {
		const times = drawTimes({ perSecond: perSecond * 3, seconds: 60 }, SEED);
		const { answers, refused, arrivals } = simulate({ ...plant, ...cores }, work, {
			times,
			legs: 1,
		});
		const answered = answers.filter((ms, i) => (arrivals[i] ?? 0) + ms / 1000 < 60).length;

		expect(answered / 60 / perSecond).toBeCloseTo(1, 1);
		expect(refused).toBeGreaterThan(0);
		// 6 seconds before the front door, and 8 places behind it.
		expect(Math.max(...answers)).toBeLessThan(6000 + (9 * 1000) / perSecond + 1000);
	});
});
