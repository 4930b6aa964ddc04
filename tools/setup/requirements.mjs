import { spawnSync } from 'node:child_process';
import { SetupError } from './failure.mjs';

const OLDEST = [20, 19];

/** Throws when this Node is too old for the build and test tools. */
export function checkNode(version = process.versions.node) {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
	throw new SetupError(
		`This is Node ${version}; ${OLDEST.join('.')} or later is needed.\n` +
			'What to do: install a newer Node (https://nodejs.org, or your version manager) and run this again.',
	);
}

const runs = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

/** Names the tools for compiling that are missing here: any of "a C++ compiler", "make", "python3". */
export function missingBuildTools() {
	if (process.platform === 'win32') return [];
	const missing = [];
	if (!['c++', 'g++', 'clang++', process.env.CXX ?? 'c++'].some(runs))
		missing.push('a C++ compiler');
	if (!['make', 'gmake'].some(runs)) missing.push('make');
	if (!['python3', 'python'].some(runs)) missing.push('python3');
	return missing;
}

/** How to get the tools for compiling on this system. */
export function howToGetBuildTools() {
	const ways = {
		linux:
			'`sudo apt-get install build-essential python3` (Debian, Ubuntu) or `sudo dnf install gcc-c++ make python3` (Fedora)',
		darwin: '`xcode-select --install`',
		win32: "run Node's installer again and tick “Tools for native modules”",
	};
	return ways[process.platform] ?? 'install a C++ compiler, make and python3';
}
