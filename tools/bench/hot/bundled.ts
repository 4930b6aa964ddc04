import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';

/**
 * Loads a module with all that it imports in one file, as our package is published: run from its sources, each call
 * from one module to another would go by a getter.
 *
 * @returns its exports
 */
export function loadBundled<T>(file: string): T {
	const { outputFiles } = buildSync({
		entryPoints: [file],
		bundle: true,
		write: false,
		platform: 'node',
		format: 'cjs',
		external: ['n8n-workflow'],
	});
	const module = { exports: {} };
	const run = compileFunction(outputFiles[0]?.text ?? '', ['module', 'exports', 'require']) as (
		...names: unknown[]
	) => void;
	run(module, module.exports, createRequire(file));
	return module.exports as T;
}
