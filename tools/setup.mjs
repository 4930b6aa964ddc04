// Puts in place all that `npm start` and `npm test` need; uses Node's own modules only, since it runs first.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isInstalled } from './setup/installed.mjs';
import { findNodeForN8n, installN8n, N8N_SCRIPT } from './setup/n8n.mjs';
import { buildPackage } from './setup/package.mjs';
import { ROOT, SETUP_FILE } from './setup/paths.mjs';
import { runAsCommand } from './setup/failure.mjs';
import { checkNode } from './setup/requirements.mjs';
import { npm } from './setup/npm.mjs';
import { runStep } from './setup/step.mjs';
import { inTurn } from './setup/turn.mjs';

/**
 * Installs the build and test tools and, unless told otherwise, the pinned n8n; skips what is in place.
 *
 * @throws {SetupError} with what to do
 */
export async function install({ n8n = true } = {}) {
	checkNode();
	await inTurn(async () => {
		if (!isInstalled(ROOT)) {
			await runStep('Installing the build and test tools (about half a minute)', npm('ci'), {
				log: 'install',
			});
		}
		if (n8n) await installN8n();
	});
}

/**
 * Builds and packs the package unless that was done from these very sources, and leaves word of it and of the
 * pinned n8n in .n8n/setup.json.
 *
 * @throws {SetupError} with what to do
 */
export async function pack() {
	await inTurn(async () => {
		const { node, version } = findNodeForN8n();
		const found = { node, nodeVersion: version, n8n: N8N_SCRIPT, ...(await buildPackage()) };
		writeFileSync(SETUP_FILE, `${JSON.stringify(found, null, 2)}\n`);
	});
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
	await runAsCommand(async () => {
		await install();
		await pack();
		console.log('✔ All is in place');
	});
}
