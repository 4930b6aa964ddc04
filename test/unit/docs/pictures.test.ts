import { readdirSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';
import { ownTexts, readShown } from '../../../tools/pictures/shown';

describe('the pictures', () => {
	const shown = readShown();

	it('are all noted with what they show (otherwise: npm run pictures)', () => {
		const pictures = readdirSync(path.join(ROOT, 'docs/pictures'));

		const noted = Object.keys(shown).map((name) => `${name}.png`);
		expect(noted.sort()).toEqual(pictures.sort());
	});

	it.each(Object.entries(shown))(
		'%s shows only texts that the nodes have now (otherwise: npm run pictures)',
		async (_name, texts) => {
			const own = await ownTexts();

			expect(texts.filter((text) => !own.has(text))).toEqual([]);
		},
	);

	it('show the nodes, actions and fields', () => {
		expect(shown['node-panel']).toContain('Virtual PBX Routing Trigger');
		expect(shown.callflow).toContain('Web Service URL');
		expect(shown.credential).toContain('Base URL');
	});
});
