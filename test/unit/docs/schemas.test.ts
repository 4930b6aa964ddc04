import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';
import { outputSchemas } from '../../../tools/docs/schemas';

describe('schemas of outputs', () => {
	it.each([...outputSchemas()])(
		'%s is what the code gives (otherwise: npm run docs)',
		(file, text) => {
			expect(readFileSync(path.join(ROOT, file), 'utf8')).toBe(text);
		},
	);

	it('hold the fields that workflows use', () => {
		const text = outputSchemas().get('nodes/VirtualPbx/__schema__/v1.0.0/cdr/getMany.json') ?? '';

		expect(JSON.parse(text)).toMatchObject({
			type: 'object',
			properties: {
				customerNumber: { type: 'string' },
				outcome: { type: 'string' },
				talkSeconds: { type: 'number' },
				recordingUrl: { type: 'string' },
			},
		});
	});
});
