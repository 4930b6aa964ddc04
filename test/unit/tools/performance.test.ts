import { readFileSync } from 'node:fs';
import path from 'node:path';
import { drawChart } from '../../../tools/bench/chart';
import { claim, inTurns, isMet, isRepeated } from '../../../tools/bench/measure';
import { makePage, PAGE_FILE, sectionsOf } from '../../../tools/bench/page';
import { RESULTS, withAgain } from '../../../tools/bench/results';
import { SLICES } from '../../../tools/bench/slices';
import { ROOT } from '../../../tools/n8n';

const STAMP = {
	date: '2026-11-21',
	versions: { package: '1', n8n: '2', 'Node of n8n': '3', 'Node of the bench': '4' },
	machine: 'one',
	seconds: 1,
};

describe('the page of the measurements', () => {
	const sections = sectionsOf(SLICES);

	it('is what its stored results make', () => {
		expect(readFileSync(path.join(ROOT, PAGE_FILE), 'utf8')).toBe(makePage(sections));
	});

	it.each(sections.map(({ slice, result }) => [slice.name, { slice, result }] as const))(
		'has the chart of the stored results: %s',
		(name, { slice, result }) => {
			const chart = readFileSync(path.join(RESULTS, `${name}.svg`), 'utf8');

			expect(chart).toBe(drawChart(slice.title, result.claims));
		},
	);
});

describe('a claim', () => {
	const about = { what: 'time', against: 'a rival', unit: 'ms' };
	const slice = { name: 'some', title: 'Some', advice: 'Do it.', method: 'Somehow.' };

	it('is the median of the ratios of rounds, with the range that is to be expected of another round', () => {
		expect(claim(about, [1, 4, 3], [2, 2, 3])).toMatchObject({
			ratio: 1,
			// 1, 2 and 0.5: t of 2 degrees at 99.5 % is 9.925, times ln 2 times the root of 4/3.
			spread: [0.000355, 2820],
			rounds: 3,
		});
		expect(claim(about, [3, 3, 3], [2, 2, 2]).spread).toEqual([1.5, 1.5]);
		expect(claim(about, [3], [2]).spread).toEqual([1.5, 1.5]);
	});

	it.each([
		[{ atMost: 1 }, true],
		[{ atMost: 0.9 }, false],
	])('with aim %j is met: %s', (aim, met) => {
		expect(isMet(claim({ ...about, aim }, [1], [1]))).toBe(met);
	});

	it.each([
		[0.5, true],
		[2, true],
		[0.49, false],
	])('is noted beside the %s of a second run, which repeats it: %s', (again, repeats) => {
		const first = { ...claim(about, [1, 4, 3], [2, 2, 3]), spread: [0.5, 2] as [number, number] };
		const stored = { claims: [first], ...STAMP };
		const { claims } = withAgain(stored, [{ ...claim(about, [1], [1]), ratio: again }]);

		expect(claims.map(isRepeated)).toEqual([repeats]);
		expect(makePage([{ slice, result: { ...stored, claims } }])).toContain(
			repeats ? '(0.5–2) |' : '(0.5–2, again 0.49) |',
		);
	});

	it('comes of rivals that take turns, after rounds to warm up', async () => {
		const ran: string[] = [];
		const rival = (name: string) => async () => ran.push(name);
		const figures = await inTurns({ a: rival('a'), b: rival('b') }, { rounds: 2 });

		expect(ran).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
		expect(figures).toEqual({ a: [3, 5], b: [4, 6] });
	});
});
