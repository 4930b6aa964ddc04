import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	scripts: Record<string, string>;
};

/** Where the words stand that a script takes first behind its `--`. */
const SUBCOMMANDS: Record<string, { file: string; pattern: RegExp }> = {
	bench: { file: 'tools/bench/slices', pattern: /^\tname: '([a-z-]+)'/gm },
	endurance: { file: 'tools/endurance/cli.ts', pattern: /\.command\('([\w-]+)/g },
	sandbox: {
		file: 'sandbox/cli/program.ts',
		pattern: /(?:\.command\(|\bremote\(\s*program,\s*)'([\w-]+)/g,
	},
};

function sourceOf(name: string): string {
	const file = path.join(ROOT, name);
	if (name.endsWith('.ts')) return readFileSync(file, 'utf8');
	const parts = readdirSync(file, { recursive: true, encoding: 'utf8' });
	return parts
		.filter((part) => part.endsWith('.ts'))
		.map((part) => sourceOf(path.join(name, part)))
		.join('\n');
}

/** The words that a script takes first; `undefined` for one that takes none. */
export function subcommandsOf(script: string): string[] | undefined {
	const known = SUBCOMMANDS[script];
	if (!known) return undefined;
	return [...sourceOf(known.file).matchAll(known.pattern)].map((match) => match[1] ?? '');
}

/** Says whether a file, a folder with an index or a TypeScript file without its ending is there. */
function isModule(name: string): boolean {
	return ['', '.ts', '/index.ts'].some((ending) => existsSync(path.join(ROOT, name + ending)));
}

function isRightScript(script: string, [dashes, word = '-']: string[]): boolean {
	if (!(script in scripts)) return false;
	const allowed = subcommandsOf(script);
	if (dashes !== '--' || word.startsWith('-') || !allowed) return true;
	return allowed.includes(word);
}

function isRight(command: string): boolean {
	const [program, first = '', second = '', ...rest] = command.split(/\s+/);
	if (program === 'node') return !first.includes('/') || isModule(first);
	if (program === 'npx') {
		const isInstalled = existsSync(path.join(ROOT, 'node_modules/.bin', first));
		return isInstalled && (first !== 'tsx' || isModule(second));
	}
	if (first === 'run') return isRightScript(second, rest);
	return !['start', 'test'].includes(first) || first in scripts;
}

/** Those of the given lines' commands for npm, npx and node, also behind `&&` and quoted in comments, that this repository does not have. */
export function wrongCommandsIn(lines: string[]): string[] {
	return lines
		.flatMap((line) => [line.replace(/\s#.*$/, ''), ...(line.match(/(?<=`)[^`]+(?=`)/g) ?? [])])
		.flatMap((line) => line.split(/\s*(?:&&|;|\|\|?)\s*/))
		.map((command) => command.replace(/^\$ |^(?:[A-Z_\d]+=\S+ )+/, '').trim())
		.filter((command) => /^(?:npm|npx|node) /.test(command))
		.filter((command) => !isRight(command));
}
