import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { callEventFields } from './triggers/callEvent/fields';
import { checkExists, create, remove } from './triggers/callEvent/hooks';
import { receiveEvents } from './triggers/callEvent/receive';
import { watchWebhooks } from './triggers/callEvent/watch';
import { inTurn } from './triggers/turns';

/** The event trigger: call events by webhook. */
export class VirtualPbxTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Virtual PBX Trigger',
		name: 'virtualPbxTrigger',
		icon: {
			light: 'file:../../icons/virtualPbx.svg',
			dark: 'file:../../icons/virtualPbx.dark.svg',
		},
		group: ['trigger'],
		// n8n evaluates an expression about the body of each request for version 1 of any trigger, which costs a fifth of
		// the time of an event; otherwise the versions are the same.
		version: [1, 1.1],
		defaultVersion: 1.1,
		subtitle: '={{ [$parameter["events"]].flat().join(", ") }}',
		description:
			'Starts the workflow when a call on a virtual PBX starts, is answered, ends, or is missed',
		defaults: { name: 'Virtual PBX Trigger' },
		eventTriggerDescription: 'Place a call, or turn on Sample Events in Options',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'virtualPbxApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
			},
		],
		properties: callEventFields,
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await inTurn(this, 'checkExists', checkExists);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await inTurn(this, 'create', create);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await inTurn(this, 'delete', remove);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveEvents.call(this);
	}

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return watchWebhooks(this);
	}

	/** Passes deliveries on; without it n8n would call `trigger` for a test event, and wait for ever. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}
