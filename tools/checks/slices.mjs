import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { findMissingServers } from '../n8n/servers.mjs';
import { installOtherN8n } from '../setup/n8n.mjs';
import { LOG_FOLDER } from '../setup/paths.mjs';
import { pack } from '../setup.mjs';
import { runScript } from './run.mjs';

/**
 * @typedef {{passed: number, failed: number}} Count numbers of tests
 * @typedef {object} Slice a part of `npm test`
 * @property {string} name as in `npm run test:<name>`
 * @property {boolean} [needsN8n] whether the pinned n8n must be installed
 * @property {boolean} [needsPackage] whether the package must be packed
 * @property {string} [group] neighbours of one group run at the same time
 * @property {() => Promise<string | undefined>} [findObstacle] what this machine lacks for it
 * @property {(patterns: string[], holdOutput: boolean) => Promise<Count & {ok: boolean}>} run runs it, and prints at the
 *   end only where others run beside it
 */

const NONE = { passed: 0, failed: 0 };

function countIn(file) {
	if (!existsSync(file)) return NONE;
	const result = JSON.parse(readFileSync(file, 'utf8'));
	return {
		passed: result.numPassedTests,
		failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
	};
}

/** A slice of jest's, with its results in a file for the sum. */
function jestSlice(
	name,
	{
		minutes,
		project = name,
		workers = Math.max(2, Math.floor(availableParallelism() / 2)),
		env = async () => ({}),
		...needs
	},
) {
	const run = async (patterns, holdOutput) => {
		mkdirSync(LOG_FOLDER, { recursive: true });
		const file = path.join(LOG_FOLDER, `jest-${name}.json`);
		rmSync(file, { force: true });
		const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', project];
		// Without --forceExit a failing test that leaves a server open would hang.
		const flags = ['--forceExit', '--passWithNoTests', `--maxWorkers=${workers}`, '--json'];
		// Ten times what a test needs, for machines that are busy with other things.
		flags.push('--testTimeout=20000');
		// Who names a file wants it run, also one that only a release needs.
		if (patterns.length > 0) flags.push('--testPathIgnorePatterns=/node_modules/');
		const ok = await runScript([...jest, ...flags, `--outputFile=${file}`, ...patterns], {
			minutes,
			holdOutput,
			env: await env(),
		});
		return { ok, ...countIn(file) };
	};
	return { name, run, ...needs };
}

/** A check of the sources alone, which can run beside others. */
function sourceSlice(name, args) {
	const run = async (_patterns, holdOutput) => ({
		ok: await runScript(args, { minutes: 5, holdOutput }),
		...NONE,
	});
	return { name, run, group: 'sources' };
}

/** @type {Slice} */
const build = {
	name: 'build',
	needsN8n: true,
	async run() {
		pack();
		return { ok: true, ...NONE };
	},
};

/** @type {Slice[]} All parts of `npm test`, in order: the quickest to fail come first. */
export const SLICES = [
	sourceSlice('lint', ['tools/lint.mjs']),
	sourceSlice('types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.check.json']),
	build,
	jestSlice('unit', { minutes: 10 }),
	jestSlice('sandbox', { minutes: 10 }),
	// These two mostly wait.
	jestSlice('contract', {
		minutes: 15,
		workers: Math.max(4, availableParallelism()),
		group: 'servers',
	}),
	jestSlice('queue', {
		minutes: 30,
		workers: 2,
		group: 'servers',
		needsN8n: true,
		needsPackage: true,
		findObstacle: findMissingServers,
	}),
	// Most of these wait for the next minute of n8n's clock.
	jestSlice('e2e', {
		minutes: 30,
		workers: 3,
		group: 'n8n',
		needsN8n: true,
		needsPackage: true,
	}),
	// n8n's older way of publishing, which the pinned n8n still has behind a switch.
	jestSlice('older', {
		minutes: 30,
		workers: 3,
		group: 'n8n',
		needsN8n: true,
		needsPackage: true,
		env: async () => ({ TEST_PUBLISHING: 'older' }),
	}),
];

/** The last n8n that published the older way by default; only a release is tested on it. */
export const OLDER_N8N = '2.39.5';

/** From this version on, n8n publishes in the background. */
const FIRST_IN_BACKGROUND = '2.41.0';
const publishingOf = (version) =>
	version.localeCompare(FIRST_IN_BACKGROUND, 'en', { numeric: true }) < 0
		? { TEST_PUBLISHING: 'older' }
		: {};

/**
 * The triggers' core on another n8n, which is installed for it.
 *
 * @param {string} version such as 2.42.0
 * @returns {Slice}
 */
export const onOtherN8n = (version) =>
	jestSlice(`n8n-${version}`, {
		minutes: 40,
		project: 'older',
		workers: 3,
		needsN8n: true,
		needsPackage: true,
		env: async () => ({ OTHER_N8N: installOtherN8n(version), ...publishingOf(version) }),
	});
