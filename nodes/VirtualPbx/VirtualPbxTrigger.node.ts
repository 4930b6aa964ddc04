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

import { propertiesOf, subtitleOf } from './parameters/parameter';
import { EVENTS } from './pbx/events/table';
import { create, remove, webhookResource } from './triggers/callEvent/hooks';
import { callEventParameters } from './triggers/callEvent/parameters';
import { receiveEvents } from './triggers/callEvent/receive';
import { scheduleChecks } from './triggers/runtime/checks';

export class VirtualPbxTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Virtual PBX Trigger',
		name: 'virtualPbxTrigger',
		icon: {
			light: 'file:../../icons/virtualPbx.svg',
			dark: 'file:../../icons/virtualPbx.dark.svg',
		},
		group: ['trigger'],
		// For version 1 of any trigger, n8n evaluates an expression for each request's body, and takes a tenth of the
		// events (docs/internals/decisions.md).
		version: 1.1,
		subtitle: subtitleOf(
			Object.fromEntries(EVENTS.map(({ name, value }) => [value, name])),
			'$parameter["events"]',
		),
		description: 'React to calls in real time, or read calls, recordings, and callflows',
		documentationUrl:
			'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/events.md',
		defaults: { name: 'Virtual PBX Trigger' },
		builderHint: {
			searchHint:
				'Use this to react in real time: pop-ups when the phone rings or someone picks up, and messages about missed calls. An item has event, callType, customerNumber, employee, companyNumber, outcome, missed, callId. The PBX must be able to reach n8n. To log every call, use Virtual PBX Call Record Trigger, which misses none.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbxRecordTrigger',
					relationHint: 'Logs every finished call with its recording, even behind a firewall',
				},
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbx',
					relationHint: 'Gets calls, missed callers, and recordings',
				},
			],
		},
		eventTriggerDescription: 'Place a call, or turn on Sample Events',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		// Sample Events works without one. Publishing without one fails with a message.
		credentials: [{ name: 'virtualPbxApi' }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
			},
		],
		properties: propertiesOf(callEventParameters),
	};

	webhookMethods = {
		default: {
			/** Always has n8n call `create`, which compares and changes only what differs. */
			async checkExists(): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await create(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await remove(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveEvents.call(this);
	}

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return scheduleChecks(this, webhookResource);
	}

	/** Passes deliveries on. Without it, n8n would call `trigger` for a test event and wait forever. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}
