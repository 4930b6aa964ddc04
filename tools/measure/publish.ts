import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { withSection } from '../docs/sections';
import { readSetup, ROOT } from '../n8n';

/**
 * Measures a table, header first, and writes it between the markers of that name in a page of
 * docs/internals, with the date, the machine, and the duration. Throws if the page has no such
 * markers.
 */
export async function publish(
	page: string,
	name: string,
	measure: () => Promise<string[][]>,
): Promise<void> {
	const began = performance.now();
	const rows = await measure();
	const minutes = Math.max(1, Math.round((performance.now() - began) / 60_000));
	console.table(rows);
	const file = `docs/internals/${page}`;
	const table = `${markdownTable(rows)}\n\n_${stampOf()}; took ${minutes} min._`;
	writeFileSync(path.join(ROOT, file), withSection(file, name, table));
	console.log(`Wrote ${file}`);
}

function stampOf(): string {
	const versionOf = (file: string) =>
		(JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as { version: string }).version;
	const cores = cpus();
	return [
		new Date().toISOString().slice(0, 10),
		`package ${versionOf('package.json')}`,
		`n8n ${versionOf('.n8n/node_modules/n8n/package.json')}`,
		`Node of n8n ${readSetup().nodeVersion}`,
		`${cores.length} cores (${cores[0]?.model ?? 'unknown'})`,
		`${Math.round(totalmem() / 2 ** 30)} GiB`,
	].join(', ');
}

/** Formats a figure with three significant digits, such as `1,230`. */
export const figure = (value: number): string =>
	Number(value.toPrecision(3)).toLocaleString('en-US');
