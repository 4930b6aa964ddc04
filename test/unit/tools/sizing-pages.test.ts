import { readFileSync } from 'node:fs';
import { chartFile, drawCharts, intoPage, PAGES } from '../../../tools/sizing/document';

describe('the pages on sizing', () => {
	it.each(PAGES)('%s has the figures of the stored runs', (file) => {
		const page = readFileSync(file, 'utf8');

		expect(page).toMatch(/\| 10,000 +\|/);
		expect(intoPage(page)).toBe(page);
	});

	it.each(Object.entries(drawCharts()))(
		'the chart %s is that of the stored runs',
		(name, chart) => {
			expect(readFileSync(chartFile(name), 'utf8')).toBe(chart);
		},
	);
});
