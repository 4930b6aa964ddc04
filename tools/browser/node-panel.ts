import type { Locator, Page } from 'playwright-core';

/** The panel at the right of the canvas that offers nodes. */
export class NodePanel {
	constructor(private readonly page: Page) {}

	/** Types words into its search. */
	async search(words: string): Promise<void> {
		await this.page.locator('[data-test-id=node-creator-search-bar]').fill(words);
	}

	/** An entry by its whole name. */
	entry(name: string): Locator {
		return this.items().filter({ hasText: new RegExp(`^${name}$`) });
	}

	/** The names of what it offers now. */
	async names(): Promise<string[]> {
		return await this.items().allInnerTexts();
	}

	/** Opens or takes an entry by its whole name. */
	async take(name: string): Promise<void> {
		await this.entry(name).first().click();
	}

	/** Opens the part of a node's page that lists its actions. */
	async showActions(): Promise<void> {
		await this.page
			.locator('[data-test-id=node-creator-category-item]', { hasText: 'Actions' })
			.click();
	}

	private items(): Locator {
		return this.page.locator('[data-test-id=node-creator-item-name]');
	}
}
