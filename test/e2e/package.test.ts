import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSetup, ROOT } from '../../tools/n8n';
import { SANDBOX_LOGIN } from '../../tools/sandbox-client';
import { connect } from '../support/e2e';
import { actionNode, chainOf, runChain } from '../support/e2e/chain';

const run = promisify(execFile);

interface Packed {
	files: Array<{ path: string }>;
}

/** The scanner takes about 5 s here, more on a busy machine. */
const SCAN_MS = 120_000;

describe('the package as users get it', () => {
	const { tarball } = readSetup();
	let unpacked: string;

	beforeAll(async () => {
		unpacked = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-package-'));
		await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
	});
	afterAll(() => rmSync(unpacked, { recursive: true, force: true }));

	it('holds the built nodes and what npm always adds', async () => {
		const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT });
		const [packed] = JSON.parse(stdout) as Packed[];
		const outsideDist = packed?.files
			.map(({ path: file }) => file)
			.filter((file) => !file.startsWith('dist/'));

		expect(outsideDist?.sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json']);
	});

	it('names its functions in a stack trace of the real n8n', async () => {
		const n8n = await connect();
		const data = { baseUrl: 'http://127.0.0.1:9', ...SANDBOX_LOGIN };
		const credential = await n8n.createCredential('virtualPbxApi', 'Unused PBX', data);
		const range = { after: '2026-11-20T10:00:00Z', before: '2026-11-19T10:00:00Z' };
		const node = actionNode(['Records', 'cdr:getMany', range], credential);
		const execution = await runChain(n8n, chainOf('A range that ends before it begins', [node]));

		expect(String(execution.data.resultData.error?.stack)).toMatch(
			/at readTimeRange \(.*\bvirtualPbx\.js:\d+:\d+\)/,
		);
	});

	it.each([
		['the sources', () => [ROOT, 'source']],
		['the unpacked tarball', () => [unpacked]],
	])(
		"passes n8n's scanner for community packages: %s",
		async (_, place) => {
			const script = path.join(ROOT, 'tools/checks/scan.mjs');
			// The scanner's rules behave differently where NODE_ENV is `test`, as it is under jest.
			const env = { ...process.env, NODE_ENV: '' };
			const scan = run(process.execPath, [script, ...place()], { cwd: ROOT, env }).catch(
				({ stdout }: { stdout: string }) => ({ stdout }),
			);

			expect((await scan).stdout).toBe('');
		},
		SCAN_MS,
	);
});
