import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INode } from 'n8n-workflow';

import { jsonOf, startN8n } from '../../tools/n8n';
import type { Credential, N8nClient, N8nProcess, Workflow, WorkflowFile } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { EVERY_6_SECONDS } from '../support/e2e/polls';
import { publish } from '../support/e2e/publication';
import { RECORD_TRIGGER, recordWorkflow } from '../support/e2e/records';
import { IS_RELEASE } from '../support/release';

const CALL = { from: '74951234567', to: '74950000100', ring_seconds: 1, talk_seconds: 2 };
const POLLS = { pollTimes: EVERY_6_SECONDS };
const DOWN = { kind: 'status', status: 503, path: '*' } as const;
/** So long after all has come something would have come twice. */
const TWICE_MS = 15_000;

/** n8n's durable scheduler and cursors, which store a poll's items and what it leaves together. */
const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
};
const WAYS: Array<[string, 'true' | 'false', Record<string, string>]> = [
	['in the background', 'true', {}],
	['the older way', 'false', {}],
	...(IS_RELEASE ? [['with durable cursors', 'true', DURABLE] as (typeof WAYS)[number]] : []),
];

describe.each(WAYS)('record triggers in a real n8n that publishes %s', (_, isService, more) => {
	let process: N8nProcess;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	beforeAll(async () => {
		const env = { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: isService, ...more };
		[process, pbx] = await Promise.all([startN8n({ env }), startPbx()]);
		n8n = await process.signIn();
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
	}, 120_000);
	afterAll(async () => {
		await process.dispose();
		await pbx.sandbox.close();
	});

	const published = async ({ id }: Workflow) => await publish(n8n, id);
	const triggerNode = (name: string): INode => {
		const [node] = recordWorkflow(credential, { event: 'newCallRecord', ...POLLS }).nodes;
		return { ...(node as INode), name };
	};
	const change = async (workflow: Workflow, nodes: INode[]) => {
		await n8n.updateWorkflow(workflow.id, { nodes, connections: {} } as Partial<WorkflowFile>);
		expect(await published(workflow)).toBe('');
	};
	const requests = (rowEnd: string) =>
		pbx.sandbox.pbx.requests.list().filter(({ row }) => row.endsWith(rowEnd)).length;
	const call = async () => await pbx.client.call({ ...CALL, speed: 1000, wait: 'delivered' });
	/** The calls of all records of the PBX, one entry for each record. */
	const recorded = () =>
		[...pbx.sandbox.pbx.firstAccount.cdrs.range(0, Infinity)].map(({ BRIDGE_ID }) => BRIDGE_ID);

	/** What the triggers of these names have given, one list for each node. */
	async function given({ id }: Workflow, ...nodes: string[][]): Promise<string[][]> {
		const done = await n8n.listExecutions({ workflowId: id });
		const all = await Promise.all(done.map(async (one) => await n8n.getExecution(one.id)));
		return nodes.map((names) =>
			all
				.flatMap((one) => names.flatMap((name) => jsonOf(one, name)))
				.map(({ callId }) => String(callId))
				.sort(),
		);
	}

	it('give each record once, whatever is published and however n8n ends', async () => {
		const [a, b] = [triggerNode('A'), triggerNode('B')];
		const other = {
			...a,
			id: randomUUID(),
			name: 'Other',
			type: 'n8n-nodes-base.noOp',
			parameters: {},
		};
		await call();
		const before = new Set(recorded());
		const workflow = await n8n.createWorkflow({
			name: 'Two triggers',
			nodes: [a, b, other],
			connections: {},
		} as WorkflowFile);
		expect(await published(workflow)).toBe('');

		const expectAll = async (longerMs = 0) => {
			const check = async () => {
				const all = recorded()
					.filter((id) => !before.has(id))
					.sort();
				expect(await given(workflow, ['A', 'Renamed'], ['B'])).toEqual([all, all]);
			};
			await eventually(check, 60_000);
			await sleep(longerMs);
			await check();
		};

		await call();
		await expectAll();
		await change(workflow, [a, b, { ...other, notes: 'changed' }]);
		const alone = { ...b, parameters: { ...b.parameters, options: { maxItems: 400 } } };
		await change(workflow, [a, alone, other]);
		for (let round = 0; round < 3; round++) {
			await call();
			await sleep(7000);
		}
		await expectAll();
		await process.restart('kill');
		await call();
		await expectAll(TWICE_MS);

		await change(workflow, [{ ...a, name: 'Renamed' }, alone, other]);
		await call();
		await expectAll();
		await process.stop();
		const fault = pbx.sandbox.pbx.faults.add(DOWN);
		await call();
		await process.start();
		await sleep(10_000);
		pbx.sandbox.pbx.faults.remove(fault.id);
		await expectAll(TWICE_MS);
		await n8n.deactivate(workflow.id);
	}, 420_000);

	it('tell a person what is wrong and what to do in one message, and ask the PBX once', async () => {
		const data = { ...pbx.account, password: 'wrong' };
		const wrong = await n8n.createCredential('virtualPbxApi', 'Wrong', data);
		const workflow = await n8n.createWorkflow(recordWorkflow(wrong));
		const logins = requests('/user_auth');
		expect(await published(workflow)).toMatch(/login, password/i);
		expect(requests('/user_auth') - logins).toBe(1);
		await n8n.deactivate(workflow.id);

		await n8n.updateWorkflow(workflow.id, recordWorkflow(wrong, { firstRun: 'since' }));
		expect(await published(workflow)).toMatch(/Since.* Pick a date and time/);
		expect(requests('/user_auth') - logins).toBe(1);
		await n8n.deactivate(workflow.id);
	}, 120_000);

	(IS_RELEASE ? it : it.skip)(
		'fail to be published on a PBX that is down if they have read nothing yet, and go on otherwise',
		async () => {
			const workflow = await n8n.createWorkflow(recordWorkflow(credential, POLLS));
			const fault = pbx.sandbox.pbx.faults.add(DOWN);
			expect(await published(workflow)).toMatch(/not available/);
			await n8n.deactivate(workflow.id);
			pbx.sandbox.pbx.faults.remove(fault.id);
			expect(await published(workflow)).toBe('');

			await n8n.deactivate(workflow.id);
			const again = pbx.sandbox.pbx.faults.add(DOWN);
			expect(await published(workflow)).toBe('');
			const before = new Set(recorded());
			await call();
			const [made] = recorded().filter((id) => !before.has(id));
			pbx.sandbox.pbx.faults.remove(again.id);
			await eventually(async () => {
				const all = await n8n.listExecutions({ workflowId: workflow.id, status: 'success' });
				const [one] = await Promise.all(all.map(async ({ id }) => await n8n.getExecution(id)));
				expect(one && jsonOf(one, RECORD_TRIGGER)).toMatchObject([{ callId: made }]);
			});
			await n8n.deactivate(workflow.id);
		},
		240_000,
	);
});
