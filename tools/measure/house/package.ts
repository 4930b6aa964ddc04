import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const LOADS = 9;

/** Measures the published package's load time, the best of several fresh processes, and its size. Builds it if outdated. */
export function weighPackage(home: string): { loadMs: number; packedKb: number } {
	if (!isBuilt(home)) execFileSync('npm', ['run', 'build'], { cwd: home, stdio: 'ignore' });
	const load = `
		require('reflect-metadata'); require('n8n-workflow');
		const { nodes, credentials } = require('./package.json').n8n;
		const began = performance.now();
		for (const file of [...credentials, ...nodes]) require('./' + file);
		console.log(performance.now() - began);`;
	const times = Array.from({ length: LOADS }, () =>
		Number(execFileSync(process.execPath, ['-e', load], { cwd: home, encoding: 'utf8' })),
	);
	const report = execFileSync('npm', ['pack', '--dry-run', '--json'], {
		cwd: home,
		encoding: 'utf8',
	});
	const [{ size }] = JSON.parse(report) as [{ size: number }];
	return { loadMs: Math.min(...times), packedKb: size / 1000 };
}

function isBuilt(home: string): boolean {
	const bundle = path.join(home, 'dist/nodes/VirtualPbx/VirtualPbx.node.js');
	if (!existsSync(bundle)) return false;
	const builtAt = statSync(bundle).mtimeMs;
	const folders = ['nodes', 'credentials'].map((folder) => path.join(home, folder));
	const files = folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
			path.join(folder, file),
		),
	);
	return files.every((file) => statSync(file).mtimeMs < builtAt);
}
