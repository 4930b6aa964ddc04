import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeNode, readSetup, ROOT } from '../../tools/n8n';
import { connect } from '../support/e2e';
import { chainOf, runChain } from '../support/e2e/chain';

const run = promisify(execFile);

/** What n8n provides at run time; anything else would be missing in a user's n8n. */
const PROVIDED = new Set(['n8n-workflow', 'node:crypto']);

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

	const shippedCode = () =>
		readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((file) =>
			file.endsWith('.js'),
		);

	it('holds the built nodes and what npm always adds', async () => {
		const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT });
		const [packed] = JSON.parse(stdout) as Packed[];
		const outsideDist = packed?.files
			.map(({ path: file }) => file)
			.filter((file) => !file.startsWith('dist/'));

		expect(outsideDist?.sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json']);
	});

	it('can be read: functions keep their names, lines and docstrings', () => {
		const shared = readFileSync(path.join(unpacked, 'dist/virtualPbx.js'), 'utf8');
		const longest = Math.max(...shared.split('\n').map((line) => line.length));

		expect(shared).toMatch(/\n \*\/\nasync function receiveEvents\(/);
		expect(longest).toBeLessThan(1000);
	});

	it('names its functions in a stack trace of the real n8n', async () => {
		const answer = { steps: { step: [{ type: 'extension', extension: '' }] } };
		const node = makeNode('Answer', 'virtualPbx', {
			resource: 'routing',
			operation: 'buildAnswer',
			...answer,
		});
		const execution = await runChain(await connect(), chainOf('An answer without target', [node]));

		expect(String(execution.data.resultData.error?.stack)).toMatch(
			/at (?:async )?(?:Object\.)?(?:execute|readAnswer|checkedAnswer)\w* \(.*virtualPbx\.js:\d+:\d+\)/,
		);
	});

	it('depends on nothing but the n8n it is installed into', () => {
		const manifest = JSON.parse(
			readFileSync(path.join(unpacked, 'package.json'), 'utf8'),
		) as object;

		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest).not.toHaveProperty('optionalDependencies');
		expect(manifest).toMatchObject({ peerDependencies: { 'n8n-workflow': '*' } });
	});

	it('loads only modules that n8n provides, and its own', () => {
		const foreign = shippedCode().flatMap((file) => {
			const code = readFileSync(path.join(unpacked, file), 'utf8');
			const modules = [...code.matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)].map(
				(match) => match[1] ?? '',
			);
			return modules
				.filter((name) => !name.startsWith('.') && !PROVIDED.has(name))
				.map((name) => `${file}: ${name}`);
		});

		expect(shippedCode().length).toBeGreaterThan(5);
		expect(foreign).toEqual([]);
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
