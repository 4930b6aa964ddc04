import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { findMarks } from '../../nodes/VirtualPbx/events/secret';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { jsonOf } from '../../tools/n8n';
import { connect, eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { hostileDeliveries, sendAll } from '../support/trigger/hostile';
import { eventsOf, TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 20,
	speed: 100,
};
/** n8n answers about 40 a second; the contract tests send 10,000. */
const HOSTILE = Number(process.env.HOSTILE_DELIVERIES ?? 300);
const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const FOREIGN = {
	name: 'CRM',
	uri: 'http://127.0.0.1:9/calls',
	http_verb: 'post',
	hook: 'channel_destroy',
	retries: 0,
};

describe('the event trigger in a real n8n', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let workflow: Workflow;
	let foreign: IDataObject;
	beforeAll(async () => {
		n8n = await connect();
		pbx = await startPbx();
	});
	beforeEach(async () => {
		await pbx.client.reset();
		foreign = (await pbx.client.pbx('PUT', 'webhooks', FOREIGN)).data as IDataObject;
		workflow = await load({});
	});
	afterEach(async () => {
		await n8n.deactivate(workflow.id);
		expect(await pbx.client.webhooks()).toEqual([foreign]);
	});
	afterAll(async () => await pbx.sandbox.close());

	async function load(parameters: IDataObject, account = pbx.account): Promise<Workflow> {
		const credential = await n8n.createCredential('virtualPbxApi', `PBX ${randomUUID()}`, account);
		return await n8n.createWorkflow(triggerWorkflow(credential, parameters));
	}

	/** The hooks registered at a path, such as `webhook` or `webhook-test`. */
	async function hooks(path = 'webhook', of = pbx): Promise<unknown[]> {
		const all = await of.client.webhooks();
		return all
			.filter(({ uri }) => String(uri).includes(`/${path}/`))
			.map(({ hook }) => hook)
			.sort();
	}

	async function edit(
		parameters: IDataObject,
		credentials?: Workflow['nodes'][number]['credentials'],
	): Promise<void> {
		const nodes = workflow.nodes.map((node) => ({
			...node,
			parameters: { ...node.parameters, ...parameters } as typeof node.parameters,
			...(credentials && { credentials }),
		}));
		workflow = await n8n.updateWorkflow(workflow.id, { nodes });
	}

	it('runs a workflow once per event of a call, and never shows the secret', async () => {
		await n8n.activate(workflow.id);
		const [webhook] = (await pbx.client.webhooks()).slice(1);
		const [mark] = findMarks(webhook?.custom_data);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, { count: 3 });

		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);
		expect(mark?.secret).toHaveLength(64);
		expect(JSON.stringify(executions)).not.toContain(mark?.secret);
	});

	it.each([1, 1.1])('takes an event of any content type in version %d', async (version) => {
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
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

	it('follows changed events and options when the workflow is published again', async () => {
		await n8n.activate(workflow.id);
		await edit({ events: ['ended', 'missed'], options: { retries: 4 } });
		await n8n.activate(workflow.id);
		const own = (await pbx.client.webhooks()).slice(1);
		expect(own).toMatchObject([{ hook: 'channel_destroy', retries: 4 }]);

		await pbx.client.call({ ...CALL, outcome: 'no-answer', to: '102', wait: 'delivered' });
		expect(eventsOf(await n8n.waitForExecutions(workflow.id))).toEqual(['missed']);
	});

	it('moves to another PBX with a changed credential', async () => {
		const other = await startPbx();
		await n8n.activate(workflow.id);
		const credential = await n8n.createCredential('virtualPbxApi', 'Other PBX', other.account);
		await edit({}, { virtualPbxApi: { id: credential.id, name: credential.name } });
		await n8n.activate(workflow.id);

		expect([await hooks(), await hooks('webhook', other)]).toEqual([[], ALL]);
		await n8n.deactivate(workflow.id);
		expect(await hooks('webhook', other)).toEqual([]);
		await other.sandbox.close();
	});

	it('tells why an activation failed and leaves nothing behind', async () => {
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

	it('asks a PBX once that refuses a login for good, and says what to do', async () => {
		const wrong = await load({}, { ...pbx.account, password: 'wrong' });
		const logins = () => pbx.sandbox.pbx.requests.counters().logins;
		const before = logins();
		await expect(n8n.activate(wrong.id)).rejects.toThrow(
			/does not accept the login.*Check Login, Password and Realm/,
		);
		await n8n.deactivate(wrong.id);
		expect(logins() - before).toBeLessThanOrEqual(2);
	});

	it('publishes when the PBX comes back in time, and gives up with a message when it does not', async () => {
		const fault = { kind: 'status', path: '*/webhooks', status: 500 } as const;
		if (process.env.TEST_PUBLISHING !== 'older') {
			pbx.sandbox.pbx.faults.add({ ...fault, times: 2 });
			await n8n.activate(workflow.id);
			expect(await hooks()).toEqual(ALL);
			await n8n.deactivate(workflow.id);
		}
		pbx.sandbox.pbx.faults.add({ kind: 'silent', path: '*/webhooks' });
		const began = Date.now();
		await expect(n8n.activate(workflow.id)).rejects.toThrow(/within the time limit|in time/);
		expect(Date.now() - began).toBeLessThan(75_000);
		pbx.sandbox.pbx.faults.clear();
		expect(await hooks()).toEqual([]);
	});

	it('ends an unpublishing within 30 seconds where the PBX is silent', async () => {
		await n8n.activate(workflow.id);
		const fault = pbx.sandbox.pbx.faults.add({ kind: 'silent', path: '*/webhooks' });
		const began = Date.now();
		await n8n.deactivate(workflow.id);
		expect(Date.now() - began).toBeLessThan(32_000);
		pbx.sandbox.pbx.faults.remove(fault.id);
		await n8n.activate(workflow.id);
		expect(await hooks()).toEqual(ALL);
	});

	it('refuses an address that the PBX cannot reach, and names the setting', async () => {
		const unreachable = await load({}, { ...pbx.account, baseUrl: 'https://pbx.example.com' });
		await expect(n8n.activate(unreachable.id)).rejects.toThrow(
			/pbx\.example\.com cannot call this n8n at 127\.0\.0\.1/,
		);
	});

	it('hears in test mode and in production side by side', async () => {
		await n8n.activate(workflow.id);
		expect(await n8n.runManually(workflow, TRIGGER)).toMatchObject({ waitingForWebhook: true });
		expect([await hooks(), await hooks('webhook-test')]).toEqual([ALL, ALL]);
		await pbx.client.call({ ...CALL, wait: 'delivered' });

		const executions = await eventually(async () => {
			const found = await n8n.waitForExecutions(workflow.id, { count: 4 });
			expect(found.filter(({ mode }) => mode === 'webhook')).toHaveLength(3);
			return found;
		});
		// n8n takes its test URL away after the first event; the call's next one may come before that.
		expect(executions.filter(({ mode }) => mode === 'manual')).not.toEqual([]);
		await eventually(async () => expect(await hooks('webhook-test')).toEqual([]));
		expect(await hooks()).toEqual(ALL);

		await n8n.runManually(workflow, TRIGGER);
		await n8n.stopListening(workflow.id);
		await eventually(async () => expect(await hooks('webhook-test')).toEqual([]));
		expect(await hooks()).toEqual(ALL);
	});

	it('lets everybody go on listening after a test that could not register or clean up', async () => {
		const dead = await load({}, { ...pbx.account, baseUrl: 'http://127.0.0.1:9' });
		await expect(n8n.runManually(dead, TRIGGER)).rejects.toThrow('127.0.0.1:9');

		const removal = pbx.sandbox.pbx.faults.add({ kind: 'status', method: 'DELETE', status: 403 });
		await n8n.runManually(workflow, TRIGGER);
		await n8n.stopListening(workflow.id);
		await eventually(async () => expect(removal.hits).toBeGreaterThan(0));
		pbx.sandbox.pbx.faults.clear();

		const other = await load({});
		expect(await n8n.runManually(other, TRIGGER)).toMatchObject({ waitingForWebhook: true });
		await n8n.stopListening(other.id);
		await n8n.activate(workflow.id);
		await n8n.deactivate(workflow.id);
		await eventually(async () => expect(await hooks('webhook-test')).toEqual([]));
	});

	it('gets samples of all chosen events in test mode at once, without a call', async () => {
		await edit({ options: { sampleEvents: true, includeDetails: true } });
		await n8n.runManually(workflow, TRIGGER);
		const [execution] = await n8n.waitForExecutions(workflow.id);
		const items = execution ? jsonOf(execution, TRIGGER) : [];

		expect(items).toMatchObject([
			{ event: 'answered', outcome: 'answered', details: { state: 'answered' } },
			{ event: 'ended', details: { hangupReason: 'Ended normally' }, talkSeconds: 72 },
			{ event: 'started', outcome: 'ringing', customerNumber: '74951234567' },
		]);
		expect(await hooks('webhook-test')).toEqual([]);
	});

	it('leaves no orphan and no double through activations with faults between', async () => {
		const account = pbx.sandbox.pbx.firstAccount;
		const own = () => account.webhooks.all().slice(1);
		const registered = () =>
			own()
				.map(({ hook }) => hook)
				.sort();
		const harms: Array<() => void> = [
			() => own().forEach(({ id }) => account.webhooks.remove(id)),
			() =>
				own().forEach((webhook) =>
					account.webhooks.put({ ...webhook, id: `double-${webhook.id}` }),
				),
			() => own().forEach((webhook) => account.webhooks.put({ ...webhook, enabled: false })),
			() => own().forEach(({ custom_data: _, ...webhook }) => account.webhooks.put(webhook)),
			() =>
				own().forEach((webhook) => account.webhooks.put({ ...webhook, hook: 'channel_destroy' })),
			() => void pbx.sandbox.pbx.change({ webhook_list: 'without_uri' }),
			() =>
				void pbx.sandbox.pbx.faults.add({
					kind: 'drop',
					method: 'DELETE',
					when: 'after',
					times: 1,
				}),
			() =>
				void pbx.sandbox.pbx.faults.add({
					kind: 'status',
					method: 'DELETE',
					status: 500,
					times: 1,
				}),
		];
		for (const harm of harms) {
			await n8n.activate(workflow.id);
			expect(registered()).toEqual(ALL);
			harm();
			await n8n.deactivate(workflow.id);
			expect(registered()).toEqual([]);
			pbx.sandbox.pbx.change({ webhook_list: 'full' });
		}
	});

	it(`survives ${HOSTILE} hostile deliveries without an execution or an answer above 499`, async () => {
		await n8n.activate(workflow.id);
		const [webhook] = (await pbx.client.webhooks()).slice(1);
		const { above499, statuses } = await sendAll(String(webhook?.uri), hostileDeliveries(HOSTILE));

		expect(above499).toEqual([]);
		expect(Object.keys(statuses).every((status) => /^4/.test(status))).toBe(true);
		expect(await n8n.listExecutions({ workflowId: workflow.id })).toEqual([]);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		expect(await n8n.waitForExecutions(workflow.id, { count: 3 })).toHaveLength(3);
	}, 1_000_000);
});
