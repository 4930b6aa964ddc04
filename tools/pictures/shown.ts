import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { registeredCredentials, registeredNodes, ROOT } from '../docs/registered';

const FILE = path.join(ROOT, 'tools/pictures/shown.json');

/** Which of the package's texts each picture shows, by the picture's name. */
export type Shown = Record<string, string[]>;

/** Reads what the pictures of the docs show. */
export function readShown(): Shown {
	return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Shown) : {};
}

/** Notes what a picture shows that was just taken. */
export function noteShown(picture: string, texts: string[]): void {
	const entries = Object.entries({ ...readShown(), [picture]: texts });
	const sorted = Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
	writeFileSync(FILE, `${JSON.stringify(sorted, null, '\t')}\n`);
}

/** All texts that the nodes and credentials show in the editor: labels, choices, actions, descriptions, hints. */
export async function ownTexts(): Promise<Set<string>> {
	const texts = new Set<string>();
	const descriptions = (await registeredNodes()).map(({ description }) => description);
	collect([...descriptions, ...(await registeredCredentials())], texts);
	return texts;
}

function collect(value: unknown, texts: Set<string>): void {
	if (typeof value !== 'object' || value === null) return;
	for (const [key, part] of Object.entries(value)) {
		const isShown = /^(displayName|action|description|hint)$/.test(key);
		if (typeof part === 'string' && (isShown || (key === 'name' && 'value' in value)))
			texts.add(part);
		else collect(part, texts);
	}
}

/** Those of some texts that can be seen on a page or in a part of it, above a height if one is given. */
export async function visibleTexts(
	what: Page | Locator,
	texts: Set<string>,
	bottom = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
	const place = 'goto' in what ? what.locator('body') : what;
	const seen = await place.evaluate(
		(root, limit) =>
			[...root.querySelectorAll('*')]
				.filter((element) => {
					const { x, y, width, height } = element.getBoundingClientRect();
					const top = document.elementFromPoint(x + width / 2, y + height / 2);
					return y + height <= limit && top !== null && element.contains(top);
				})
				.flatMap((element) => [...element.childNodes])
				.filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
				.map(({ textContent }) => textContent?.trim() ?? ''),
		bottom,
	);
	return [...new Set(seen.filter((text) => texts.has(text)))];
}
