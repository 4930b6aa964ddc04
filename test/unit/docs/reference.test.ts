import { makeReference } from '../../../tools/docs/reference';
import { outputSchemas } from '../../../tools/docs/schemas';
import { read } from './markdown';

describe('generated files match the code (otherwise: npm run docs)', () => {
	it.each([...outputSchemas()])('%s', (file, text) => {
		expect(read(file)).toBe(text);
	});

	it('the reference', async () => {
		for (const [file, text] of await makeReference()) expect(read(file)).toBe(text);
	});
});
