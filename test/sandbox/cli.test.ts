import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { startSandbox, type Sandbox } from '../../sandbox';
import { runCli } from '../../sandbox/cli';

const CLI = ['--import', 'tsx', join(__dirname, '../../sandbox/cli.ts')];

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

interface Ran {
	code: number;
	out: string;
	err: string;
}

/** Runs a command of the CLI in this process. */
async function run(...args: string[]): Promise<Ran> {
	const ran = { out: '', err: '' };
	const code = await runCli(args, {
		out: (text) => (ran.out += text),
		err: (text) => (ran.err += text),
	});
	return { code, ...ran };
}

const there = () => ['--url', sandbox.url];

test('call places a call and shows its legs', async () => {
	const fields = ['from=12125550123', 'to=101', 'speed=1000', 'wait=true'];
	const { code, out } = await run('call', ...fields, ...there());
	expect(code).toBe(0);
	expect(JSON.parse(out)).toMatchObject({ to: '101', result: 'answered', legs: [{}, {}, {}] });
});

test('fault and settings do what they say', async () => {
	const fault = await run(
		'fault',
		'status',
		'status=503',
		'path=/accounts/*',
		'body={"a":1}',
		...there(),
	);
	expect(JSON.parse(fault.out)).toMatchObject({ kind: 'status', status: 503, body: { a: 1 } });
	expect(sandbox.pbx.faults.list()).toHaveLength(1);
	const settings = await run('settings', 'page_size=3', 'legs=outbound', ...there());
	expect(JSON.parse(settings.out)).toMatchObject({ page_size: 3, legs: 'outbound' });
	expect((await run('fault', '--clear', ...there())).code).toBe(0);
	expect(sandbox.pbx.faults.list()).toEqual([]);
});

test.each([
	[['call', 'to=2', '--url', 'http://127.0.0.1:9'], /No sandbox answers at .* serve/],
	[['serve', '--port', '99999'], /port/],
	[['serve', '--profile', 'moon'], /Allowed choices are contract, field/],
	[['serve', '--port', '0', '--seed', '/no/such/file'], /seed file .* can't be read/],
	[['settings', 'page_size', '--url', 'http://127.0.0.1:9'], /name=value/],
])('%j fails in one sentence, without a stack trace', async (args, words) => {
	const { code, err } = await run(...args);
	expect(code).not.toBe(0);
	expect(err).toMatch(words);
	expect(err).not.toMatch(/^\s+at /m);
});

test('serve runs a seed until it is told to stop, and prints no secret', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
	const seed = join(folder, 'seed.json');
	const account = { name: 'Own', realm: 'own.local', login: 'me', password: 'own-password' };
	await writeFile(seed, JSON.stringify({ accounts: [account] }));
	const child: ChildProcess = spawn(process.execPath, [
		...CLI,
		'serve',
		'--port',
		'0',
		'--seed',
		seed,
	]);
	let out = '';
	while (!out.includes('Ctrl-C')) out += String((await once(child.stdout ?? child, 'data'))[0]);
	expect(out).toMatch(/Own: login me, realm own\.local/);
	expect(out).not.toContain('own-password');
	child.kill('SIGINT');
	expect((await once(child, 'exit'))[0]).toBe(0);
	await rm(folder, { recursive: true });
});
