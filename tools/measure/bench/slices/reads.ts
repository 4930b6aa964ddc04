import type { INode } from 'n8n-workflow';
import type { Sandbox } from '../../../../sandbox';
import { outputOf, rowOf } from '../../../n8n';
import type { N8nClient } from '../../../n8n';
import { createCredential, httpRequest, node, ourNode, withBed } from '../flow';
import { compare, alternate } from '../measure';
import type { Claim } from '../measure';

const ITEMS = 500;
const STARTS = 4;

/** Measures many reads from a slow server. Throws if a node doesn't read all. */
export async function measureReads(): Promise<Claim[]> {
	const ours: Array<{ ms: number }> = [];
	const theirs: Array<{ ms: number }> = [];
	// A node's speed varies between starts of n8n.
	for (let start = 0; start < STARTS; start++) {
		await withBed(async ({ sandbox, client }) => {
			const times = await alternate(await prepare(client, sandbox), { rounds: 8 });
			ours.push(...times.ours);
			theirs.push(...times.theirs);
		});
	}
	return compare('HTTP Request node', ours, theirs, [['time (ms)', 'ms']]);
}

async function prepare(client: N8nClient, { url, pbx }: Sandbox) {
	const credential = await createCredential(client, url);
	const [{ id = '' } = {}] = [...pbx.accounts.values()].flatMap((one) => one.callflows.all());
	pbx.faults.add({ kind: 'latency', seconds: 0.02, path: '/accounts/*/callflows/*' });
	const callflowId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
	const parameters = { resource: 'callflow', operation: 'get', callflowId };
	const theirUrl = `=${url}/v1/pbx/accounts/{account_id}/callflows/{{ $json.id }}`;
	return {
		ours: await timerOf(client, id, ourNode(parameters, credential)),
		theirs: await timerOf(client, id, httpRequest(theirUrl, credential)),
	};
}

/**
 * Stores a workflow that reads a callflow for each item. Returns a function that runs it once and
 * returns the duration n8n reports.
 */
async function timerOf(client: N8nClient, id: string, get: INode) {
	const jsonOutput = JSON.stringify({ id: Array.from({ length: ITEMS }, () => id) });
	const workflow = await client.createWorkflow(
		rowOf('Benchmark: reads', [
			node('Start', 'manualTrigger'),
			node('List', 'set', 3.4, { mode: 'raw', jsonOutput }),
			node('Items', 'splitOut', 1, { fieldToSplitOut: 'id', options: {} }),
			get,
		]),
	);
	return async () => {
		const { executionId = '' } = await client.runManually(workflow, 'Start');
		const after = String(Number(executionId) - 1);
		const [execution] = await client.waitForExecutions(workflow.id, { after });
		const length = execution && outputOf(execution, 'Get').length;
		if (length !== ITEMS) throw new Error(`${get.type} read ${length} of ${ITEMS} items`);
		return { ms: execution?.data.resultData.runData.Get?.[0]?.executionTime ?? NaN };
	};
}
