import type { Locator } from 'playwright-core';

import type { Editor } from './editor';

/** The dialog of a credential. */
export class CredentialDialog {
	private constructor(private readonly editor: Editor) {}

	/** Opens the dialog for a new credential of a type, by the type's display name. */
	static async create(editor: Editor, type: string): Promise<CredentialDialog> {
		await editor.goto('home/credentials/create');
		await editor.part('new-credential-type-select').locator('input').fill(type);
		await editor.part('new-credential-type-select-option').filter({ hasText: type }).click();
		await editor.part('new-credential-type-button').click();
		await editor.part('credential-save-button').waitFor();
		return new CredentialDialog(editor);
	}

	/** Fills text fields by parameter name. */
	async fill(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			await this.editor.parameter(name).locator('input').fill(value);
		}
	}

	/** Saves it, which also tests it; gives what the dialog says about the connection, with its details. */
	async saveAndTest(): Promise<string> {
		const tested = this.editor.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.editor.part('credential-save-button').locator('button:visible').click();
		await tested;
		return await this.result();
	}

	private async result(): Promise<string> {
		const success = this.banner('Connection tested successfully');
		const failure = this.banner('Couldn’t connect with these settings');
		await success.or(failure).first().waitFor();
		if (await success.isVisible()) return await success.innerText();
		const more = this.banner('More details');
		if (await more.isVisible()) await more.click();
		const details = this.editor.page.locator('.el-dialog:visible');
		return await details.innerText();
	}

	private banner(text: string): Locator {
		return this.editor.page.getByText(text).locator('visible=true');
	}
}
