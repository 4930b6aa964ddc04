import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { readSetup, ROOT } from '../n8n';
import type { Claim } from './measure';

/** Where the results of the slices lie, and their charts. */
export const RESULTS = path.join(ROOT, 'docs/performance');

/** When, on what, and how long something was measured. */
export interface Stamp {
	/** Day, such as `2026-11-21`. */
	date: string;
	versions: { package: string; n8n: string; 'Node of n8n': string; 'Node of the bench': string };
	machine: string;
	/** How long it took. */
	seconds: number;
}

/** A stored run of one slice. */
export type Result = Stamp & { claims: Claim[] };

/**
 * The date, the versions, and the machine of a run.
 *
 * @param ms how long it took
 */
export function stampRun(ms: number): Stamp {
	const versionOf = (file: string) =>
		(JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as { version: string }).version;
	const cores = cpus();
	const memory = Math.round(totalmem() / 2 ** 30);
	return {
		date: new Date().toISOString().slice(0, 10),
		versions: {
			package: versionOf('package.json'),
			n8n: versionOf('.n8n/node_modules/n8n/package.json'),
			'Node of n8n': readSetup().nodeVersion,
			'Node of the bench': process.versions.node,
		},
		machine: `${cores.length} cores (${cores[0]?.model ?? 'unknown'}), ${memory} GiB`,
		seconds: Math.round(ms / 1000),
	};
}

/** A stored result of a folder below docs, with when and on what it was measured; undefined where there is none yet. */
export function readStored<T>(folder: string, name: string): (Stamp & T) | undefined {
	const file = path.join(ROOT, 'docs', folder, `${name}.json`);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stamp & T) : undefined;
}

/** Stores a result in a folder below docs. */
export function store(folder: string, name: string, result: object): void {
	const place = path.join(ROOT, 'docs', folder);
	mkdirSync(place, { recursive: true });
	writeFileSync(path.join(place, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** The stored run of a slice, or undefined where there is none yet. */
export const readResult = (name: string): Result | undefined => readStored('performance', name);

/** A stored run with the ratios that a second one found for the same claims. */
export function withAgain(stored: Result, second: readonly Claim[]): Result {
	const claims = stored.claims.map((one) => {
		const same = second.find(({ what, against }) => what === one.what && against === one.against);
		return same ? { ...one, again: same.ratio } : one;
	});
	return { ...stored, claims };
}

/** Stores the run of a slice. */
export const writeResult = (name: string, result: Result): void =>
	store('performance', name, result);
