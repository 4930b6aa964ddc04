import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT, startN8n } from '../../n8n';
import type { N8nClient, N8nProcess } from '../../n8n';
import { SANDBOX_LOGIN } from '../../sandbox-client';
import { answeringWebhook, httpRequestNode, inARow, numberNode, withCredential } from '../flow';
import type { Part } from '../flow';
import { claim, inTurns, rounded } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { COLLECTING, spentBy } from '../memory';
import type { Spent } from '../memory';
import { readRaw } from '../raw';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const LIMIT_MIB = 64;

/** One huge recording. */
export const recording: Slice = {
	name: 'recording',
	title: 'A recording of 1 GiB to the binary store',
	method:
		"Our Download beside n8n's HTTP Request node with the response as a file, in one n8n with its binary data in files, and beside undici to a file in a process of its own. Memory is the peak of n8n above its rest. The server holds no recording whole.",
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const bytes = full ? GIB : MIB;
	const folder = await mkdtemp(path.join(tmpdir(), 'virtual-pbx-bench-'));
	const n8n = await startN8n({
		env: { ...COLLECTING, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
	});
	const { server, url } = await serve();
	try {
		const client = await n8n.signIn();
		const account = { baseUrl: url, ...SANDBOX_LOGIN };
		const credential = await client.createCredential('virtualPbxApi', 'PBX', account);
		const ours = await makeFlow(client, withCredential(download(url), credential));
		const asFile = { response: { response: { responseFormat: 'file' } } };
		const address = `=${addressOf(url, SIZE)}`;
		const theirs = await makeFlow(client, httpRequestNode(address, credential, asFile));
		const file = path.join(folder, 'recording.wav');
		const take = async (hook: string, size: number) => await run(n8n, hook, size);
		await take(ours, MIB);
		const runs = await inTurns(
			{
				ours: async () => await take(ours, bytes),
				http: async () => await take(theirs, bytes),
				undici: async () => {
					const { ms } = await readRaw({ url: addressOf(url, bytes), token: 'token', file });
					return { ms, peakMb: NaN };
				},
			},
			{ rounds: full ? 5 : 1, warmUps: full ? 1 : 0 },
		);
		const small = full
			? [
					{ work: 10, run: await take(ours, 10 * MIB) },
					{ work: 100, run: await take(ours, 100 * MIB) },
				]
			: [];
		return resultOf(runs, small);
	} finally {
		await n8n.dispose();
		server.kill();
		await rm(folder, { recursive: true });
	}
}

function resultOf(
	{ ours, http, undici }: Record<'ours' | 'http' | 'undici', Spent[]>,
	small: Array<{ work: number; run: Spent }>,
): Measured {
	const times = (runs: Spent[]) => runs.map(({ ms }) => ms);
	const peaks = (runs: Spent[]) => runs.map(({ peakMb }) => peakMb);
	const time = { what: 'time', unit: 'ms' };
	const memory = { what: 'memory growth', unit: 'MiB' };
	const claims = [
		claim(
			{ ...time, against: 'HTTP Request as file', aim: { atMost: 1 } },
			times(ours),
			times(http),
		),
		claim(
			{ ...time, against: 'undici to a file', aim: { atMost: 1.2 } },
			times(ours),
			times(undici),
		),
		claim(
			{ ...memory, against: `limit of ${LIMIT_MIB} MiB`, aim: { atMost: 1 } },
			peaks(ours),
			LIMIT_MIB,
		),
		claim({ ...memory, against: 'HTTP Request as file' }, peaks(ours), peaks(http)),
	];
	const whole = claims.map(({ ours }) => ours);
	const growthOf = (what: string, unit: string, of: keyof Spent, last = NaN) => ({
		what,
		unit,
		points: [
			...small.map(({ work, run }) => ({ work, value: rounded(run[of]) })),
			{ work: 1024, value: last },
		],
	});
	const growth = [
		growthOf('time by MiB', 'ms', 'ms', whole[0]),
		growthOf('memory growth by MiB', 'MiB', 'peakMb', whole[2]),
	];
	return { claims, growth: small.length > 0 ? growth : [] };
}

async function serve(): Promise<{ server: ChildProcess; url: string }> {
	const script = path.join(ROOT, 'tools/bench/recordings.cjs');
	const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
	const [line] = (await once(server.stdout, 'data')) as [Buffer];
	return { server, url: line.toString().trim() };
}

const addressOf = (url: string, bytes: number | string) => `${url}/recording/${bytes}.wav`;
const SIZE = '{{ $json.query.bytes }}';

const download = (url: string): Part => ({
	name: 'Get',
	type: 'n8n-nodes-virtual-pbx.virtualPbx',
	parameters: {
		resource: 'recording',
		operation: 'download',
		source: 'link',
		recLink: `${url}/recording/`,
		recFile: `=${SIZE}.wav`,
	},
});

async function makeFlow(client: N8nClient, get: Part): Promise<string> {
	const hook = randomUUID();
	const count = numberNode('bytes', '={{ $binary.data.bytes }}');
	const parts = [answeringWebhook(hook), get, count];
	const settings = { saveDataSuccessExecution: 'none' };
	const workflow = await client.createWorkflow(inARow(get.type, parts, settings));
	await client.activate(workflow.id);
	return hook;
}

async function run(n8n: N8nProcess, hook: string, bytes: number): Promise<Spent> {
	return await spentBy(
		n8n.pid ?? 0,
		async () => {
			const response = await fetch(`${n8n.url}/webhook/${hook}?bytes=${bytes}`);
			const answer = (await response.json()) as { bytes?: number };
			if (answer.bytes !== bytes) throw new Error(`Got ${JSON.stringify(answer)}`);
		},
		1000,
	);
}
