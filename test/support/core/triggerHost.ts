import './environment';
import { HookContext } from 'n8n-core';
import type {
	IDataObject,
	IHookFunctions,
	INode,
	INodeType,
	INodeTypes,
	IWebhookData,
	IWebhookDescription,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { inARow } from '../../../tools/n8n/flow';
import { makeAdditionalData, makeWorkflow } from './workflow';

/** Production (`/webhook/`) or test (`/webhook-test/`) registration. */
export type Side = 'production' | 'test';
/** A method of n8n's `webhookMethods`. */
export type HookName = 'checkExists' | 'create' | 'delete';

/** A workflow's identity, shared by its triggers. */
export interface WorkflowIdentity {
	id?: string;
	name?: string;
}

/** A registration or removal: the workflow as n8n read it for this, and the reason. */
export interface Turn {
	workflow: Workflow;
	mode: WorkflowActivateMode;
	side: Side;
}

/** A webhook trigger in a workflow, with the contexts that n8n calls it with, and its stored static data. */
export class TriggerHost {
	/** Warnings and errors that the hooks wrote to n8n's log. */
	readonly log: string[] = [];
	/** Informational entries in n8n's log. */
	readonly notes: string[] = [];
	protected instanceUrl = '';
	/** Static data by side. n8n keeps production's in its database, and test mode's only while listening. */
	private readonly saved: Record<Side, IDataObject> = { production: {}, test: {} };
	protected readonly node: INode;

	constructor(
		private readonly nodes: [INode, ...INode[]],
		private readonly nodeTypes: INodeTypes,
		private readonly identity: WorkflowIdentity = {},
	) {
		[this.node] = nodes;
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

	/** Returns n8n's address of the webhook. */
	url(side: Side = 'production', webhook: 'default' | 'setup' = 'default'): string {
		const context = this.hookContext(this.describe(webhook), this.turn('activate', side));
		const url = context.getNodeWebhookUrl(webhook);
		if (!url) throw new Error(`${this.node.type} has no webhook URL`);
		return url;
	}

	protected get type(): INodeType {
		return this.nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
	}

	protected get webhooks(): IWebhookDescription[] {
		return this.type.description.webhooks ?? [];
	}

	protected describe(name: string): IWebhookDescription {
		const webhook = this.webhooks.find((candidate) => candidate.name === name);
		if (!webhook) throw new Error(`${this.node.type} describes no webhook named ${name}`);
		return webhook;
	}

	protected makeWorkflow(side: Side): Workflow {
		return makeWorkflow(this.nodes, inARow(...this.nodes.map(({ name }) => name)), this.nodeTypes, {
			staticData: structuredClone(this.saved[side]),
			...this.identity,
		});
	}

	protected turn(mode: WorkflowActivateMode, side: Side): Turn {
		return { workflow: this.makeWorkflow(side), mode, side };
	}

	protected save({ workflow, side }: Turn): void {
		// Through JSON as in n8n's database: the object is a proxy, which structuredClone rejects.
		this.saved[side] = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
	}

	protected webhookData(
		workflow: Workflow,
		description: IWebhookDescription,
		side: Side,
	): IWebhookData {
		return {
			httpMethod: description.httpMethod as IWebhookData['httpMethod'],
			node: this.node.name,
			path: '',
			webhookDescription: description,
			workflowId: workflow.id,
			workflowExecuteAdditionalData: makeAdditionalData(workflow, 'trigger', this.instanceUrl),
			isTest: side === 'test',
		};
	}

	protected hookContext(description: IWebhookDescription, { workflow, mode, side }: Turn) {
		const data = this.webhookData(workflow, description, side);
		const context = new HookContext(
			workflow,
			this.node,
			data.workflowExecuteAdditionalData,
			side === 'test' ? 'manual' : 'trigger',
			mode,
			data,
		);
		return Object.defineProperty(context, 'logger', { value: this.logger });
	}

	protected get logger() {
		const write = (words: string) => void this.log.push(words);
		const info = (words: string) => void this.notes.push(words);
		return { debug: () => undefined, info, warn: write, error: write };
	}

	protected async call(
		name: HookName,
		description: IWebhookDescription,
		turn: Turn,
	): Promise<boolean> {
		const method = this.type.webhookMethods?.[description.name]?.[name];
		if (!method) return false;
		return await method.call(this.hookContext(description, turn) as unknown as IHookFunctions);
	}
}
