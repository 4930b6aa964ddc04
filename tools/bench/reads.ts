/**
 * 500 Get operations on 500 items with 20 ms of server latency: our node beside n8n's own HTTP Request node with our
 * credential, in one n8n, in turns. The times are those that n8n itself notes for the node.
 *
 * Run by `npx tsx tools/bench/reads.ts [rounds]`; needs `npm run setup`.
 */
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { outputOf, startN8n } from '../n8n';
import type { Credential, Execution, N8nClient, N8nOptions, Workflow, WorkflowFile } from '../n8n';
import { SANDBOX_LOGIN, SandboxClient } from '../sandbox-client';
import { median } from './statistics';

const ITEMS = 500;
const LATENCY_SECONDS = 0.02;

/** What came of the benchmark. */
export interface ReadsResult {
	items: number;
	latencyMs: number;
	/** Milliseconds of each round, the warm-up left out. */
	ours: number[];
	httpRequest: number[];
	/** Median of the rounds' ratios, ours to the HTTP Request node's. */
	ratio: number;
}

/**
 * Measures in rounds of one run each, after one round to warm up.
 *
 * @param options how to start n8n
 * @throws when a run does not give every item
 */
export async function measureReads(rounds = 7, options: N8nOptions = {}): Promise<ReadsResult> {
	const sandbox = await startSandbox();
	const n8n = await startN8n(options);
	try {
		const client = await n8n.signIn();
		const run = await prepare(client, sandbox);
		const ours: number[] = [];
		const httpRequest: number[] = [];
		for (let round = 0; round <= rounds; round++) {
			const a = await run('ours');
			const b = await run('httpRequest');
			if (round === 0) continue;
			ours.push(a);
			httpRequest.push(b);
		}
		const ratio = median(ours.map((ms, index) => ms / (httpRequest[index] ?? NaN)));
		return { items: ITEMS, latencyMs: LATENCY_SECONDS * 1000, ours, httpRequest, ratio };
	} finally {
		await n8n.dispose();
		await sandbox.close();
	}
}

type Kind = 'ours' | 'httpRequest';

async function prepare(
	client: N8nClient,
	sandbox: Sandbox,
): Promise<(kind: Kind) => Promise<number>> {
	const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN };
	const credential = await client.createCredential(
		'virtualPbxApi',
		'PBX of the benchmark',
		account,
	);
	const pbx = new SandboxClient(sandbox.url);
	const { data } = (await pbx.pbx('GET', 'callflows')) as { data: Array<{ id: string }> };
	const ids = Array.from({ length: ITEMS }, (_, index) => data[index % data.length]?.id ?? '');
	sandbox.pbx.faults.add({
		kind: 'latency',
		seconds: LATENCY_SECONDS,
		path: '/accounts/*/callflows/*',
	});

	const workflows = {
		ours: await client.createWorkflow(workflowWith(ids, oursNode(credential))),
		httpRequest: await client.createWorkflow(
			workflowWith(ids, httpRequestNode(credential, sandbox.url)),
		),
	};
	return async (kind) => await timeOf(client, workflows[kind]);
}

async function timeOf(client: N8nClient, workflow: Workflow): Promise<number> {
	const [newest] = await client.listExecutions({ workflowId: workflow.id }, 1);
	await client.runManually(workflow, 'Start');
	const [execution] = await client.waitForExecutions(workflow.id, {
		after: newest?.id ?? '0',
		withinMs: 60_000,
	});
	if (!execution) throw new Error('The execution did not end');
	return checkedTime(execution);
}

function checkedTime(execution: Execution): number {
	const items = outputOf(execution, 'Get');
	if (items.length !== ITEMS)
		throw new Error(`The node gave ${items.length} items (${execution.status})`);
	return execution.data.resultData.runData.Get?.[0]?.executionTime ?? NaN;
}

function workflowWith(ids: string[], node: WorkflowFile['nodes'][number]): WorkflowFile {
	const step = (name: string, type: string, typeVersion: number, parameters = {}) => ({
		id: name,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion,
		position: [0, 0] as [number, number],
		parameters,
	});
	const next = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });
	return {
		name: `Benchmark: ${node.type}`,
		nodes: [
			step('Start', 'manualTrigger', 1),
			step('List', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ id: ids }) }),
			step('Items', 'splitOut', 1, { fieldToSplitOut: 'id', options: {} }),
			node,
		],
		connections: { Start: next('List'), List: next('Items'), Items: next('Get') },
	};
}

function oursNode(credential: Credential): WorkflowFile['nodes'][number] {
	return {
		id: 'get',
		name: 'Get',
		type: 'n8n-nodes-virtual-pbx.virtualPbx',
		typeVersion: 1,
		position: [0, 0],
		parameters: {
			resource: 'callflow',
			operation: 'get',
			callflowId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
		credentials: { virtualPbxApi: { id: credential.id, name: credential.name } },
	};
}

function httpRequestNode(credential: Credential, url: string): WorkflowFile['nodes'][number] {
	return {
		id: 'get',
		name: 'Get',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		position: [0, 0],
		parameters: {
			url: `=${url}/v1/pbx/accounts/{account_id}/callflows/{{ $json.id }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'virtualPbxApi',
			options: {},
		},
		credentials: { virtualPbxApi: { id: credential.id, name: credential.name } },
	};
}

if (require.main === module) {
	void measureReads(Number(process.argv[2] ?? 7)).then((result) => {
		console.log(JSON.stringify(result));
		const { items, latencyMs, ours, httpRequest, ratio } = result;
		console.log(
			`${items} reads with ${latencyMs} ms latency: ${median(ours)} ms, HTTP Request ${median(httpRequest)} ms, ratio ${ratio.toFixed(2)}`,
		);
	});
}
