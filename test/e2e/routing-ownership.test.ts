import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { N8nClient, OWNER } from '../../tools/n8n';
import type { Credential } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { IS_RELEASE } from '../support/release';
import { ask, callflowNamed, makeFlow, routing, routingTrigger } from '../support/routing';

const RIGHT = { operations: [{ type: 'extension', extension: '100' }] };

/** An n8n of its own, since it is stopped and moved. */
describe('whose pivot node it is, in a real n8n', () => {
	let own: OwnN8n;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	let before: IDataObject & { id: string };

	beforeAll(async () => {
		pbx = await startPbx();
		own = await startOwnN8n();
		n8n = await N8nClient.signIn(own.url, OWNER);
		credential = await n8n.createCredential('virtualPbxApi', 'Owner PBX', pbx.account);
		before = await callflowNamed(pbx, 'Main number');
	});
	afterAll(async () => {
		await own.dispose();
		await pbx.sandbox.close();
	});

	const now = async () => await callflowNamed(pbx, 'Main number');
	const make = async (webhookId?: string) =>
		await makeFlow(n8n, [
			{
				...routingTrigger(
					{ connect: 'callflow', callflowId: { __rl: true, mode: 'id', value: before.id } },
					credential,
				),
				...(webhookId && { webhookId }),
			},
			routing('buildAnswer', RIGHT.operations),
		]);
	const start = async () => {
		await own.main.start();
		n8n = await N8nClient.signIn(own.url, OWNER);
	};
	const isUp = async (url: string) =>
		await eventually(async () => expect((await ask(url)).body).toEqual(RIGHT), 120_000);

	it('leaves that of a production of which it is a copy alone, until a person activates', async () => {
		const flow = await make();
		await n8n.activate(flow.id);
		const production = await now();

		await own.main.stop();
		own.main.place.webhookUrl = `http://localhost:${new URL(own.url).port}/`;
		await start();
		await isUp(flow.url);
		await eventually(async () =>
			expect(await own.main.logTail(200)).toMatch(/it was published at 127\.0\.0\.1/),
		);
		expect(await now()).toEqual(production);
		await n8n.deactivate(flow.id);
		expect(await now()).toEqual(production);

		await n8n.activate(flow.id);
		expect(await now()).toMatchObject({
			flow: {
				data: { voice_url: expect.stringContaining('webserver=localhost:') },
				children: { _: before.flow },
			},
		});
		await n8n.deactivate(flow.id);
		expect(await now()).toEqual(before);
	});

	const refuseSecond = async () => {
		const webhookId = crypto.randomUUID();
		const [first, second] = [await make(webhookId), await make(webhookId)];
		await n8n.activate(second.id);
		await n8n.deactivate(second.id);
		await n8n.activate(first.id);
		const connected = await now();

		await own.main.stop();
		await own.sql(
			`UPDATE workflow_entity SET active = 1, "activeVersionId" = "versionId" WHERE id = '${second.id}'`,
		);
		await start();
		await isUp(first.url);
		// The first check comes within 20 seconds.
		await sleep(25_000);
		expect(await now()).toEqual(connected);
		await n8n.deactivate(second.id);
		expect(await now()).toEqual(connected);
		await n8n.deactivate(first.id);
		expect(await now()).toEqual(before);
	};
	if (IS_RELEASE)
		it('stays when n8n refuses, at its start, a second workflow with the same path', refuseSecond);

	const startSilent = async () => {
		const flows = [];
		for (let index = 0; index < 6; index++) flows.push(await make());
		const plain = await makeFlow(n8n, [routingTrigger(), routing('buildAnswer', RIGHT.operations)]);
		for (const { id } of [...flows, plain]) await n8n.activate(id);

		await own.main.stop();
		const fault = { kind: 'latency', seconds: 600, path: '/accounts/*' };
		await fetch(`${pbx.client.url}/sandbox/faults`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(fault),
		});
		await start();
		for (const { url } of [plain, ...flows]) await isUp(url);
		await fetch(`${pbx.client.url}/sandbox/faults`, { method: 'DELETE' });
		for (const { id } of flows) await n8n.deactivate(id);
		expect(await now()).toEqual(before);
	};
	if (IS_RELEASE)
		it('does not hold up other workflows when the PBX never answers at the start', startSilent);
});
