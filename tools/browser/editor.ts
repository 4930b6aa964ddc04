import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

import { OWNER } from '../n8n';
import { openPage } from './launch';

const byTestId = (id: string) => `[data-test-id=${id}]`;

/** Drives n8n's editor in a browser, with methods named after what a user does. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Signs the owner in on a new page that can reach only this n8n URL. */
	static async open(
		browser: Browser,
		url: string,
		screen: BrowserContextOptions = {},
	): Promise<Editor> {
		const page = await openPage(browser, { viewport: { width: 1440, height: 900 }, ...screen });
		const { host } = new URL(url);
		await page.route(
			(target) => target.protocol.startsWith('http') && target.host !== host,
			async (route) => await route.abort(),
		);
		const editor = new Editor(page, url);
		await editor.goto('signin');
		await page.fill('input[name=emailOrLdapLoginId]', OWNER.email);
		await page.fill('input[name=password]', OWNER.password);
		await page.click(byTestId('form-submit-button'));
		await page.waitForURL(/home\/workflows/, { waitUntil: 'domcontentloaded' });
		return editor;
	}

	/** Opens a page of n8n by its path. */
	async goto(path: string): Promise<void> {
		await this.page.goto(`${this.url}/${path}`, { waitUntil: 'domcontentloaded' });
	}

	/** Returns an element by n8n's own test ID. */
	part(testId: string): Locator {
		return this.page.locator(byTestId(testId));
	}

	/** Opens a workflow's canvas and waits for its nodes. */
	async openWorkflow(id: string): Promise<void> {
		await this.goto(`workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Imports a workflow file into an empty canvas and returns the ID of the saved workflow. */
	async importFile(file: string): Promise<string> {
		await this.goto('workflow/new');
		await this.part('canvas-add-button').waitFor();
		await this.part('workflow-import-input').setInputFiles(file);
		await this.part('canvas-node').first().waitFor();
		await this.page.keyboard.press('Control+s');
		await this.page.waitForURL(/workflow\/(?!new)\w+/);
		return /workflow\/(\w+)/.exec(this.page.url())?.[1] ?? '';
	}

	/** Opens an empty canvas with the node panel. */
	async openPanel(): Promise<void> {
		await this.goto('workflow/new');
		await this.part('canvas-add-button').click();
	}

	/** Types into the search field of the node panel. */
	async searchPanel(words: string): Promise<void> {
		await this.part('node-creator-search-bar').fill(words);
	}

	/** Returns the names that the node panel lists. */
	async listedEntries(): Promise<string[]> {
		return await this.part('node-creator-item-name').allInnerTexts();
	}

	/** Returns an entry of the node panel by its full name. */
	entry(name: string): Locator {
		const entries = this.part('node-creator-item-name');
		return entries.filter({ hasText: new RegExp(`^${name}$`) }).first();
	}

	/** Opens the actions of the node whose page is open in the node panel. */
	async showActions(): Promise<void> {
		await this.part('node-creator-category-item').filter({ hasText: 'Actions' }).click();
	}

	/** Opens the parameters of a node by its name. */
	async openNode(name: string): Promise<void> {
		const node = this.page.locator(`${byTestId('canvas-node')}[data-node-name="${name}"]`);
		await node.first().dblclick();
		await this.part('ndv').waitFor();
	}

	/** Closes the parameters of the open node. */
	async closeNode(): Promise<void> {
		await this.part('ndv-close-button').locator('visible=true').first().click();
		await this.part('ndv').waitFor({ state: 'hidden' });
	}

	/** Returns the input of a parameter in the open node or credential. */
	parameter(name: string): Locator {
		return this.part(`parameter-input-${name}`);
	}

	/** Selects an option of a drop-down parameter by its full label. */
	async choose(name: string, label: string): Promise<void> {
		await this.parameter(name).click();
		const option = this.page.locator('.el-select-dropdown__item:visible');
		const wanted = this.page.getByText(label, { exact: true });
		await option.filter({ has: wanted }).first().click();
	}

	/** Searches the list of a resource locator, opening it if needed, and returns the names found. */
	async searchList(name: string, words: string): Promise<string[]> {
		const search = this.part('rlc-search').locator('visible=true');
		if ((await search.count()) === 0) {
			await this.parameter(name).locator(byTestId('rlc-input')).click();
			await this.part('rlc-item').first().waitFor();
		}
		await search.fill(words);
		const found = this.part('rlc-item').filter({ hasText: new RegExp(words, 'i') });
		const others = this.part('rlc-item').filter({ hasNotText: new RegExp(words, 'i') });
		const nothing = this.page.getByText('No results', { exact: true });
		await found.first().or(nothing).first().waitFor();
		await others.first().waitFor({ state: 'detached' });
		return await this.part('rlc-item').allInnerTexts();
	}

	/** Selects an entry of the open list. */
	async pick(text: string): Promise<void> {
		await this.part('rlc-item').filter({ hasText: text }).click();
	}

	/** Runs the open node. */
	async execute(): Promise<void> {
		const buttons = ['node-execute-button', 'trigger-execute-button'].map(
			(id) => `${byTestId(id)}:visible`,
		);
		await this.page.locator(buttons.join()).first().click();
	}

	/** Waits until the open node's output shows a text. Returns the whole output, or throws with the actual one. */
	async output(text: string | RegExp = /^\d+ items?$/): Promise<string> {
		const panel = this.part('output-panel');
		try {
			await panel.getByText(text).first().waitFor();
		} catch (cause) {
			const shown = await panel.innerText();
			throw new Error(`The output doesn't contain “${text}”. It shows:\n${shown}`, { cause });
		}
		return await panel.innerText();
	}
}
