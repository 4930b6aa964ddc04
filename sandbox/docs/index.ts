import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callsPart } from './calls';
import { eventsPart } from './events';
import { fillTables } from './tables';

const MANUALS = [join(__dirname, '../README.md'), join(__dirname, '../../docs/sandbox.md')];

/** Returns every document that is made from the sandbox, by its path. */
export async function makeDocs(): Promise<Record<string, string>> {
	const manuals = await Promise.all(
		MANUALS.map(async (path) => [path, fillTables(await readFile(path, 'utf8'))] as const),
	);
	return {
		[join(__dirname, 'calls.md')]: `${await callsPart()}\n\n${eventsPart()}\n`,
		...Object.fromEntries(manuals),
	};
}

async function main(): Promise<void> {
	for (const [path, text] of Object.entries(await makeDocs())) await writeFile(path, text);
}

if (require.main === module) void main();
