import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callsPart } from './calls';
import { eventsPart } from './events';
import { fillTables } from './tables';

const DOCS = join(__dirname, '../../docs');

/** Gives every document that is made from the sandbox, by its path. */
export async function makeDocs(): Promise<Record<string, string>> {
	const manual = join(DOCS, 'sandbox.md');
	return {
		[join(DOCS, 'sandbox-calls.md')]: `${await callsPart()}\n\n${eventsPart()}\n`,
		[manual]: fillTables(await readFile(manual, 'utf8')),
	};
}

async function main(): Promise<void> {
	for (const [path, text] of Object.entries(await makeDocs())) await writeFile(path, text);
}

if (require.main === module) void main();
