import { filesIn, read } from './markdown';

/** Returns the published code as one text. */
function readSources(): string {
	const files = ['nodes', 'credentials'].flatMap((folder) => filesIn(folder, /\.ts$/));
	return files.map(read).join('\n').replace(/\\'/g, "'").replace(/\s+/g, ' ');
}

/** Finds the fixed parts of a page's messages: quotes, and first columns of tables headed “Message”. */
function quotesIn(file: string): string[] {
	const text = read(file);
	const tables = [...text.matchAll(/^\| Message[^|]*\|.*\n\|[ -|]*\n((?:\|.*\n)+)/gm)];
	const rows = tables.flatMap((table) => (table[1] ?? '').trim().split('\n'));
	const quotes = [...text.matchAll(/“([^”]+)”/g)].map((match) => match[1] ?? '');
	return [...rows.map((row) => row.split('|')[1] ?? ''), ...quotes]
		.flatMap((quote) => quote.split(/…|: | \/ |\(|\)/))
		.map((part) => part.replace(/^[\s,.:;"]+|[\s,.:;"]+$/g, ''))
		.filter((part) => part.length > 3);
}

it.each(['docs/troubleshooting.md', 'docs/credential.md'])(
	'%s quotes only messages that exist',
	(file) => {
		const sources = readSources();
		const quotes = quotesIn(file);
		expect(quotes.length).toBeGreaterThan(5);
		expect(quotes.filter((part) => !sources.includes(part))).toEqual([]);
	},
);
