import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSetup, ROOT } from '../../tools/n8n';

const run = promisify(execFile);

interface Packed {
	files: Array<{ path: string }>;
}

/** As in CONTRIBUTING.md. */
const AS_DOCUMENTED = ['--omit=peer', '--ignore-scripts'];
const ALONE = ['--legacy-peer-deps', '--offline', '--no-audit', '--no-fund'];
/** The scanner takes about 5 s here, more on a busy machine. */
const SCAN_MS = 120_000;

describe('the package as published', () => {
	const { tarball } = readSetup();
	let folder: string;

	beforeAll(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-package-'));
		await run('npm', ['install', ...AS_DOCUMENTED, ...ALONE, tarball], { cwd: folder });
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('contains the built nodes and the files that npm always adds', async () => {
		const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT });
		const [packed] = JSON.parse(stdout) as Packed[];
		const outsideDist = packed?.files
			.map(({ path: file }) => file)
			.filter((file) => !file.startsWith('dist/'));

		expect(outsideDist?.sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json']);
	});

	it.each([
		['the sources', () => [ROOT, 'source']],
		['the installed package', () => [path.join(folder, 'node_modules/n8n-nodes-virtual-pbx')]],
	])(
		"passes n8n's scanner for community packages: %s",
		async (_, place) => {
			const script = path.join(ROOT, 'tools/checks/scan.mjs');
			// The scanner's rules behave differently if NODE_ENV is `test`, as in jest.
			const env = { ...process.env, NODE_ENV: '' };
			const scan = run(process.execPath, [script, ...place()], { cwd: ROOT, env }).catch(
				({ stdout }: { stdout: string }) => ({ stdout }),
			);

			expect((await scan).stdout).toBe('');
		},
		SCAN_MS,
	);
});
