import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';

/** The published code as one text in which each variable part of a message is `…`. */
function readSources(): string {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => path.join(ROOT, folder, name)),
	);
	return files
		.map((file) => readFileSync(file, 'utf8'))
		.join('\n')
		.replace(/\\'/g, "'")
		.replace(/\s+/g, ' ');
}

/** Quoted messages of a page: first columns of tables that are headed so, and bold quotes in lists. */
function quotesIn(file: string): string[] {
	const text = readFileSync(path.join(ROOT, file), 'utf8');
	const tables = [...text.matchAll(/^\| Message[^|]*\|.*\n\|[ -|]*\n((?:\|.*\n)+)/gm)];
	const cells = tables.flatMap((table) =>
		(table[1] ?? '')
			.trim()
			.split('\n')
			.map((row) => row.split('|')[1]?.trim() ?? ''),
	);
	const bold = [...text.matchAll(/“([^”]+)”/g)].map((match) => match[1] ?? '');
	return [...cells, ...bold];
}

/** The parts of a message that are fixed. */
function fixedParts(quote: string): string[] {
	return quote
		.split(/…|: | \/ |\(|\)/)
		.map((part) => part.replace(/^[\s,.:;"]+|[\s,.:;"]+$/g, ''))
		.filter((part) => part.length > 3);
}

describe.each(['docs/troubleshooting.md', 'docs/credential.md'])('%s', (file) => {
	const sources = readSources();

	it.each(quotesIn(file))('quotes a message that exists: %s', (quote) => {
		const missing = fixedParts(quote).filter((part) => !sources.includes(part));

		expect(missing).toEqual([]);
	});

	it('quotes messages at all', () => {
		expect(quotesIn(file).length).toBeGreaterThan(5);
	});
});
