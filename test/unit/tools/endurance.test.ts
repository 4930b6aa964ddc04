import { readFileSync } from 'node:fs';
import { DOCUMENT, FRONT_DOOR, intoPage } from '../../../tools/endurance/page';

describe('the figures of what n8n keeps', () => {
	it('are those of the stored runs', () => {
		const pages = [DOCUMENT, FRONT_DOOR].map((page) => readFileSync(page, 'utf8'));

		expect(pages[0]).toMatch(/\*\*calls lost\*\*: from neither trigger +\| \*\*0\*\* +\|/);
		for (const page of pages) {
			expect(page).toContain('**got 200 but have no execution**');
			expect(intoPage(page)).toBe(page);
		}
	});
});
