import './environment';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookContext, TriggerContext, WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	IHookFunctions,
	INode,
	INodeTypes,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookData,
	IWebhookDescription,
	IWebhookFunctions,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { nodeRuntimes } from '../../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { inARow } from '../../../tools/n8n/flow';
import { listenForWebhooks } from './endpoint';
import type { WebhookRequest, WebhookResponse } from './endpoint';
import { loadNodeTypes } from './types';
import type { ExtraTypes } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

/**
 * How n8n publishes: `background` since 2.41 (hooks and `trigger()` in parallel, five attempts with
 * `delete` after each failure), `older` before it and with N8N_USE_WORKFLOW_PUBLICATION_SERVICE=false.
 */
export type PublishingWay = 'background' | 'older';

/** Both, for `describe.each`. */
export const BOTH_WAYS: readonly PublishingWay[] = ['background', 'older'];

/** n8n waits 1, 2, 4 and 8 s between its attempts. */
const PAUSES_MS = [10, 20, 40, 80];

/** Production (`/webhook/`) or test (`/webhook-test/`) registration. */
type Side = 'production' | 'test';
/** A method of n8n's `webhookMethods`. */
type HookName = 'checkExists' | 'create' | 'delete';

/** A registration or removal: the workflow as n8n read it for this, and the reason. */
interface Turn {
	workflow: Workflow;
	mode: WorkflowActivateMode;
	side: Side;
}

export interface Delivery {
	body?: unknown;
	method?: string;
	headers?: Record<string, string>;
	/** Its fields, or the raw text. */
	query?: Record<string, string> | string;
	/** When the sender hangs up. */
	signal?: AbortSignal;
	side?: Side;
	webhook?: 'default' | 'setup';
}

export type TriggerInput = TestNode & {
	types?: ExtraTypes;
	/** The identity that the triggers of one workflow share. */
	workflow?: { id?: string; name?: string };
	/** Nodes after the trigger, each feeding the next. */
	behind?: TestNode[];
	/** How n8n publishes, by default in the background. */
	way?: PublishingWay | undefined;
};

/**
 * Sets up a webhook trigger as n8n would. It listens on its URLs, so that the sandbox can deliver to them.
 * Nothing is registered until `activate()`. Close it after the test.
 */
export async function startTrigger(input: TriggerInput): Promise<TestTrigger> {
	const { types, workflow = {}, behind = [], way = 'background', ...testNode } = input;
	const node = makeNode({ webhookId: randomUUID(), ...testNode });
	const nodes: [INode, ...INode[]] = [node, ...behind.map(makeNode)];
	const names = nodes.map(({ type }) => type);
	const trigger = new TestTrigger(nodes, await loadNodeTypes(names, types), way, workflow);
	await trigger.listen();
	return trigger;
}

/** A webhook trigger under test, which n8n publishes and unpublishes, and which starts executions as n8n does. */
export class TestTrigger {
	/** Warnings and errors that the hooks wrote to n8n's log, and informational entries. */
	readonly log: string[] = [];
	readonly notes: string[] = [];
	/** The JSON items of every execution started by a delivery. */
	readonly executions: IDataObject[][] = [];
	/** Errors thrown by `webhook()`. n8n responds 500 to each and records a failed execution. */
	readonly failures: Error[] = [];
	/** Failed executions that the node requested, which start the error workflow. */
	readonly reported: Error[] = [];
	/** n8n's response instead of the node's: 404 without a route, or 200 with its editor's page. */
	answersInstead: 200 | 404 | 502 | undefined;
	/** Something that n8n waits for before it starts an execution, such as a busy database. */
	beforeStart: (() => Promise<unknown>) | undefined;
	private refusesNext = false;
	private listener: Awaited<ReturnType<typeof listenForWebhooks>> | undefined;
	private instanceUrl = '';
	/** Static data by side. n8n keeps production's in its database, and test mode's only while listening. */
	private readonly saved: Record<Side, IDataObject> = { production: {}, test: {} };
	private readonly node: INode;
	/** The node's scheduled calls while it is active. */
	private crons: Array<() => unknown> = [];
	private running: ITriggerResponse | undefined;

	constructor(
		private readonly nodes: [INode, ...INode[]],
		private readonly nodeTypes: INodeTypes,
		private readonly way: PublishingWay,
		private readonly identity: { id?: string; name?: string },
	) {
		[this.node] = nodes;
	}

	/** Starts the HTTP listener. `startTrigger` has already called it. */
	async listen(): Promise<void> {
		this.listener = await listenForWebhooks(async (...args) => await this.receive(...args));
		this.instanceUrl = this.listener.url;
	}

	async close(): Promise<void> {
		await this.listener?.close();
	}

	/** Moves n8n to another address, or to another trigger's, as a changed N8N_WEBHOOK_URL does. */
	moveTo(instanceUrl: string): void {
		this.instanceUrl = instanceUrl;
	}

	/** The node's own static data as n8n would have it in its database. Assign to simulate a loss. */
	get staticData(): IDataObject {
		return (this.saved.production[`node:${this.node.name}`] ?? {}) as IDataObject;
	}
	set staticData(data: IDataObject) {
		this.saved.production[`node:${this.node.name}`] = data;
	}

	/** Changes parameters, as an edit in the editor does. Takes effect with the next activation. */
	setParameters(parameters: INode['parameters']): void {
		this.node.parameters = { ...this.node.parameters, ...parameters };
	}

	url(side: Side = 'production', webhook: 'default' | 'setup' = 'default'): string {
		const context = this.hookContext(this.describe(webhook), this.turn('activate', side));
		const url = context.getNodeWebhookUrl(webhook);
		if (!url) throw new Error(`${this.node.type} has no webhook URL`);
		return url;
	}

	/** Makes n8n fail to start the next execution, as with a full disk: the caller gets 500. */
	failNext(): void {
		this.refusesNext = true;
	}

	/** Sends an HTTP request to the webhook: objects as JSON, strings unchanged. */
	async deliver(
		delivery: Delivery = {},
	): Promise<{ status: number; body: string; headers: Headers }> {
		const { body, method = 'POST', query = {}, side, webhook, signal } = delivery;
		const target = new URL(new URL(this.url(side, webhook)).pathname, this.listener?.url);
		target.search = typeof query === 'string' ? query : new URLSearchParams(query).toString();
		const raw = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
		const headers = { 'content-type': 'application/json', ...delivery.headers };
		const init = { method, headers, body: raw ?? null, signal: signal ?? null };
		const response = await fetch(target, init);
		return { status: response.status, body: await response.text(), headers: response.headers };
	}

	/**
	 * Activates as n8n does: `checkExists`, then `create` if it returned false, for every webhook, with
	 * `trigger()` after or in parallel. After a failure, n8n calls `delete`. With `init` it acts as at
	 * n8n's start. Throws what the node threw.
	 */
	async activate(
		mode: WorkflowActivateMode = 'activate',
		side: Side = 'production',
	): Promise<void> {
		const turn = this.turn(mode, side);
		if (this.way === 'older' || side === 'test') {
			try {
				await this.register(turn);
			} catch (error) {
				await this.deactivate(side);
				throw error;
			}
			this.save(turn);
			if (side === 'production') await this.run(turn);
			return;
		}
		const running = this.run(turn);
		try {
			await this.registerInAttempts(turn);
		} finally {
			await running;
			this.save(turn);
		}
	}

	async deactivate(side: Side = 'production'): Promise<void> {
		const turn = this.turn('update', side);
		await this.remove(turn);
		this.save(turn);
		if (side === 'production') await this.stop();
	}

	/** Restarts n8n after a kill: a new process without this one's memory. */
	async restart(mode: WorkflowActivateMode = 'init'): Promise<void> {
		nodeRuntimes.clear();
		this.running = undefined;
		this.crons = [];
		await this.activate(mode);
	}

	/** Publishes a new version as n8n does for a changed trigger: tears the old one down, then activates. */
	async republish(changes: INode['parameters'] = {}): Promise<void> {
		await this.deactivate();
		this.setParameters(changes);
		await this.activate('update');
	}

	/** Lets minutes pass for an active trigger, and waits for what it does meanwhile. */
	async pass(minutes: number): Promise<void> {
		for (let count = 0; count < minutes; count++)
			await Promise.all(this.crons.map(async (tick) => await tick()));
	}

	/**
	 * Calls a single hook, saves static data, and returns the hook's result. For states that n8n reaches
	 * only by crashing.
	 */
	async hook(name: HookName): Promise<boolean> {
		const turn = this.turn('activate', 'production');
		const answer = await this.call(name, this.describe('default'), turn);
		this.save(turn);
		return answer;
	}

	private async register(turn: Turn): Promise<void> {
		for (const webhook of this.webhooks) {
			if (await this.call('checkExists', webhook, turn)) continue;
			await this.call('create', webhook, turn);
		}
	}

	private async registerInAttempts(turn: Turn): Promise<void> {
		for (let attempt = 0; ; attempt++) {
			try {
				await this.register(turn);
				return;
			} catch (error) {
				await this.remove(turn);
				const pause = PAUSES_MS[attempt];
				if (pause === undefined) throw error;
				await sleep(pause);
			}
		}
	}

	/** Calls `delete` for every webhook, and ignores failures as n8n does. */
	private async remove(turn: Turn): Promise<void> {
		for (const webhook of this.webhooks)
			await this.call('delete', webhook, { ...turn, mode: 'update' }).catch(() => false);
	}

	private async run({ workflow, mode }: Turn): Promise<void> {
		await this.stop();
		const fail = () => assert.fail('not to be called');
		const context = new TriggerContext(
			workflow,
			this.node,
			this.additionalData(workflow),
			'trigger',
			mode,
			fail,
			fail,
			(error) => void this.reported.push(error as Error),
			{ registerCron: (_, onTick) => void this.crons.push(() => onTick(new Date())) },
		);
		const logged = Object.defineProperty(context, 'logger', { value: this.logger });
		this.running = await this.type.trigger?.call(logged as unknown as ITriggerFunctions);
	}

	private async stop(): Promise<void> {
		await this.running?.closeFunction?.();
		this.running = undefined;
		this.crons = [];
	}

	private async receive(request: WebhookRequest, response: WebhookResponse): Promise<void> {
		if (this.answersInstead !== undefined) {
			response.status(this.answersInstead).send('<html></html>');
			return;
		}
		const target = this.match(request);
		if (!target) {
			response.status(404).json({ message: `${request.method} ${request.path} is not a webhook` });
			return;
		}
		const workflow = this.makeWorkflow(target.side);
		const mode = target.side === 'test' ? 'manual' : 'webhook';
		const data = this.webhookData(workflow, target.webhook, target.side);
		const additional = {
			...data.workflowExecuteAdditionalData,
			httpRequest: request,
			httpResponse: response,
		};
		const context = new WebhookContext(workflow, this.node, additional, mode, data, [], null);
		try {
			await this.answer(response, context as unknown as IWebhookFunctions);
		} catch (error) {
			this.failures.push(error instanceof Error ? error : new Error(String(error)));
			response
				.status(500)
				.json({ message: 'Workflow Webhook Error: Workflow could not be started!' });
		}
	}

	private match({ method, path }: WebhookRequest) {
		return (['production', 'test'] as const)
			.flatMap((side) => this.webhooks.map((webhook) => ({ side, webhook })))
			.find(({ side, webhook: { name, httpMethod } }) => {
				const isPath = new URL(this.url(side, name)).pathname === path;
				return isPath && httpMethod === method;
			});
	}

	private async answer(response: WebhookResponse, context: IWebhookFunctions): Promise<void> {
		const result = (await this.type.webhook?.call(context)) ?? {};
		const started = result.workflowData;
		if (started) await this.beforeStart?.();
		if (started && this.refusesNext) {
			this.refusesNext = false;
			response.status(500).json({ message: 'There was a problem executing the workflow' });
			return;
		}
		if (started) this.executions.push((started[0] ?? []).map(({ json }) => json));
		if (result.noWebhookResponse || response.headersSent) return;
		const words = started ? 'Workflow was started' : 'Webhook call received';
		response.status(200).send(result.webhookResponse ?? { message: words });
	}

	private get type() {
		return this.nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
	}

	private get webhooks(): IWebhookDescription[] {
		return this.type.description.webhooks ?? [];
	}

	private describe(name: string): IWebhookDescription {
		const webhook = this.webhooks.find((candidate) => candidate.name === name);
		if (!webhook) throw new Error(`${this.node.type} describes no webhook named ${name}`);
		return webhook;
	}

	private makeWorkflow(side: Side): Workflow {
		return makeWorkflow(this.nodes, inARow(...this.nodes.map(({ name }) => name)), this.nodeTypes, {
			staticData: structuredClone(this.saved[side]),
			...this.identity,
		});
	}

	private turn(mode: WorkflowActivateMode, side: Side): Turn {
		return { workflow: this.makeWorkflow(side), mode, side };
	}

	private save({ workflow, side }: Turn): void {
		// Through JSON as in n8n's database: the object is a proxy, which structuredClone rejects.
		this.saved[side] = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
	}

	private additionalData(workflow: Workflow) {
		return makeAdditionalData(workflow, 'trigger', this.instanceUrl);
	}

	private webhookData(
		workflow: Workflow,
		webhookDescription: IWebhookDescription,
		side: Side,
	): IWebhookData {
		return {
			httpMethod: webhookDescription.httpMethod as IWebhookData['httpMethod'],
			...{ node: this.node.name, path: '', webhookDescription, workflowId: workflow.id },
			...{ workflowExecuteAdditionalData: this.additionalData(workflow), isTest: side === 'test' },
		};
	}

	private hookContext(description: IWebhookDescription, { workflow, mode, side }: Turn) {
		const data = this.webhookData(workflow, description, side);
		const additionalData = data.workflowExecuteAdditionalData;
		const kind = side === 'test' ? 'manual' : 'trigger';
		const context = new HookContext(workflow, this.node, additionalData, kind, mode, data);
		return Object.defineProperty(context, 'logger', { value: this.logger });
	}

	private get logger() {
		const write = (words: string) => void this.log.push(words);
		const info = (words: string) => void this.notes.push(words);
		return { debug: () => undefined, info, warn: write, error: write };
	}

	private async call(
		name: HookName,
		description: IWebhookDescription,
		turn: Turn,
	): Promise<boolean> {
		const method = this.type.webhookMethods?.[description.name]?.[name];
		if (!method) return false;
		return await method.call(this.hookContext(description, turn) as unknown as IHookFunctions);
	}
}
