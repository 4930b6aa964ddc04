import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	scripts: Record<string, string>;
};

/** Says whether a file, a folder with an index or a TypeScript file without its ending is there. */
function isModule(name: string): boolean {
	return ['', '.ts', '/index.ts'].some((ending) => existsSync(path.join(ROOT, name + ending)));
}

function isRight(command: string): boolean {
	const [program, first = '', second = ''] = command.split(/\s+/);
	if (program === 'node') return !first.includes('/') || isModule(first);
	if (program === 'npx') {
		const isInstalled = existsSync(path.join(ROOT, 'node_modules/.bin', first));
		return isInstalled && (first !== 'tsx' || isModule(second));
	}
	if (first === 'run') return second in scripts;
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
