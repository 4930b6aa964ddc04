import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { LAYERS } from '../../../eslint.house.config.mjs';
import { ROOT } from '../../../tools/docs/registered';

const HOME = path.join(ROOT, 'nodes/VirtualPbx');

/** Every import of one file of the nodes by another, types included. */
function importsOfNodes(): Array<readonly [string, string]> {
	const files = readdirSync(HOME, { recursive: true, encoding: 'utf8' });
	return files
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => {
			const text = readFileSync(path.join(HOME, file), 'utf8');
			return ts.preProcessFile(text).importedFiles.flatMap(({ fileName }) => {
				if (!fileName.startsWith('.')) return [];
				const target = path.join(path.dirname(file), fileName);
				const isFile = existsSync(path.join(HOME, `${target}.ts`));
				return [[file, isFile ? `${target}.ts` : path.join(target, 'index.ts')] as const];
			});
		});
}

const IMPORTS = importsOfNodes();
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : 'nodes');

describe('the house', () => {
	it('has no more arrows between folders than it needs', () => {
		const arrows = new Set(
			IMPORTS.map(([from, to]) => [folderOf(from), folderOf(to)] as const)
				.filter(([from, to]) => from !== to)
				.map(([from, to]) => `${from} → ${to}`),
		);
		const allowed = Object.entries(LAYERS).flatMap(([from, all]) =>
			all.map((to) => `${from} → ${to}`),
		);

		expect([...arrows].filter((arrow) => !arrow.startsWith('nodes')).sort()).toEqual(
			allowed.sort(),
		);
		expect(arrows.size).toBeLessThanOrEqual(34);
	});

	it('has no circle of imports, not even of types', () => {
		const left = new Map<string, Set<string>>();
		for (const [from, to] of IMPORTS) left.set(from, (left.get(from) ?? new Set()).add(to));
		for (let size = -1; size !== left.size; ) {
			size = left.size;
			for (const [file, targets] of left)
				if ([...targets].every((target) => !left.has(target))) left.delete(file);
		}

		expect([...left.keys()]).toEqual([]);
	});

	it('lets no trigger import from another one', () => {
		const triggerOf = (file: string) => /^triggers\/(\w+)\//.exec(file)?.[1];
		const across = IMPORTS.filter(([from, to]) => {
			const [own, other] = [triggerOf(from), triggerOf(to)];
			return own !== undefined && other !== undefined && own !== other;
		});

		expect(across).toEqual([]);
	});
});
