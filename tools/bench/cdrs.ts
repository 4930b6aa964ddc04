/**
 * 100,000 call records in one go: our CDR Get Many beside n8n's own HTTP Request node with our credential, each in an
 * n8n of its own that has run once before and collected its garbage. Time is that of the whole run; memory is how much
 * the peak of the process (VmHWM) lies above its resting size. The HTTP Request node gives one item with all records in it; with Split Out
 * behind it the result is the same as ours.
 *
 * Run by `npx tsx tools/bench/cdrs.ts [rounds]`; needs `npm run setup` and Linux.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { ROOT, startN8n } from '../n8n';
import type { Credential, N8nOptions, WorkflowFile } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';
import { median } from './statistics';

const RECORDS = 100_000;
const KINDS = ['raw', 'simplified', 'httpRequest', 'httpRequestSplit'] as const;

type Kind = (typeof KINDS)[number];

/** One round of one kind. */
export interface Measured {
	ms: number;
	/** Peak above rest, in MB. */
	peakMb: number;
	/** The peak itself, in MB. */
	wholeMb: number;
}

/** What came of the benchmark: rounds by kind, and ratios of the medians to the HTTP Request node's. */
export interface CdrsResult {
	records: number;
	rounds: Record<Kind, Measured[]>;
	timeRatio: Record<Kind, number>;
	peakRatio: Record<Kind, number>;
}

/**
 * Measures every kind in turn.
 *
 * @throws when a run does not give every record
 */
export async function measureCdrs(rounds = 3, options: N8nOptions = {}): Promise<CdrsResult> {
	const sandbox = await startSandbox();
	const measured = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<
		Kind,
		Measured[]
	>;
	try {
		const response = await fetch(`${sandbox.url}/sandbox/cdrs/generate`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count: RECORDS }),
		});
		if (!response.ok) throw new Error(await response.text());
		for (let round = 0; round < rounds; round++) {
			for (const kind of KINDS) measured[kind].push(await measureOne(sandbox, kind, options));
		}
	} finally {
		await sandbox.close();
	}
	const ratio = (what: keyof Measured) =>
		Object.fromEntries(
			KINDS.map((kind) => {
				const of = (one: Kind) => median(measured[one].map((each) => each[what]));
				return [kind, of(kind) / of('httpRequest')];
			}),
		) as Record<Kind, number>;
	return { records: RECORDS, rounds: measured, timeRatio: ratio('ms'), peakRatio: ratio('peakMb') };
}

async function measureOne(sandbox: Sandbox, kind: Kind, options: N8nOptions): Promise<Measured> {
	const preload = `--require ${path.join(ROOT, 'tools/bench/collect-on-signal.cjs')}`;
	const env = { ...options.env, NODE_OPTIONS: preload };
	const n8n = await startN8n({ ...options, env });
	try {
		const client = await n8n.signIn();
		const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN };
		const credential = await client.createCredential('virtualPbxApi', 'PBX', account);
		const made = { kind, credential, sandbox };
		const wholePath = randomUUID();
		const warmPath = randomUUID();
		const whole = workflowWith({ ...made, hook: wholePath, records: RECORDS });
		const warm = workflowWith({ ...made, hook: warmPath, records: 10 });
		for (const file of [warm, whole]) {
			const { id } = await client.createWorkflow(file);
			await client.activate(id);
		}
		await call(n8n.url, warmPath);
		return await peakOf(n8n.pid ?? 0, async () => {
			const { count } = await call(n8n.url, wholePath);
			if (count !== RECORDS) throw new Error(`${kind} gave ${String(count)} records`);
		});
	} finally {
		await n8n.dispose();
	}
}

async function call(url: string, path: string): Promise<IDataObject> {
	const response = await fetch(`${url}/webhook/${path}`);
	if (!response.ok) throw new Error(await response.text());
	return (await response.json()) as IDataObject;
}

async function peakOf(pid: number, work: () => Promise<void>): Promise<Measured> {
	const field = (name: string) => {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
	};
	process.kill(pid, 'SIGUSR2');
	await sleep(3000);
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	const rest = field('VmRSS');
	const began = performance.now();
	await work();
	const ms = performance.now() - began;
	return { ms, peakMb: field('VmHWM') - rest, wholeMb: field('VmHWM') };
}

/** What a workflow of the benchmark is made for. */
interface Made {
	hook: string;
	kind: Kind;
	credential: Credential;
	sandbox: Sandbox;
	records: number;
}

function workflowWith({ hook, kind, credential, sandbox, records }: Made): WorkflowFile {
	const step = (name: string, type: string, typeVersion: number, parameters: IDataObject = {}) => ({
		id: name,
		name,
		type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
		typeVersion,
		position: [0, 0] as [number, number],
		parameters: parameters as WorkflowFile['nodes'][number]['parameters'],
	});
	const credentials = { virtualPbxApi: { id: credential.id, name: credential.name } };
	const minutes = records === RECORDS ? 31 * 24 * 60 : records;
	const from = Math.floor(Date.now() / 1000) + 62_167_219_200 - minutes * 60;
	const isOurs = kind === 'raw' || kind === 'simplified';
	const get = isOurs
		? step('Get', 'n8n-nodes-virtual-pbx.virtualPbx', 1, {
				resource: 'cdr',
				operation: 'getMany',
				returnAll: true,
				after: from,
				simplify: kind === 'simplified',
			})
		: step('Get', 'httpRequest', 4.2, {
				url: `${sandbox.url}/v1/pbx/accounts/{account_id}/cdrs?created_from=${from}`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'virtualPbxApi',
				options: {},
			});
	const split = kind === 'httpRequestSplit';
	const count = split || isOurs ? "={{ $('Last').all().length }}" : '={{ $json.data.length }}';
	const nodes = [
		{
			...step('Start', 'webhook', 2, { path: hook, responseMode: 'lastNode', options: {} }),
			webhookId: hook,
		},
		{ ...get, credentials },
		split
			? step('Last', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} })
			: step('Last', 'noOp', 1),
		step('One', 'limit', 1, { maxItems: 1 }),
		step('Count', 'set', 3.4, {
			assignments: { assignments: [{ id: 'c', name: 'count', type: 'number', value: count }] },
			options: {},
		}),
	];
	const names = nodes.map(({ name }) => name);
	const links = names
		.slice(1)
		.map((node, index) => [names[index], { main: [[{ node, type: 'main' as const, index: 0 }]] }]);
	const settings = { executionOrder: 'v1', saveDataSuccessExecution: 'none' } as const;
	return { name: `Benchmark: ${kind}`, nodes, connections: Object.fromEntries(links), settings };
}

if (require.main === module) {
	void measureCdrs(Number(process.argv[2] ?? 3)).then((result) => {
		console.log(JSON.stringify(result));
		for (const kind of KINDS) {
			const of = (what: keyof Measured) => median(result.rounds[kind].map((one) => one[what]));
			console.log(
				`${kind}: ${of('ms').toFixed(0)} ms (${result.timeRatio[kind].toFixed(2)}), peak ${of('peakMb').toFixed(0)} MB (${result.peakRatio[kind].toFixed(2)}), whole ${of('wholeMb').toFixed(0)} MB`,
			);
		}
	});
}
