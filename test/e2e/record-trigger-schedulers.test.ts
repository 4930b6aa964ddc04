import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';

import { jsonOf, startN8n } from '../../tools/n8n';
import type { N8nClient, N8nProcess, Workflow } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { EVERY_6_SECONDS } from '../support/e2e/polls';
import { RECORD_TRIGGER, recordWorkflow } from '../support/e2e/records';

const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	N8N_SCHEDULER_REAPER_INTERVAL: '5',
};
const CURSORS = { ...SCHEDULER, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' };

const CALL = { from: '74951234567', to: '74950000100', ring_seconds: 1, talk_seconds: 2 };
const CDRS = { method: 'GET', path: '*/cdrs' };
const at = (...crons: string[]) => ({
	item: crons.map((cronExpression) => ({ mode: 'custom', cronExpression })),
});
/** Of each third of a minute, five schedules. */
const FIVE_AT_ONCE = at(
	...[0, 20, 40].flatMap((second) =>
		['* * * * *', '*/1 * * * *', '0-59 * * * *', '* */1 * * *', '* 0-23 * * *'].map(
			(rest) => `${second} ${rest}`,
		),
	),
);
const TWINS = 10;
const ROUNDS = 6;
const KILLS = 3;
/** How long n8n lets a task of a dead process be. */
const LEASE_MS = 60_000;

describe.each([
	['the durable scheduler', SCHEDULER],
	['the durable scheduler and durable cursors', CURSORS],
])('the record trigger under %s', (_, env) => {
	let process: N8nProcess;
	let n8n: N8nClient;
	let pbx: TestPbx;
	beforeAll(async () => {
		process = await startN8n({ env });
		n8n = await process.signIn();
	}, 120_000);
	beforeEach(async () => void (pbx = await startPbx()));
	afterEach(async () => {
		for (const { id, active } of await n8n.listWorkflows()) if (active) await n8n.deactivate(id);
		await pbx.sandbox.close();
	});
	afterAll(async () => await process.dispose());

	async function activate(pollTimes: IDataObject = EVERY_6_SECONDS): Promise<Workflow> {
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		const parameters = { pollTimes, event: 'newCallRecord' };
		const workflow = await n8n.createWorkflow(recordWorkflow(credential, parameters));
		const before = polls();
		await n8n.activate(workflow.id);
		// n8n answers before it has polled, and calls count from then on.
		await eventually(() => expect(polls()).toBeGreaterThan(before));
		return workflow;
	}

	const polls = () =>
		pbx.sandbox.pbx.requests.list().filter(({ row }) => row.endsWith('/cdrs')).length;
	/** Places a call; the calls of all records of the PBX, one entry for each record. */
	const call = async () => await pbx.client.call({ ...CALL, speed: 1000, wait: 'delivered' });
	const calls = () => {
		const records = [...pbx.sandbox.pbx.firstAccount.cdrs.range(0, Infinity)];
		return records.map(({ BRIDGE_ID }) => String(BRIDGE_ID)).sort();
	};

	async function given({ id }: Workflow): Promise<string[]> {
		const done = await n8n.listExecutions({ workflowId: id, status: 'success' });
		const all = await Promise.all(done.map(async (one) => await n8n.getExecution(one.id)));
		const items = all.flatMap((one) => jsonOf(one, RECORD_TRIGGER));
		return items.map(({ callId }) => String(callId)).sort();
	}

	/** Waits for every call to be given, and some time for one that comes twice. */
	async function expectEachOnce(workflows: Workflow[], longerMs = 15_000): Promise<void> {
		const expectAll = async () => {
			for (const workflow of workflows) expect(await given(workflow)).toEqual(calls());
		};
		await eventually(expectAll, 120_000);
		await sleep(longerMs);
		await expectAll();
	}

	it('gives each call once over many polls', async () => {
		const workflow = await activate();
		for (let count = 0; count < 10; count++) {
			await call();
			await sleep(2000);
		}
		await expectEachOnce([workflow]);
	}, 180_000);

	it('gives each call once although several polls are due at the same moment', async () => {
		const workflows: Workflow[] = [];
		while (workflows.length < TWINS) workflows.push(await activate(FIVE_AT_ONCE));
		await sleep(5000);
		for (let round = 0; round < ROUNDS; round++) {
			await call();
			await sleep(20_000);
		}
		await expectEachOnce(workflows);
	}, 420_000);

	it('gives each call once although n8n is killed during polls, which it then repeats', async () => {
		const workflow = await activate();
		for (let kill = 0; kill < KILLS; kill++) {
			const fault = pbx.sandbox.pbx.faults.add({ kind: 'latency', ...CDRS, seconds: 5 });
			await call();
			const { hits } = fault;
			await eventually(() => expect(pbx.sandbox.pbx.faults.list()[0]?.hits).toBeGreaterThan(hits));
			await sleep(kill * 2000);
			await process.kill();
			pbx.sandbox.pbx.faults.clear();
			await process.start();
		}
		await expectEachOnce([workflow], LEASE_MS + 30_000);
	}, 420_000);

	it('ends polls before n8n gives up on them, and goes on where they ended', async () => {
		const workflow = await activate();
		const slow = pbx.sandbox.pbx.faults.add({ kind: 'latency', ...CDRS, seconds: 20 });
		await call();
		await eventually(async () => expect(await given(workflow)).toEqual(calls()), 90_000);
		pbx.sandbox.pbx.faults.remove(slow.id);
		const silent = pbx.sandbox.pbx.faults.add({ kind: 'silent', ...CDRS });
		await call();
		await sleep(60_000);
		pbx.sandbox.pbx.faults.remove(silent.id);
		await expectEachOnce([workflow]);
		expect(readFileSync(process.log, 'utf8')).not.toMatch(/exceeded its timeout/);
	}, 420_000);
});
