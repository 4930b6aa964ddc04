import type { IncomingMessage } from 'node:http';
import type {
	ICredentialDataDecryptedObject as CredentialData,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWebhookData,
	IWebhookDescription,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import type { Checkout } from './checkout';
import { exchangeOf } from './exchange';
import type { Delivery } from './exchange';
import { additionalDataOf, makeWorkflow } from './workflow';
import type { OtherNode } from './workflow';

/** One of the package's nodes in a workflow, as n8n's database stores it. */
export interface NodeSetup {
	type: string;
	parameters: IDataObject;
	/** The ID of the workflow and the node. Nodes with different IDs share no state in the process. */
	id: string;
	credential: CredentialData;
	before?: OtherNode[];
	after?: OtherNode[];
	staticData?: IDataObject;
	onError?: NonNullable<INode['onError']>;
}

/** Runs one node on n8n-core's own contexts, without n8n's database, queue, and editor. */
export class Engine {
	/** Lines that the node wrote to n8n's log, except debug lines. */
	readonly log: string[] = [];
	/** Failed executions that the node reported, and responses through `sendResponse`. */
	readonly reported: unknown[] = [];
	readonly node: INode;
	readonly type: INodeType;
	staticData: IDataObject;
	private crons: Array<() => unknown> = [];
	/** The workflow as n8n read it for publishing. */
	private published: Workflow | undefined;

	constructor(
		private readonly checkout: Checkout,
		private readonly setup: NodeSetup,
	) {
		const type = checkout.nodes[setup.type];
		if (!type) throw new Error(`No node ${setup.type}`);
		this.type = type;
		this.staticData = setup.staticData ?? {};
		this.node = {
			...{ id: `node-${setup.id}`, webhookId: `hook-${setup.id}`, position: [0, 0] },
			name: type.description.displayName,
			type: `n8n-nodes-virtual-pbx.${setup.type}`,
			typeVersion: [type.description.version].flat().at(-1) ?? 1,
			parameters: setup.parameters as INode['parameters'],
			credentials: { [checkout.credential.name]: { id: setup.id, name: 'PBX' } },
			...(setup.onError && { onError: setup.onError }),
		};
	}

	/** Executes the node as part of a workflow. */
	async execute(items: INodeExecutionData[]) {
		const { ExecuteContext } = this.checkout.core;
		const run = this.checkout.workflow.createEmptyRunExecutionData();
		const input = { main: [items] };
		const data = { node: this.node, data: input, source: null };
		const workflow = this.read();
		const context = new ExecuteContext(
			...([workflow, this.node, this.additionalData(workflow), 'trigger', run, 0] as const),
			...([items, input, data] as const),
			[],
		);
		const output = await this.type.execute?.call(this.logged(context));
		return { output, hints: context.hints };
	}

	/** Calls a list search, as the editor does. */
	async search(method: string, filter?: string, token?: string) {
		const { LoadOptionsContext } = this.checkout.core;
		const workflow = this.read();
		const shown = { currentNodeParameters: this.node.parameters };
		const additional = { ...this.additionalData(workflow), ...shown };
		const path = `parameters.${method}`;
		const context = this.logged(new LoadOptionsContext(workflow, this.node, additional, path));
		return await this.type.methods?.listSearch?.[method]?.call(context, filter, token);
	}

	/** Calls `checkExists`, `create`, or `delete` of each webhook. Saves static data afterward, as n8n does. */
	async hook(
		name: 'checkExists' | 'create' | 'delete',
		mode: WorkflowActivateMode,
		isTest = false,
	) {
		const { HookContext } = this.checkout.core;
		if (name === 'checkExists' || !this.published) this.published = this.read();
		const workflow = this.published;
		const results: unknown[] = [];
		try {
			for (const webhook of this.type.description.webhooks ?? []) {
				const data = this.webhookData(workflow, webhook, isTest);
				const additional = data.workflowExecuteAdditionalData;
				const runMode = isTest ? 'manual' : 'trigger';
				const context = new HookContext(workflow, this.node, additional, runMode, mode, data);
				const methods = this.type.webhookMethods?.[webhook.name as 'default'];
				results.push(await methods?.[name]?.call(this.logged(context)));
			}
			return results;
		} finally {
			this.save(workflow);
		}
	}

	/** Calls `trigger()`. Then `tick` calls its crons. */
	async start(mode: WorkflowActivateMode): Promise<void> {
		const { TriggerContext } = this.checkout.core;
		this.crons = [];
		const workflow = this.published ?? this.read();
		const report = (error: unknown) => void this.reported.push(error);
		const registerCron = (_cron: unknown, tick: (at: Date) => unknown) =>
			void this.crons.push(() => tick(new Date()));
		const context = new TriggerContext(
			...([workflow, this.node, this.additionalData(workflow), 'trigger', mode] as const),
			...([report, report, report, { registerCron }] as const),
		);
		await this.type.trigger?.call(this.logged(context));
	}

	async tick(): Promise<void> {
		for (const tick of this.crons) await tick();
	}

	/** Polls once. As in n8n, only active workflows have static data. */
	async poll(mode: WorkflowActivateMode): Promise<INodeExecutionData[][] | null | undefined> {
		const { PollContext } = this.checkout.core;
		const isTest = mode === 'manual';
		const workflow = isTest ? this.read(isTest) : (this.published ??= this.read());
		const additional = this.additionalData(workflow);
		const runMode = isTest ? 'manual' : 'trigger';
		const context = new PollContext(workflow, this.node, additional, runMode, mode);
		const output = await this.type.poll?.call(this.logged(context));
		if (!isTest) this.save(workflow);
		return output;
	}

	/** Passes a request to `webhook()`. Returns the response, and the items that start an execution. */
	async receive(delivery: Delivery, isTest = false) {
		const { request, response, sent } = exchangeOf(delivery);
		const context = this.webhookContext(request, response, isTest);
		const result = (await this.type.webhook?.call(this.logged(context))) as IWebhookResponseData;
		const started = result.workflowData?.[0] ?? undefined;
		const body = result.webhookResponse ?? { message: 'Webhook call received' };
		const isOurs = result.noWebhookResponse ?? response.headersSent;
		if (!isOurs && !started) response.end(JSON.stringify(body));
		return { ...sent(), started, response, sent };
	}

	/** Creates n8n's context for a webhook call. */
	webhookContext(request: object, response: object, isTest = false) {
		const { WebhookContext } = this.checkout.core;
		const { method } = request as IncomingMessage;
		const all = this.type.description.webhooks ?? [];
		const webhook = all.find(({ httpMethod }) => httpMethod === method) ?? all[0];
		const workflow = this.read(isTest);
		const data = this.webhookData(workflow, webhook as IWebhookDescription, isTest);
		const exchange = { httpRequest: request, httpResponse: response } as object;
		const additional = { ...data.workflowExecuteAdditionalData, ...exchange };
		const mode = isTest ? 'manual' : 'webhook';
		return new WebhookContext(workflow, this.node, additional, mode, data, [], null);
	}

	/** Creates the workflow as n8n reads it from its database. */
	private read(isEmpty = false): Workflow {
		const { id, before = [], after = [] } = this.setup;
		const staticData = isEmpty ? {} : structuredClone(this.staticData);
		return makeWorkflow(this.checkout, this.node, { id, before, after, staticData });
	}

	private save({ staticData }: Workflow): void {
		this.staticData = JSON.parse(JSON.stringify(staticData)) as IDataObject;
	}

	/** Redirects a context's log to this engine's. */
	private logged(context: object): never {
		const write = (words: string) => void this.log.push(words);
		const logger = { debug: () => undefined, info: write, warn: write, error: write };
		return Object.defineProperty(context, 'logger', { value: logger }) as never;
	}

	private webhookData(workflow: Workflow, webhook: IWebhookDescription, isTest: boolean) {
		return {
			...{ httpMethod: webhook.httpMethod as 'POST', node: this.node.name, path: '' },
			...{ webhookDescription: webhook, workflowId: workflow.id, isTest },
			workflowExecuteAdditionalData: this.additionalData(workflow),
		} satisfies IWebhookData;
	}

	private additionalData({ id }: Workflow): IWorkflowExecuteAdditionalData {
		const report = async (_hook: string, given: unknown[]) => void this.reported.push(...given);
		return additionalDataOf(this.checkout, this.setup.credential, id, { runHook: report });
	}
}
