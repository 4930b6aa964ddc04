import { readFileSync } from 'node:fs';
import path from 'node:path';

import { makeReference } from '../../../tools/docs/reference';
import { ROOT } from '../../../tools/docs/registered';
import { ROOMS_PAGE, roomsPage } from '../../../tools/docs/rooms';
import { WORKFLOWS_PAGE, workflowsPage } from '../../../tools/docs/workflows';
import { outputSchemas } from '../../../tools/docs/schemas';

describe('what is generated is what the code says now (otherwise: npm run docs)', () => {
	const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

	it.each([...outputSchemas()])('%s', (file, text) => {
		expect(read(file)).toBe(text);
	});

	it('the reference', async () => {
		for (const [file, text] of await makeReference()) expect(read(file)).toBe(text);
	});

	it('the picture of the rooms', () => {
		expect(read(ROOMS_PAGE)).toBe(roomsPage());
		expect(read(WORKFLOWS_PAGE)).toBe(workflowsPage());
	});
});
