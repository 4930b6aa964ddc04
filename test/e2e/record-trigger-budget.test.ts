import { randomUUID } from 'node:crypto';

import { jsonOf } from '../../tools/n8n';
import type { Execution, WorkflowFile } from '../../tools/n8n';
import { connect, eventually, startPbx } from '../support/e2e';

const CALLS = 12;
const CALL = { from: '74951234567', to: '74950000100', ring_seconds: 1, talk_seconds: 2 };
/** Of one download; four run at once, so all of them take twice as long as a poll may. */
const DOWNLOAD_SECONDS = 20;
const TRIGGER = 'Recording Ready';

it('recordings that take longer than a poll may come bit by bit, each once', async () => {
	const n8n = await connect();
	const pbx = await startPbx();
	const credential = await n8n.createCredential('virtualPbxApi', 'Slow PBX', pbx.account);
	const since = new Date(Date.now() - 3_600_000).toISOString();
	for (let count = 0; count < CALLS; count++)
		await pbx.client.call({ ...CALL, speed: 1000, wait: 'delivered' });
	const latency = { kind: 'latency', method: 'GET', seconds: DOWNLOAD_SECONDS } as const;
	pbx.sandbox.pbx.faults.add({ ...latency, path: '*/recordings/*' });

	const parameters = { event: 'recordingReady', downloadRecording: true, firstRun: 'since', since };
	const workflow = await n8n.createWorkflow({
		name: `Recordings ${randomUUID()}`,
		nodes: [
			{
				id: randomUUID(),
				name: TRIGGER,
				type: 'n8n-nodes-virtual-pbx.virtualPbxRecordTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, ...parameters },
				credentials: { virtualPbxApi: { id: credential.id, name: credential.name } },
			},
		],
		connections: {},
	} as WorkflowFile);
	const given = (executions: Execution[]) =>
		executions.flatMap((one) => jsonOf(one, TRIGGER).map(({ callId }) => String(callId)));

	await n8n.activate(workflow.id);
	const [first] = await n8n.waitForExecutions(workflow.id, { withinMs: 90_000 });
	const early = given(first ? [first] : []).length;
	expect(early).toBeGreaterThan(0);
	expect(early).toBeLessThan(CALLS);

	await eventually(async () => {
		const all = given(await n8n.waitForExecutions(workflow.id));
		expect(all).toHaveLength(CALLS);
		expect(new Set(all).size).toBe(CALLS);
	}, 240_000);
	await n8n.deactivate(workflow.id);
	await pbx.sandbox.close();
}, 420_000);
