import { readdirSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../tools/docs/registered';
import { TARGETS } from './index';
import { BUDGET_MS, runTarget, SEED } from './run';

/** Folders whose every function is pure, and may be given what strangers send. */
const PURE = ['calls', 'events', 'records', 'pivot', 'values'];

/** Functions that take no input from outside, or ask the PBX. */
const NO_INPUT = [
	'newSecret',
	'sampleOf',
	'gregorianNow',
	'readCallParts',
	'readCalls',
	'readCdrs',
	'mapInOrder',
	'unlessAborted',
	'noteRecordTrigger',
	'stoppedRecordTriggers',
	'LruMap',
];

/** The modules of a folder and of those within. */
function filesIn(directory: string): string[] {
	const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
	return files.filter((file) => file.endsWith('.ts'));
}

describe(`hostile input to the parsers, seed ${SEED}`, () => {
	it.each(TARGETS.map((one) => [one.name, one] as const))(
		'never breaks them: %s',
		async (_, one) => await runTarget(one),
		(BUDGET_MS ?? 0) + 60_000,
	);

	it.each(PURE)('is thrown at everything in %s', async (folder) => {
		const covered = new Set<unknown>(TARGETS.flatMap(({ covers }) => covers));
		const directory = path.join(ROOT, 'nodes/VirtualPbx', folder);
		const modules = await Promise.all(
			filesIn(directory).map(
				async (file) => (await import(path.join(directory, file))) as Record<string, unknown>,
			),
		);
		const exported = modules.flatMap((module) => Object.entries(module));
		const forgotten = exported.filter(
			([name, value]) =>
				typeof value === 'function' && !covered.has(value) && !NO_INPUT.includes(name),
		);

		expect(forgotten.map(([name]) => name)).toEqual([]);
	});
});
