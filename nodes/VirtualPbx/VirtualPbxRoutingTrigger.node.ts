import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { methods } from './methods/listSearch';
import { propertiesOf } from './parameters/parameter';
import { connectionResource, create, remove } from './triggers/routing/connection';
import { routingParameters, routingWebhooks } from './triggers/routing/parameters';
import { takeRequest } from './triggers/routing/receive';
import { scheduleChecks } from './triggers/runtime/checks';

/** Starts a workflow for each routing request of the PBX and responds to it (§2.2, §2.3). */
export class VirtualPbxRoutingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Virtual PBX Call Routing Trigger',
		name: 'virtualPbxRoutingTrigger',
		icon: {
			light: 'file:../../icons/virtualPbx.svg',
			dark: 'file:../../icons/virtualPbx.dark.svg',
		},
		group: ['trigger'],
		// As for the event trigger: not 1. The event trigger's version would show its output schema here.
		version: 2,
		subtitle:
			'={{ $parameter["connect"] === "callflow" ? "Connects a callflow" : "Connected manually" }}',
		description: 'Decide in a workflow where each live call goes',
		documentationUrl:
			'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/routing.md',
		defaults: { name: 'Virtual PBX Call Routing Trigger' },
		builderHint: {
			searchHint:
				'Use this to route live calls: by caller, customer, manager, or business hours. The caller waits, so keep the workflow short. Every path must end with Virtual PBX, Routing > Respond, which says who to ring. Set Fallback for when the workflow fails.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbx',
					relationHint: 'Required: Routing > Respond answers where the call goes',
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'virtualPbxApi',
				required: true,
				displayOptions: { show: { connect: ['callflow', 'manualKazoo'] } },
			},
		],
		webhooks: routingWebhooks,
		triggerPanel: {
			header: '',
			executionsHelp: {
				inactive:
					'Point the PBX to the test URL, or send a request to it. <b>Published workflows</b> use the production URL.',
				active:
					'Each call that the PBX sends to the production URL starts an execution. To see a request here, listen for a test event and send a request to the test URL.',
			},
			activationHint: 'After you publish the workflow, the PBX can use the production URL.',
		},
		properties: propertiesOf(routingParameters),
	};

	methods = methods;

	webhookMethods = {
		default: {
			/** Always has n8n call `create`, which compares and changes only what differs. */
			async checkExists() {
				return false;
			},
			async create(this: IHookFunctions) {
				return await create(this);
			},
			async delete(this: IHookFunctions) {
				return await remove(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions) {
		return await takeRequest.call(this);
	}

	async trigger(this: ITriggerFunctions) {
		return scheduleChecks(this, connectionResource);
	}

	/** Passes requests on. Without it, n8n would call `trigger` for a test event and wait forever. */
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	}
}
