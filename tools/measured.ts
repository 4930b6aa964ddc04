import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { readSetup, ROOT } from './n8n';

/** Runs a measurement; gives its result, and in words when, on what, and how long it was made. */
export async function stamped<T>(measure: () => Promise<T>): Promise<{ result: T; stamp: string }> {
	const began = performance.now();
	const result = await measure();
	const minutes = Math.max(1, Math.round((performance.now() - began) / 60_000));
	return { result, stamp: `_${stampOf()}; took ${minutes} min._` };
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

/**
 * Puts a measured table, whose first row is the head, between the marks `<!-- name -->` and `<!-- /name -->` of a page of
 * docs/internals. Throws when the page has no such marks.
 */
export function writeTable(
	page: string,
	name: string,
	{ rows, stamp }: { rows: string[][]; stamp: string },
): void {
	const file = path.join(ROOT, 'docs/internals', page);
	const text = readFileSync(file, 'utf8');
	const [before, rest] = text.split(`<!-- ${name} -->`);
	const [, after] = rest?.split(`<!-- /${name} -->`) ?? [];
	if (after === undefined) throw new Error(`${page} has no marks for ${name}`);
	const part = `<!-- ${name} -->\n\n${markdownTable(rows)}\n\n${stamp}\n\n<!-- /${name} -->`;
	writeFileSync(file, `${before}${part}${after}`);
	console.log(`Wrote docs/internals/${page}`);
}

/** A figure as people write it, with three digits that count, such as `1,230`. */
export const figure = (value: number): string =>
	Number(value.toPrecision(3)).toLocaleString('en-US');
