import { readFileSync } from 'node:fs';
import path from 'node:path';

import { RESOURCES } from '../../../nodes/VirtualPbx/operations';
import { makeReference, REFERENCE_FILE } from '../../../tools/docs/reference';
import { readManifest, registeredNodes, ROOT } from '../../../tools/docs/registered';

describe('docs/reference.md', () => {
	it('is what the code says now (otherwise: npm run docs)', async () => {
		const committed = readFileSync(path.join(ROOT, REFERENCE_FILE), 'utf8');
		expect(committed).toBe(await makeReference());
	});

	it('names every node, operation and input', async () => {
		const text = await makeReference();
		for (const { description } of await registeredNodes()) {
			expect(text).toContain(`${readManifest().name}.${description.name}`);
			for (const { name, type } of description.properties) {
				const isNamed =
					type === 'hidden' || type === 'notice' || /^(resource|operation)$/.test(name);
				expect([name, isNamed || text.includes(`\`${name}\``)]).toEqual([name, true]);
			}
		}
		for (const { name, operations } of RESOURCES) {
			for (const operation of operations) expect(text).toContain(`#### ${name}: ${operation.name}`);
		}
	});
});
