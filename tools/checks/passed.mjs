import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { digestOf } from '../setup/digest.mjs';

/**
 * Hashes all that a test could depend on here: every file that git does not ignore, the system, Node and the
 * environment that tests read.
 *
 * @param {string} root a git checkout
 * @returns {string | undefined} nothing outside of a git checkout, where it is unknown which files count
 */
export function stateOf(root) {
	const files = filesIn(root);
	if (!files) return undefined;
	const { CHROMIUM_PATH = '', OTHER_N8N = '', TEST_RELEASE = '' } = process.env;
	const place = [
		process.platform,
		process.arch,
		process.version,
		CHROMIUM_PATH,
		OTHER_N8N,
		TEST_RELEASE,
	];
	return `${digestOf(root, files)} ${place.join(' ')}`;
}

function filesIn(root) {
	try {
		const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
		const names = execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
		return [...new Set(String(names).split('\0').filter(Boolean))];
	} catch {
		return undefined;
	}
}

/**
 * When a slice passed in a state, if it did.
 *
 * @param {string} file where passes are noted
 * @param {string} slice its name
 * @param {string | undefined} state of `stateOf`
 * @returns {{at: string, passed: number} | undefined} the time and how many tests it had
 */
export function findPass(file, slice, state) {
	const pass =
		state && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8'))[slice] : undefined;
	return pass?.state === state ? pass : undefined;
}

/**
 * Notes that a slice has passed now; without a state it notes nothing.
 *
 * @param {string} file where passes are noted
 * @param {string} slice its name
 * @param {string | undefined} state of `stateOf`
 * @param {number} passed how many tests it had
 */
export function notePass(file, slice, state, passed) {
	if (!state) return;
	const passes = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
	passes[slice] = { state, at: new Date().toISOString(), passed };
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(passes));
}
