// Installs, builds, and packs what `npm start` and `npm test` need. Uses only Node's own modules,
// since it runs first.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { findNodeForN8n, installN8n, N8N_SCRIPT } from './setup/n8n.mjs';
import { buildPackage } from './setup/package.mjs';
import { ROOT, SETUP_FILE } from './setup/paths.mjs';
import { runAsCommand, SetupError } from './setup/failure.mjs';
import { installLocked } from './setup/step.mjs';

const MIN_NODE = [20, 19];

function checkNode() {
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
	throw new SetupError(
		`This is Node ${process.versions.node}; ${MIN_NODE.join('.')} or later is needed.\n` +
			'What to do: install a newer Node (https://nodejs.org, or your version manager) and run this again.',
	);
}

/** Installs the build and test tools and, by default, the pinned n8n, unless they are in place. Throws a SetupError. */
export async function install({ n8n = true } = {}) {
	checkNode();
	await installLocked('Installing the build and test tools (about half a minute)', ROOT);
	if (n8n) await installN8n();
}

/**
 * Builds and packs the package unless its sources are unchanged, and records that and the pinned
 * n8n in .n8n/setup.json.
 */
export async function pack() {
	const { node, version } = findNodeForN8n();
	const found = { node, nodeVersion: version, n8n: N8N_SCRIPT, ...(await buildPackage()) };
	writeFileSync(SETUP_FILE, `${JSON.stringify(found, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
	await runAsCommand(async () => {
		await install();
		await pack();
		console.log('✔ Everything is in place');
	});
}
