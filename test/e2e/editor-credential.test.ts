import { freePort } from '../../tools/free-port';
import { CredentialDialog } from '../../tools/browser/credential-dialog';
import { openEditor } from '../support/e2e/editor';
import type { EditorBench } from '../support/e2e/editor';

describe("the credential's dialog in n8n's editor", () => {
	let bench: EditorBench;
	let dialog: CredentialDialog;

	beforeAll(async () => {
		bench = await openEditor();
		dialog = await CredentialDialog.create(bench.editor, 'Virtual PBX API');
	});
	afterAll(async () => await bench.close());

	it('says for a wrong password that the PBX does not accept the login', async () => {
		await dialog.fill({ ...bench.pbx.account, password: 'wrong' });

		expect(await dialog.saveAndTest()).toContain(
			'The PBX does not accept the login, password or realm',
		);
	});

	it('says for a dead host that nothing answers there', async () => {
		await dialog.fill({ baseUrl: `http://127.0.0.1:${await freePort()}` });

		expect(await dialog.saveAndTest()).toMatch(
			/Couldn't log in to the PBX: .* refuses the connection/,
		);
	});

	it('saves, and says that the connection works', async () => {
		await dialog.fill(bench.pbx.account);

		expect(await dialog.saveAndTest()).toContain('Connection tested successfully');
	});

	it('shows no token and no account ID among its fields', async () => {
		expect(await bench.editor.parameter('authToken').count()).toBe(0);
		expect(await bench.editor.parameter('accountId').count()).toBe(0);
	});
});
