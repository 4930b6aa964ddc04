import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { jsonOf, makeNode, rowOf } from '../../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import { eventually, startPbx } from '../e2e';
import type { TestPbx } from '../e2e';
import { eventsOf, triggerWorkflow } from './workflow';
import type { Webhook } from '.';

export const HOOKS = ['channel_answer', 'channel_create', 'channel_destroy'];
export const EVENTS = ['answered', 'ended', 'started'];
/** A check each minute, at a second that nobody knows. */
export const ONE_CHECK_MS = 75_000;
const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 1,
	talk_seconds: 2,
	speed: 1000,
};
const ERROR_TRIGGER = 'Error';

/** A workflow of the event trigger, which checks each minute, in a real n8n, at a sandbox PBX of its own. */
export class CheckBed {
	private readonly foreign: Webhook[];
	/** How the activation has registered the trigger. */
	private registered: unknown;

	private constructor(
		private readonly n8n: N8nClient,
		readonly pbx: TestPbx,
		readonly credential: Credential,
		readonly workflow: Workflow,
	) {
		const uris = [`${this.url}/`, `${this.url}2`, 'http://127.0.0.1:9/webhook'];
		// Switched off, so that they fail no delivery.
		this.foreign = uris.map((uri, index) => ({
			...{ id: `foreign-${index}`, name: 'Someone else', hook: 'channel_destroy', uri },
			...{ http_verb: 'post', retries: 0, enabled: false },
		}));
		for (const one of this.foreign) this.store.put(structuredClone(one));
	}

	/**
	 * Stores and activates the workflow, with webhooks of others beside its own.
	 *
	 * @param options more of the trigger's options
	 * @param settings of the workflow
	 */
	static async start(
		n8n: N8nClient,
		options: IDataObject = {},
		settings: IDataObject = {},
	): Promise<CheckBed> {
		const pbx = await startPbx();
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		const file = triggerWorkflow(credential, { options: { checkMinutes: 1, ...options } });
		const workflow = await n8n.createWorkflow({
			...file,
			settings: { executionOrder: 'v1', ...settings },
		});
		const bed = new CheckBed(n8n, pbx, credential, workflow);
		await n8n.activate(workflow.id);
		bed.registered = bed.shown();
		return bed;
	}

	/** The address that the trigger registers. */
	private get url(): string {
		return `${this.n8n.rest.url}/webhook/${this.workflow.nodes[0]?.webhookId}/webhook`;
	}

	/** The webhooks of the account, straight from the sandbox's memory. */
	get store() {
		return this.pbx.sandbox.pbx.firstAccount.webhooks;
	}

	/** The trigger's own webhooks. */
	own(): Webhook[] {
		return this.store.all().filter(({ uri }) => uri === this.url);
	}

	/** What the trigger's own webhooks are for, sorted; a double shows as a double. */
	hooks(): string[] {
		return this.own()
			.map(({ hook, enabled }) => (enabled ? hook : `${hook} off`))
			.sort();
	}

	/** What matters of the trigger's own webhooks. */
	private shown(): unknown {
		const own = this.own().map(({ id: _, ...rest }) => rest);
		return own.sort((a, b) => a.hook.localeCompare(b.hook));
	}

	/** How many lists of webhooks the PBX was asked for. */
	lists(): number {
		const requests = this.pbx.sandbox.pbx.requests.list();
		return requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/webhooks'))
			.length;
	}

	/** Fails unless each event has exactly one healthy webhook, and those of others stand as they were. */
	expectHealthy(): void {
		expect(this.hooks()).toEqual(HOOKS);
		expect(this.shown()).toEqual(this.registered);
		this.expectForeignUntouched();
	}

	/** Fails unless nothing of the trigger is left, and the webhooks of others stand as they were. */
	expectNothingLeft(): void {
		expect(this.hooks()).toEqual([]);
		this.expectForeignUntouched();
	}

	expectForeignUntouched(): void {
		expect(this.foreign.map(({ id }) => this.store.get(id))).toEqual(this.foreign);
	}

	/** Waits for all to be well, as it must be after one check. */
	async becomesHealthy(withinMs = ONE_CHECK_MS): Promise<void> {
		await eventually(() => this.expectHealthy(), withinMs);
	}

	/** Places a call and waits until the PBX has sent its events. */
	async call(): Promise<void> {
		await this.pbx.client.call({ ...CALL, wait: 'delivered' });
	}

	/** The newest execution's id. */
	async newest(): Promise<string> {
		const [last] = await this.n8n.listExecutions({ workflowId: this.workflow.id }, 1);
		return last?.id ?? '0';
	}

	/** Fails unless a call runs the workflow once for each of its events. */
	async expectEvents(): Promise<void> {
		const after = await this.newest();
		await this.call();
		const wanted = { count: EVENTS.length, after };
		const executions = await this.n8n.waitForExecutions(this.workflow.id, wanted);
		expect(eventsOf(executions).sort()).toEqual(EVENTS);
	}

	/** Deactivates the workflow; fails unless nothing is left. */
	async deactivate(): Promise<void> {
		await this.n8n.deactivate(this.workflow.id);
		this.expectNothingLeft();
	}

	async close(): Promise<void> {
		await this.pbx.sandbox.close();
	}
}

/** Stores an error workflow, for `errorWorkflow` of a workflow's settings. */
export async function makeErrorWorkflow(n8n: N8nClient): Promise<Workflow> {
	const trigger = makeNode(ERROR_TRIGGER, 'n8n-nodes-base.errorTrigger');
	const workflow = await n8n.createWorkflow(rowOf(`Errors ${randomUUID()}`, [trigger]));
	return await n8n.activate(workflow.id);
}

/** What an error workflow was started with, the oldest first. */
export async function errorsOf(n8n: N8nClient, workflow: Workflow): Promise<IDataObject[]> {
	const executions = await n8n.waitForExecutions(workflow.id);
	return executions.flatMap((execution) => jsonOf(execution, ERROR_TRIGGER));
}
