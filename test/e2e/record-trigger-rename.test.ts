import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { jsonOf } from '../../tools/n8n';
import type { N8nClient, Workflow, WorkflowFile } from '../../tools/n8n';
import { connect, eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { POLL_PATIENCE_MS, POLL_TIMES } from '../support/e2e/polls';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 5,
	speed: 100,
};

describe('a record trigger that is renamed', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: { id: string; name: string };
	beforeAll(async () => {
		n8n = await connect();
		pbx = await startPbx();
		credential = await n8n.createCredential('virtualPbxApi', 'PBX of names', pbx.account);
	});
	afterAll(async () => await pbx.sandbox.close());

	const triggerNode = (name: string, parameters: IDataObject) => ({
		id: randomUUID(),
		name,
		type: 'n8n-nodes-virtual-pbx.virtualPbxRecordTrigger',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {
			pollTimes: POLL_TIMES,
			options: { settleSeconds: 0 },
			...parameters,
		} as never,
		credentials: { virtualPbxApi: { id: credential.id, name: credential.name } },
	});
	type Node = ReturnType<typeof triggerNode>;

	async function publish(workflow: Workflow, nodes: Node[]): Promise<void> {
		const changes: Partial<WorkflowFile> = { nodes, connections: {} };
		await n8n.updateWorkflow(workflow.id, changes);
		await n8n.activate(workflow.id);
	}

	async function call(): Promise<string> {
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const { data } = (await pbx.client.pbx('GET', 'cdrs')) as { data: IDataObject[] };
		return String(data[0]?.BRIDGE_ID);
	}

	/** What the nodes of these names have given, in all executions. */
	async function given({ id }: Workflow, ...names: string[]): Promise<string[]> {
		const done = await n8n.listExecutions({ workflowId: id });
		const all = await Promise.all(done.map(async (one) => await n8n.getExecution(one.id)));
		const items = all.flatMap((one) => names.flatMap((name) => jsonOf(one, name)));
		return items.map(({ bridgeId }) => String(bridgeId)).sort();
	}

	it('goes on, nothing twice and nothing lost; a new node under its old name begins anew', async () => {
		const since = new Date(Date.now() - 3_600_000).toISOString();
		const first = await call();
		const node = triggerNode('Calls', { firstRun: 'since', since });
		const file = { name: `Renamed ${randomUUID()}`, nodes: [node], connections: {} };
		const workflow = await n8n.createWorkflow(file as WorkflowFile);
		await n8n.activate(workflow.id);
		await eventually(async () => {
			expect(await given(workflow, 'Calls')).toEqual([first]);
		}, POLL_PATIENCE_MS);

		await n8n.deactivate(workflow.id);
		const second = await call();
		const renamed = { ...node, name: 'Renamed' };
		const heir = triggerNode('Calls', { firstRun: 'since', since });
		await publish(workflow, [renamed, heir]);
		await eventually(async () => {
			expect(await given(workflow, 'Renamed')).toEqual([second]);
			expect(await given(workflow, 'Calls')).toEqual([first, first, second].sort());
		}, POLL_PATIENCE_MS);
		await n8n.deactivate(workflow.id);
	}, 300_000);

	it('keeps the calls that "From Now On" was waiting for', async () => {
		const node = triggerNode('Calls', {});
		const file = { name: `Renamed ${randomUUID()}`, nodes: [node], connections: {} };
		const workflow = await n8n.createWorkflow(file as WorkflowFile);
		await n8n.activate(workflow.id);
		await n8n.deactivate(workflow.id);
		const settling = await call();
		await publish(workflow, [{ ...node, name: 'Renamed' }]);
		await eventually(async () => {
			expect(await given(workflow, 'Renamed')).toEqual([settling]);
		}, POLL_PATIENCE_MS);
		await n8n.deactivate(workflow.id);
	}, 200_000);
});
