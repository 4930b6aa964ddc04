import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findLeaks, readSecrets } from '../../support/e2e/secrets';

const TOKEN = 'f'.repeat(64);
let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-secrets-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('the search for secrets', () => {
	it('names the file and kind, and strikes the secret itself out', async () => {
		mkdirSync(path.join(folder, 'binaryData/deep'), { recursive: true });
		writeFileSync(path.join(folder, 'binaryData/deep/file'), `\u0000\u0001before ${TOKEN} after`);
		writeFileSync(path.join(folder, 'n8n.log'), 'login demo with demo-password failed');
		const list = path.join(folder, 'list');
		writeFileSync(list, `token\t${TOKEN}\n`);
		const secrets = readSecrets(list);
		rmSync(list);

		const leaks = await findLeaks(folder, secrets);
		expect(leaks).toHaveLength(2);
		expect(leaks).toEqual(
			expect.arrayContaining([
				{ kind: 'token', place: path.join('binaryData/deep/file'), around: ' before *** after' },
				expect.objectContaining({ kind: 'password', place: 'n8n.log' }),
			]),
		);
	});

	it('finds nothing where nothing is', async () => {
		writeFileSync(path.join(folder, 'n8n.log'), 'all is well');
		expect(await findLeaks(folder, readSecrets(path.join(folder, 'none')))).toEqual([]);
	});
});
