import { readFileSync } from 'node:fs';
import path from 'node:path';
import { intoSizing, SIZING_FILE, storedRuns } from '../../../tools/bench/sizing';
import { intoPage, readPage } from '../../../tools/endurance/page';
import { ROOT } from '../../../tools/n8n';

describe('the figures of what n8n keeps', () => {
	it('are those of the stored runs', () => {
		const page = readPage();

		expect(page).toContain('**got 200 but have no execution**');
		expect(page).toContain('| **calls lost**: from neither trigger | **0** |');
		expect(intoPage(page)).toBe(page);
	});
});

describe('the numbers of processes in queue mode', () => {
	const page = readFileSync(path.join(ROOT, SIZING_FILE), 'utf8');

	it('are those that follow from the stored measurement', () => {
		expect(page).toMatch(/\| only a routing request/);
		expect(intoSizing(page, storedRuns())).toBe(page);
	});

	it('follow the model: what is asked a second, by its time, at 60 % of each process', () => {
		const figure = (what: string, ours: number) => ({
			...{ what, against: '', unit: 'ms', theirs: 1, ratio: 1, rounds: 1 },
			ours,
			spread: [1, 1] as [number, number],
		});
		const claims = [
			figure('events: processor time of webhook processes', 30),
			figure('events: processor time of workers', 60),
			figure('questions: processor time of webhook processes', 60),
			figure('questions: processor time of workers', 120),
		];
		const empty = '<!-- sizing -->\n<!-- /sizing -->';
		const sized = intoSizing(empty, [{ engine: 'any', claims }]);

		expect(sized).toContain('| one event, such as Call Ended | 1 | 1 | 100 | 100 |');
		expect(sized).toContain('| only a routing request | 1 | 2 | 100 | 200 |');
	});
});
