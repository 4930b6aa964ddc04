// Runs a command that needs the private package tools/extras, which it installs first: `npm run prose`, `npm run
// pictures`, and `npm run site`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { runAsCommand } from './setup/failure.mjs';
import { ROOT } from './setup/paths.mjs';
import { installLocked } from './setup/step.mjs';

const EXTRAS = path.join(ROOT, 'tools/extras');

const COMMANDS = {
	pictures: ['--import', 'tsx', 'tools/extras/pictures/cli.ts'],
	prose: ['tools/extras/prose.mjs'],
	site: ['tools/extras/node_modules/vitepress/bin/vitepress.js', 'build', 'docs'],
};

await runAsCommand(async () => {
	const [name, ...more] = process.argv.slice(2);
	await installLocked('Installing what pictures, prose checks, and the site need', EXTRAS);
	const how = { cwd: ROOT, stdio: 'inherit' };
	const { status } = spawnSync(process.execPath, [...COMMANDS[name], ...more], how);
	process.exitCode = status ?? 1;
});
