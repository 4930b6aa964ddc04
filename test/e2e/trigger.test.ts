import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { findTags } from '../../nodes/VirtualPbx/pbx/events/delivery';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import { jsonOf } from '../../tools/n8n';
import { eventually, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { CALL, eventsOf, TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const FOREIGN = {
	name: 'CRM',
	uri: 'http://127.0.0.1:9/calls',
	http_verb: 'post',
	hook: 'channel_destroy',
	retries: 0,
};

describe('the event trigger', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	let workflow: Workflow;
	let foreign: IDataObject;
	beforeAll(async () => ({ n8n, pbx, credential } = await startBed()));
	beforeEach(async () => {
		await pbx.client.reset();
		foreign = (await pbx.client.pbx('PUT', 'webhooks', FOREIGN)).data as IDataObject;
		workflow = await n8n.createWorkflow(triggerWorkflow(credential));
	});
	afterEach(async () => {
		await n8n.deactivate(workflow.id);
		expect(await pbx.client.webhooks()).toEqual([foreign]);
	});

	/** Returns the hooks registered at a path, such as `webhook` or `webhook-test`. */
	async function hooks(path = 'webhook'): Promise<unknown[]> {
		const all = await pbx.client.webhooks();
		return all
			.filter(({ uri }) => String(uri).includes(`/${path}/`))
			.map(({ hook }) => hook)
			.sort();
	}

	it('runs a workflow once per call event, with numbers in E.164, and never shows the secret', async () => {
		const data = { ...pbx.account, country: 'US' };
		const inTheUs = await n8n.createCredential('virtualPbxApi', 'PBX in the US', data);
		workflow = await n8n.createWorkflow(triggerWorkflow(inTheUs));
		await n8n.activate(workflow.id);
		const [webhook] = (await pbx.client.webhooks()).slice(1);
		const [tag] = findTags(webhook?.custom_data);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, { count: 3 });

		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);
		const items = executions.flatMap((execution) => jsonOf(execution, TRIGGER));
		expect(items.map(({ customerNumber }) => customerNumber)).toEqual(
			Array(3).fill('+12125550123'),
		);
		expect(tag?.secret).toHaveLength(64);
		expect(JSON.stringify(executions)).not.toContain(tag?.secret);
	});

	it('keeps the secret of a credential that a user saves again, and a copy has another', async () => {
		const name = 'PBX that is edited';
		const own = await n8n.createCredential('virtualPbxApi', name, { ...pbx.account });
		workflow = await n8n.createWorkflow(triggerWorkflow(own));
		const copy = await n8n.createWorkflow(triggerWorkflow(own));
		await n8n.activate(workflow.id);
		const secrets = async () => {
			const tags = (await pbx.client.webhooks()).flatMap((one) => findTags(one.custom_data));
			return [...new Set(tags.map(({ secret }) => secret))];
		};
		const [secret = ''] = await secrets();
		// The dialog gets a placeholder, and sends it back.
		const shown = await n8n.rest.request<{ data: typeof pbx.account }>(
			'GET',
			`credentials/${own.id}?includeData=true`,
		);
		expect((shown.data as IDataObject).webhookSecret).toMatch(/BLANK_VALUE/);
		await n8n.updateCredential(own, { ...shown.data, country: 'US' });
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.waitForExecutions(workflow.id, { count: 3 });
		await n8n.activate(copy.id);
		const both = await secrets();
		expect([both.length, both.includes(secret)]).toEqual([2, true]);
		expect(JSON.stringify(await n8n.getWorkflow(workflow.id))).not.toContain(secret);
		await n8n.deactivate(copy.id);
	});

	it.each([1, 1.1])('accepts events of any content type in version %d', async (version) => {
		const other = await n8n.createWorkflow(triggerWorkflow(credential, {}, version));
		await n8n.activate(other.id);
		const [webhook] = (await pbx.client.webhooks()).slice(1);
		const { custom_data: customData, uri } = webhook ?? {};
		const types = ['application/json', 'text/plain', 'application/octet-stream', undefined];
		for (const type of types) {
			const event = { name: 'CHANNEL_CREATE', args: { 'Call-ID': randomUUID() } };
			const { status } = await fetch(String(uri), {
				method: 'POST',
				headers: { ...(type && { 'content-type': type }) },
				body: Buffer.from(JSON.stringify({ ...event, custom_data: customData })),
			});
			expect([type, status]).toEqual([type, 200]);
		}

		const executions = await n8n.waitForExecutions(other.id, { count: types.length });
		expect(eventsOf(executions)).toEqual(types.map(() => 'started'));
		await n8n.deactivate(other.id);
	});

	it('reports why activation failed, and leaves nothing behind', async () => {
		const body = { message: 'Your plan has two webhooks' };
		pbx.sandbox.pbx.faults.add({
			kind: 'status',
			method: 'PUT',
			path: '*/webhooks',
			status: 400,
			skip: 1,
			body,
		});

		await expect(n8n.activate(workflow.id)).rejects.toThrow('Your plan has two webhooks');
		expect(await hooks()).toEqual([]);
	});

	it('receives events in test mode and production at the same time', async () => {
		await n8n.activate(workflow.id);
		expect(await n8n.runManually(workflow, TRIGGER)).toMatchObject({ waitingForWebhook: true });
		expect([await hooks(), await hooks('webhook-test')]).toEqual([ALL, ALL]);
		await pbx.client.call({ ...CALL, wait: 'delivered' });

		const executions = await eventually(async () => {
			const found = await n8n.waitForExecutions(workflow.id, { count: 4 });
			expect(found.filter(({ mode }) => mode === 'webhook')).toHaveLength(3);
			return found;
		});
		// n8n removes its test URL after the first event, but the next event can arrive earlier.
		expect(executions.filter(({ mode }) => mode === 'manual')).not.toEqual([]);
		await eventually(async () => expect(await hooks('webhook-test')).toEqual([]));
		expect(await hooks()).toEqual(ALL);

		// n8n 2.39 can't listen again while it stops listening: its cache then contains a value it can't clone.
		await eventually(async () => await n8n.runManually(workflow, TRIGGER));
		await n8n.stopListening(workflow.id);
		await eventually(async () => expect(await hooks('webhook-test')).toEqual([]));
		expect(await hooks()).toEqual(ALL);
	});
});
