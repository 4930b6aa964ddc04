import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { findMissingProxy, findMissingServers } from '../n8n/servers.mjs';
import { installOtherN8n } from '../setup/n8n.mjs';
import { LOG_FOLDER } from '../setup/paths.mjs';
import { pack } from '../setup.mjs';
import { runScript } from './run.mjs';

const CORES = availableParallelism();

/** Runs one Jest project or several. Their results go to a file for the total. */
function jestSlice(name, { projects = [name], workers, env = () => ({}), ...needs }) {
	const run = async (patterns, holdOutput) => {
		if (needs.needsN8n) await pack();
		mkdirSync(LOG_FOLDER, { recursive: true });
		const file = path.join(LOG_FOLDER, `jest-${name}.json`);
		rmSync(file, { force: true });
		const args = [
			...['node_modules/jest/bin/jest.js', `--maxWorkers=${workers}`],
			...['--selectProjects', ...projects],
			// Runs a file given on the command line even if it's only for releases.
			...(patterns.length > 0 ? ['--testPathIgnorePatterns=/node_modules/'] : []),
			// Without --forceExit, a failing test that leaves a server open would hang.
			...['--forceExit', '--passWithNoTests', '--json', `--outputFile=${file}`],
		];
		const ok = await runScript([...args, ...patterns], { holdOutput, env: await env() });
		if (!existsSync(file)) return { ok };
		const result = JSON.parse(readFileSync(file, 'utf8'));
		const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
		return { ok, passed: result.numPassedTests, failed, skipped: result.numPendingTests };
	};
	return { name, run, ...needs };
}

/** Runs a check that needs only the sources. */
const sourceSlice = (name, args) => ({
	name,
	run: async (_patterns, holdOutput) => ({ ok: await runScript(args, { holdOutput }) }),
});

const build = {
	name: 'build',
	needsN8n: true,
	run: async () => {
		await pack();
		return { ok: true };
	},
};

const few = { workers: Math.max(2, Math.floor(CORES / 2)) };
const inN8n = { workers: 2, needsN8n: true };
const LEGACY = { TEST_PUBLISHING: 'older' };

/** All slices of `npm test`, grouped by what runs side by side, fastest failures first. */
export const GROUPS = [
	[
		sourceSlice('lint', ['tools/lint.mjs']),
		sourceSlice('types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.check.json']),
	],
	[build],
	[jestSlice('unit', few), jestSlice('sandbox', few)],
	// All of these mostly wait.
	[
		jestSlice('contract', {
			projects: ['contract', 'contract-field', 'contract-kazoo'],
			workers: Math.max(4, CORES),
		}),
		jestSlice('front-door', { workers: 1, findObstacle: findMissingProxy }),
		jestSlice('queue', { ...inN8n, findObstacle: findMissingServers }),
	],
	// Most of these wait for n8n's clock. `older` covers n8n's legacy publishing, which the pinned n8n still has.
	[
		jestSlice('e2e', { ...inN8n, workers: 8 }),
		jestSlice('kits', inN8n),
		jestSlice('older', { ...inN8n, env: () => LEGACY }),
		jestSlice('kazoo', inN8n),
	],
];

/** The last n8n version that published the legacy way by default. Only releases are tested on it. */
export const OLDER_N8N = '2.39.5';

/** Since this version, n8n publishes in the background. */
const FIRST_IN_BACKGROUND = '2.41.0';
const publishingOf = (version) =>
	version.localeCompare(FIRST_IN_BACKGROUND, 'en', { numeric: true }) < 0 ? LEGACY : {};

/**
 * Returns the slice for another n8n: the triggers' core on a version such as 2.42.0, which it installs, or the core of
 * the end-to-end tests on a container image such as n8nio/n8n:latest, which has a colon before its tag.
 */
export function onOtherN8n(n8n) {
	const name = `n8n-${n8n.replace(/[^\w.]+/g, '-')}`;
	if (n8n.includes(':'))
		return jestSlice(name, { ...inN8n, projects: ['core'], env: () => ({ TEST_N8N_IMAGE: n8n }) });
	const env = async () => ({ OTHER_N8N: await installOtherN8n(n8n), ...publishingOf(n8n) });
	return jestSlice(name, { ...inN8n, projects: ['older'], env });
}
