import { setTimeout as sleep } from 'node:timers/promises';
import type { INode } from 'n8n-workflow';

import { jsonOf, makeNode } from '../../tools/n8n';
import type { Credential, N8nClient, N8nProcess, Workflow, WorkflowFile } from '../../tools/n8n';
import { startRig } from '../../tools/endurance/rig';
import { runStarts } from '../../tools/endurance/starts';
import { eventually, later, startPbx } from '../support/e2e';
import { IS_RELEASE } from '../support/release';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import { recordWorkflow } from '../support/e2e/records';

const CALL = { from: '12125550123', to: '12125550100', ring_seconds: 1, talk_seconds: 2 };
const DOWN = { kind: 'status', status: 503, path: '*' } as const;
/** How long to wait for duplicates after all items have arrived. */
const DUPLICATES_MS = 8000;

describe('record triggers', () => {
	let own: N8nProcess;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	beforeAll(async () => {
		[{ main: own }, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		n8n = await own.signIn();
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
	}, 120_000);

	const triggerNode = (name: string): INode => {
		const [node] = recordWorkflow(credential, {
			event: 'newCallRecord',
			checkEvery: 'tenSeconds',
		}).nodes;
		return { ...(node as INode), name };
	};
	const change = async (workflow: Workflow, nodes: INode[]) => {
		await n8n.updateWorkflow(workflow.id, { nodes, connections: {} } as Partial<WorkflowFile>);
		await n8n.activate(workflow.id);
	};
	const call = async () => await pbx.client.call({ ...CALL, speed: 1000, wait: 'delivered' });
	/** Returns the call IDs of all records at the PBX, one per record. */
	const recorded = () =>
		[...pbx.sandbox.pbx.firstAccount.cdrs.range(0, Infinity)].map(({ BRIDGE_ID }) => BRIDGE_ID);

	/** Returns the call IDs that each trigger emitted. A renamed trigger has several names. */
	async function emitted({ id }: Workflow, ...nodes: string[][]): Promise<string[][]> {
		const done = await n8n.listExecutions({ workflowId: id });
		const all = await Promise.all(done.map(async (one) => await n8n.getExecution(one.id)));
		return nodes.map((names) =>
			all
				.flatMap((one) => names.flatMap((name) => jsonOf(one, name)))
				.map(({ callId }) => String(callId))
				.sort(),
		);
	}

	it('emit each record once, whatever changes are published and however n8n stops', async () => {
		const [a, b] = [triggerNode('A'), triggerNode('B')];
		const other = makeNode('Other', 'n8n-nodes-base.noOp');
		await call();
		const before = new Set(recorded());
		const workflow = await n8n.createWorkflow({
			name: 'Two triggers',
			nodes: [a, b, other],
			connections: {},
		} as WorkflowFile);
		await n8n.activate(workflow.id);

		const expectAll = async (longerMs = 0) => {
			const check = async () => {
				const all = recorded()
					.filter((id) => !before.has(id))
					.sort();
				expect(await emitted(workflow, ['A', 'Renamed'], ['B'])).toEqual([all, all]);
			};
			await eventually(check, 60_000);
			await sleep(longerMs);
			await check();
		};

		await call();
		await expectAll();
		await change(workflow, [a, b, { ...other, notes: 'changed' }]);
		const alone = { ...b, parameters: { ...b.parameters, options: { tryAgain: true } } };
		await change(workflow, [a, alone, other]);
		await call();
		await expectAll();
		await own.restart('kill');
		await call();
		await expectAll(DUPLICATES_MS);

		await change(workflow, [{ ...a, name: 'Renamed' }, alone, other]);
		await call();
		await expectAll();
		await own.stop();
		const fault = pbx.sandbox.pbx.faults.add(DOWN);
		await call();
		await own.start();
		const hits = () => pbx.sandbox.pbx.faults.list()[0]?.hits ?? 0;
		await eventually(() => expect(hits()).toBeGreaterThan(1));
		pbx.sandbox.pbx.faults.remove(fault.id);
		await expectAll(DUPLICATES_MS);
		await n8n.deactivate(workflow.id);
	}, 420_000);
});

describe('one execution per call', () => {
	it('starts for each call once, while n8n is killed', async () => {
		const rig = await startRig('regular');
		later(rig.dispose);
		const size = IS_RELEASE ? { rounds: 20, calls: 200 } : { rounds: 1, calls: 30 };
		const started = await runStarts(rig, size);
		expect(started).toMatchObject({ withoutRow: 0, withTwoSuccesses: 0, sentTwice: 0 });
		expect(started.withSuccess).toBeGreaterThan(0);
		// Waits for the result, not for a fixed time: on a busy machine, n8n can take minutes to restart.
	}, 3_600_000);
});
