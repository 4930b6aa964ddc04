import type { INode } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox';
import { outputOf, rowOf } from '../../n8n';
import type { N8nClient } from '../../n8n';
import { SandboxClient } from '../../sandbox-client';
import { withBed } from '../bed';
import {
	createCredential,
	FLOOR,
	floorReads,
	httpRequest,
	node,
	ourNode,
	WITH_FLOOR,
} from '../flow';
import { claim, inTurns } from '../measure';
import type { Claim, Slice } from '../measure';

const ITEMS = 500;
const STARTS = 4;

/** Many reads against a server that takes its time. */
export const reads: Slice = {
	name: 'reads',
	measure,
};

async function measure(): Promise<Claim[]> {
	const all: Record<'ours' | 'theirs' | 'floor', number[]> = { ours: [], theirs: [], floor: [] };
	// How fast a node runs varies from start to start of n8n.
	for (let start = 0; start < STARTS; start++) {
		await withBed(async ({ sandbox, client }) => {
			const readers = await prepare(client, sandbox);
			const times = await inTurns(readers, { rounds: 8 });
			for (const name of ['ours', 'theirs', 'floor'] as const) all[name].push(...times[name]);
		}, WITH_FLOOR);
	}
	const about = { what: 'time', unit: 'ms' };
	return [
		claim({ ...about, against: 'HTTP Request node' }, all.ours, all.theirs),
		claim({ ...about, against: FLOOR.helper, aim: { atMost: 1.05 } }, all.ours, all.floor),
	];
}

async function prepare(client: N8nClient, sandbox: Sandbox) {
	const credential = await createCredential(client, sandbox.url);
	const { data } = await new SandboxClient(sandbox.url).pbx('GET', 'callflows');
	const callflows = data as Array<{ id: string }>;
	const ids = Array.from({ length: ITEMS }, (_, index) => callflows[index % callflows.length]?.id);
	const path = '/accounts/*/callflows/*';
	sandbox.pbx.faults.add({ kind: 'latency', seconds: 0.02, path });
	const url = `=${sandbox.url}/v1/pbx/accounts/{account_id}/callflows/{{ $json.id }}`;
	const callflowId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
	const parameters = { resource: 'callflow', operation: 'get', callflowId };
	return {
		ours: await timerOf(client, ids, ourNode(parameters, credential)),
		theirs: await timerOf(client, ids, httpRequest(url, credential)),
		floor: await timerOf(client, ids, floorReads(url, credential)),
	};
}

/** Stores a workflow that reads each id. Returns what runs it once, and throws when it does not read all of them. */
async function timerOf(client: N8nClient, ids: unknown[], get: INode) {
	const workflow = await client.createWorkflow(
		rowOf('Benchmark: reads', [
			node('Start', 'manualTrigger'),
			node('List', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ id: ids }) }),
			node('Items', 'splitOut', 1, { fieldToSplitOut: 'id', options: {} }),
			get,
		]),
	);
	return async () => {
		const [newest] = await client.listExecutions({ workflowId: workflow.id }, 1);
		await client.runManually(workflow, 'Start');
		const after = newest?.id ?? '0';
		const [execution] = await client.waitForExecutions(workflow.id, { after, withinMs: 60_000 });
		const length = execution && outputOf(execution, 'Get').length;
		if (length !== ids.length) throw new Error(`${get.type} read ${length} of ${ids.length} items`);
		return execution?.data.resultData.runData.Get?.[0]?.executionTime ?? NaN;
	};
}
