import type { IDataObject, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { startTrigger } from '../../support/core';
import type { TestTrigger } from '../../support/core';

/** What the toy trigger was asked to do, in order. */
const calls: string[] = [];
let failCreate = false;

const toyTrigger: INodeType = {
	description: {
		displayName: 'Toy Trigger',
		name: 'toyTrigger',
		group: ['trigger'],
		version: 1,
		description: 'Registers nowhere',
		defaults: { name: 'Toy Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
		],
		properties: [],
	},
	webhookMethods: {
		default: {
			async checkExists() {
				calls.push(`checkExists ${this.getActivationMode()}`);
				return this.getWorkflowStaticData('node').id !== undefined;
			},
			async create() {
				calls.push('create');
				this.getWorkflowStaticData('node').id = 'hook-1';
				if (failCreate) throw new Error('The PBX is down');
				return true;
			},
			async delete() {
				const data = this.getWorkflowStaticData('node');
				calls.push(`delete ${String(data.id)}`);
				delete data.id;
				return true;
			},
		},
	},
	async webhook() {
		const body = this.getBodyData() as IDataObject | undefined;
		if (body?.forged) {
			this.getResponseObject().status(401).json({ message: 'Forged' });
			return { noWebhookResponse: true };
		}
		if (body?.crash) throw new Error('A bug');
		return body?.name ? { workflowData: [[{ json: body }]] } : {};
	},
};

describe('a webhook trigger on n8n-core', () => {
	let trigger: TestTrigger;
	beforeEach(async () => {
		calls.length = 0;
		failCreate = false;
		trigger = await startTrigger({
			type: 'test.toyTrigger',
			types: { 'test.toyTrigger': toyTrigger },
		});
	});
	afterEach(async () => await trigger.close());

	it('keeps static data from activation over a restart to deactivation', async () => {
		await trigger.activate();
		expect(trigger.staticData).toEqual({ id: 'hook-1' });
		await trigger.activate('init');
		await trigger.deactivate();

		expect(trigger.staticData).toEqual({});
		expect(calls).toEqual(['checkExists activate', 'create', 'checkExists init', 'delete hook-1']);
	});

	it('loses static data when create fails, as n8n does', async () => {
		failCreate = true;
		await expect(trigger.activate()).rejects.toThrow('The PBX is down');

		expect(calls).toEqual(['checkExists activate', 'create', 'delete undefined']);
		expect(trigger.staticData).toEqual({});
	});

	it('keeps test mode apart from production', async () => {
		await trigger.activate();
		await trigger.activate('manual', 'test');
		await trigger.deactivate('test');

		expect(trigger.url('test')).toContain('/webhook-test/');
		expect(trigger.staticData).toEqual({ id: 'hook-1' });
	});

	it('starts an execution for a delivery that the node takes', async () => {
		const { status, body } = await trigger.deliver({ body: { name: 'CHANNEL_DESTROY' } });

		expect({ status, body }).toEqual({ status: 200, body: '{"message":"Workflow was started"}' });
		expect(trigger.executions).toEqual([[{ name: 'CHANNEL_DESTROY' }]]);
	});

	it.each([
		['a refusal by the node', { forged: true }, 401],
		['a delivery that the node ignores', { other: 1 }, 200],
		['a malformed body', '{"name":', 422],
		['a node that throws', { crash: true }, 500],
	])('starts nothing on %s', async (_, body, status) => {
		expect(await trigger.deliver({ body })).toMatchObject({ status });
		expect(trigger.executions).toEqual([]);
		expect(trigger.failures).toHaveLength(status === 500 ? 1 : 0);
	});

	it('answers 404 to another method', async () => {
		expect(await trigger.deliver({ method: 'GET' })).toMatchObject({ status: 404 });
	});
});
