// Prevents publishing while the author or the repository in package.json is a placeholder.
// Usage: node tools/checks/publisher.mjs [--write]; --write puts the repository of package.json into
// all other files.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runAsCommand, SetupError } from '../setup/failure.mjs';
import { ROOT } from '../setup/paths.mjs';

/** Split, so that this file doesn't find itself. */
const PLACEHOLDER = ['n8n-nodes-virtual-pbx', 'n8n-nodes-virtual-pbx'].join('/');

const { author, repository } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const own = /github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(repository.url)?.[1];

/** Returns the tracked files that still contain the placeholder. */
function unchanged() {
	const args = ['grep', '--files-with-matches', '-I', '--fixed-strings', PLACEHOLDER];
	try {
		return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
	} catch (error) {
		if (error.status === 1) return [];
		throw error;
	}
}

await runAsCommand(async () => {
	if (/\.example$/.test(author.email))
		throw new SetupError(`Enter the author in package.json: ${author.email} is a placeholder`);
	if (own === undefined || own === PLACEHOLDER)
		throw new SetupError(
			`Enter the repository in package.json: ${repository.url} is a placeholder`,
		);
	if (process.argv.includes('--write'))
		for (const file of unchanged().map((name) => path.join(ROOT, name)))
			writeFileSync(file, readFileSync(file, 'utf8').replaceAll(PLACEHOLDER, own));
	const left = unchanged();
	if (left.length > 0)
		throw new SetupError(
			`${left.length} files refer to a different repository than package.json, such as ${left[0]}. Run: node tools/checks/publisher.mjs --write`,
		);
});
