import { drawBurst, drawNeeds } from '../../../tools/sizing/charts';
import type { Checked, One } from '../../../tools/sizing/check';
import { compareAll, shapeOf } from '../../../tools/sizing/compare';
import type { Measured } from '../../../tools/sizing/measured';
import { basisOf, findNeeds, USES } from '../../../tools/sizing/need';
import type { Need, Rhythm, Use } from '../../../tools/sizing/need';
import { checkPart, needsPart } from '../../../tools/sizing/pages';

const cost = { main: 0, webhook: 38, worker: 37, postgres: 8, redis: 1 };
const MEASURED: Measured = {
	mode: 'queue',
	engine: 'vm',
	pool: 1,
	saved: false,
	limit: 10,
	perSecond: 20,
	event: cost,
	question: cost,
	answer: { p50: 80, p99: 120 },
	memory: {
		main: { rest: 300, peak: 1024 },
		webhook: { rest: 300, peak: 512 },
		worker: { rest: 300, peak: 256 },
	},
	rows: 5,
};
const BASIS = basisOf(MEASURED, { before: 0.8, scatter: 0.2 });
const [ended, , routing] = USES as [Use, Use, Use];

function needOf(use: Use, rhythm: Rhythm, rate: number, mostCores?: number): Need {
	return findNeeds(BASIS, { use, rhythm, rates: [rate] }, mostCores)[0] as Need;
}

describe('what calls need', () => {
	it('is the work of both legs by the busy part, with memory, cores, and rows', () => {
		expect(needOf(ended, 'even', 100)).toMatchObject({
			// 7.6 and 3.7 cores of work, busy for 90 % at most.
			webhooks: 9,
			workers: 5,
			// PostgreSQL takes 0.8 cores and Redis 0.1, busy for 60 %; the main process takes one.
			cores: 1 + 9 + 5 + 2 + 1,
			memory: Math.ceil(1 + 9 / 2 + 5 / 4),
			rows: 500,
			part: 1,
		});
	});

	it('is more with bursts, and the callers who wait for an answer need more of both', () => {
		const need = needOf(routing, 'bursts', 30);

		expect(need.webhooks).toBeGreaterThan(needOf(routing, 'even', 30).webhooks);
		expect(need.workers).toBeGreaterThan(needOf(routing, 'even', 30).workers);
		expect(need.answer.p99).toBeLessThan(1000);
	});

	it('can be told of many calls from a part of them', () => {
		const whole = needOf(ended, 'bursts', 100);
		const part = needOf(ended, 'bursts', 100, 2);

		expect(part.part).toBeCloseTo(2 / 7.6);
		expect(part.webhooks / whole.webhooks).toBeCloseTo(1, 0);
	});
});

describe('the check of the model', () => {
	const at20 = { perSecond: 3, seconds: 30 };
	const watched = {
		sent: 90,
		answers: { 200: 90 },
		p50: 200,
		p99: 600,
		waiting: { p50: 1, p99: 50 },
	};
	const one: One = {
		cost,
		idle: { main: 0, webhook: 50, worker: 50, postgres: 0, redis: 0 },
		alone: { p50: 156, p99: 200 },
	};
	const checkOf = (count: number): Checked => ({
		engine: 'vm',
		count,
		share: 0.25,
		...(count === 1 && { one }),
		perSecond: (200 / 38) * count,
		workedOff: (200 / 38) * count,
		steady: { ...watched, traffic: at20, bySecond: [200, 210] },
		burst: { ...watched, traffic: { ...at20, burst: { at: 10, times: 10 } }, bySecond: [200, 210] },
	});
	const stamp = {
		date: '2026-11-21',
		versions: { package: '1', n8n: '2', 'Node of n8n': '3', 'Node of the bench': '4' },
		machine: 'one',
		seconds: 300,
	};
	const checks = [checkOf(1), checkOf(2)].map((one) => ({ ...stamp, ...one }));

	it('takes from one event at a time how much is done before the answer', () => {
		// 152 ms without the database at a fifth of a core are 30.4 ms.
		expect(shapeOf(one, 0.25).before).toBeCloseTo(0.8);
	});

	it('foretells more processes from the costs of one', () => {
		const ratios = compareAll(checks).filter(({ what }) => what === 'events a second');

		expect(ratios.map(({ count }) => count)).toEqual([1, 2]);
		for (const { ratio } of ratios) expect(ratio).toBeCloseTo(1, 0);
	});

	it('has nothing to say without a check of one process', () => {
		expect(compareAll([checkOf(2)])).toEqual([]);
	});

	it('is told on the page, with the error and the chart', () => {
		expect(checkPart(checks)).toMatch(
			/\| events a second +\| [\d.]+ \/ [\d.]+ = \*\*[\d.]+\*\* +\|/,
		);
		expect(checkPart(checks)).toMatch(/is [\d.]+ to [\d.]+ for events a second/);
		expect(drawBurst(checks)).toContain('2 webhook processes, model');
	});
});

describe('the page of needs', () => {
	const need: Need = {
		engine: 'vm',
		use: ended.name,
		rhythm: 'even',
		rate: 1000,
		webhooks: 85,
		workers: 42,
		cores: 145,
		memory: 60,
		rows: 5000,
		answer: { p50: 50, p99: 200 },
		waiting: 0,
		part: 0.5,
	};
	const needs: Need[] = [need, { ...need, rhythm: 'bursts', webhooks: 380 }];

	it('has a row for each rate, evenly and with bursts', () => {
		expect(needsPart(needs).replaceAll(/ +/g, ' ')).toContain(
			'| 1,000 | 85 / 380 | 42 / 42 | 145 / 145 | 60 / 60 | 5,000 |',
		);
		expect(drawNeeds(needs)).toContain('Default engine: workers');
	});
});
