import { Agent, request } from 'undici';
import type { Sandbox } from '../../sandbox';
import { outputOf } from '../n8n';
import type { Credential, Execution, N8nClient, Workflow } from '../n8n';
import { SANDBOX_LOGIN, SandboxClient } from '../sandbox-client';
import { firstAccount } from './account';
import { withBed } from './bed';
import { httpRequestNode, inARow, withCredential } from './flow';
import type { Part } from './flow';
import { inTurns } from './measure';
import { FLOOR_FOLDER } from './routing/flows';

const LATENCY_SECONDS = 0.02;
/** As many as our node keeps under way. */
const AT_ONCE = 20;

const READERS = ['floor', 'ours', 'httpRequest', 'undici'] as const;

/** Who reads. */
export type Reader = (typeof READERS)[number];

/** What came of it, in milliseconds: the rounds of each reader, and single runs of ours with other numbers of items. */
export interface ReadsResult {
	rounds: Record<Reader, number[]>;
	grown: Array<{ work: number; value: number }>;
}

/**
 * Reads a callflow for each item with 20 ms of server latency: our node, n8n's own HTTP Request node with our
 * credential, a node that does nothing but ask by n8n's helper, and undici, the last two with as many requests at once
 * as ours. The nodes' times are those that n8n notes for them.
 *
 * @param starts how many n8n's, one after the other, run the rounds: how fast a node runs varies from start to start
 * @param rounds in each of them
 * @param grow further numbers of items, for our node alone
 * @throws when a run does not give every item
 */
export async function measureReads(
	items: number,
	{ starts, rounds, grow }: { starts: number; rounds: number; grow: readonly number[] },
): Promise<ReadsResult> {
	const result: ReadsResult = {
		rounds: { floor: [], ours: [], httpRequest: [], undici: [] },
		grown: [],
	};
	for (let start = 1; start <= starts; start++) {
		await withBed({ N8N_CUSTOM_EXTENSIONS: FLOOR_FOLDER }, async ({ sandbox, client }) => {
			const figures = await inTurns(await prepare(client, sandbox, items), { rounds });
			for (const reader of READERS) result.rounds[reader].push(...figures[reader]);
			if (start < starts) return;
			for (const work of grow) {
				sandbox.pbx.faults.clear();
				const { ours } = await prepare(client, sandbox, work);
				result.grown.push({ work, value: await ours() });
			}
		});
	}
	return result;
}

async function prepare(
	client: N8nClient,
	sandbox: Sandbox,
	items: number,
): Promise<Record<Reader, () => Promise<number>>> {
	const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN };
	const credential = await client.createCredential('virtualPbxApi', 'PBX of the bench', account);
	const pbx = new SandboxClient(sandbox.url);
	const { data } = (await pbx.pbx('GET', 'callflows')) as { data: Array<{ id: string }> };
	const ids = Array.from({ length: items }, (_, index) => data[index % data.length]?.id ?? '');
	sandbox.pbx.faults.add({
		kind: 'latency',
		seconds: LATENCY_SECONDS,
		path: '/accounts/*/callflows/*',
	});
	const store = async (get: Part) =>
		await client.createWorkflow(inARow(`Benchmark: ${get.type}`, partsOf(ids, get)));
	const ours = await store(ourNode(credential));
	const httpRequest = await store(
		httpRequestNode(
			`=${sandbox.url}/v1/pbx/accounts/{account_id}/callflows/{{ $json.id }}`,
			credential,
		),
	);
	const floor = await store(floorNode(sandbox));
	return {
		floor: async () => await timeOf(client, floor, items),
		ours: async () => await timeOf(client, ours, items),
		httpRequest: async () => await timeOf(client, httpRequest, items),
		undici: async () => await timeOfUndici(sandbox, ids),
	};
}

async function timeOfUndici(sandbox: Sandbox, ids: string[]): Promise<number> {
	const { id: account, token } = firstAccount(sandbox);
	const headers = { 'x-auth-token': token };
	const dispatcher = new Agent({ connections: AT_ONCE });
	const left = [...ids];
	const began = performance.now();
	const reader = async () => {
		for (let id = left.pop(); id !== undefined; id = left.pop()) {
			const url = `${sandbox.url}/v1/pbx/accounts/${account}/callflows/${id}`;
			const { statusCode, body } = await request(url, { headers, dispatcher });
			await body.json();
			if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, reader));
	const ms = performance.now() - began;
	await dispatcher.close();
	return ms;
}

async function timeOf(client: N8nClient, workflow: Workflow, items: number): Promise<number> {
	const [newest] = await client.listExecutions({ workflowId: workflow.id }, 1);
	await client.runManually(workflow, 'Start');
	const [execution] = await client.waitForExecutions(workflow.id, {
		after: newest?.id ?? '0',
		withinMs: 60_000,
	});
	if (!execution) throw new Error('The execution did not end');
	return checkedTime(execution, items);
}

function checkedTime(execution: Execution, items: number): number {
	const { length } = outputOf(execution, 'Get');
	if (length !== items) throw new Error(`The node gave ${length} items (${execution.status})`);
	return execution.data.resultData.runData.Get?.[0]?.executionTime ?? NaN;
}

function partsOf(ids: string[], get: Part): Part[] {
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ id: ids }) };
	const split = { fieldToSplitOut: 'id', options: {} };
	return [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
		{ name: 'List', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: list },
		{ name: 'Items', type: 'n8n-nodes-base.splitOut', parameters: split },
		get,
	];
}

const ourNode = (credential: Credential): Part => {
	const parameters = {
		resource: 'callflow',
		operation: 'get',
		callflowId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
	};
	return withCredential(
		{ name: 'Get', type: 'n8n-nodes-virtual-pbx.virtualPbx', parameters },
		credential,
	);
};

function floorNode(sandbox: Sandbox): Part {
	const { id: account, token } = firstAccount(sandbox);
	const url = `=${sandbox.url}/v1/pbx/accounts/${account}/callflows/{{ $json.id }}`;
	return { name: 'Get', type: 'CUSTOM.benchReads', parameters: { url, token } };
}
