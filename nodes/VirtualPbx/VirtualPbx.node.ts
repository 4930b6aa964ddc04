import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { buildProperties, RESOURCES } from './actions';
import { routeOperation } from './actions/router';
import { methods } from './methods/listSearch';
import { subtitleOf } from './parameters/parameter';

/** The action text of each operation, by `resource:operation`. */
const ACTIONS = Object.fromEntries(
	RESOURCES.flatMap(({ value, operations }) =>
		operations.map((operation) => [`${value}:${operation.value}`, operation.action]),
	),
);

export class VirtualPbx implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Virtual PBX',
		name: 'virtualPbx',
		icon: {
			light: 'file:../../icons/virtualPbx.svg',
			dark: 'file:../../icons/virtualPbx.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(ACTIONS, '$parameter["resource"] + ":" + $parameter["operation"]'),
		description:
			'Get calls, missed callers, and recordings, route live calls, and manage callflows and webhooks',
		documentationUrl:
			'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/reference/README.md',
		defaults: { name: 'Virtual PBX' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Reads and changes things when the workflow asks. To start a workflow, use a trigger of this package. Call > Get Many: calls of a period. Call > Get Missed Callers: who to call back. Recording > Download: the file of a call that a trigger returned, for transcription or storage. Routing > Respond: only after Virtual PBX Call Routing Trigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbxRecordTrigger',
					relationHint: 'Starts a workflow for each finished call or recording: logs, CRM sync',
				},
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbxTrigger',
					relationHint: 'Starts a workflow when a call rings, is answered, ends, or is missed',
				},
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbxRoutingTrigger',
					relationHint: 'Starts a workflow that decides where a live call goes',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'virtualPbxApi',
				required: true,
				displayOptions: {
					show: {
						resource: RESOURCES.filter(({ isOffline }) => !isOffline).map(({ value }) => value),
					},
				},
			},
		],
		properties: buildProperties(RESOURCES),
	};

	methods = methods;

	async execute(this: IExecuteFunctions) {
		return await routeOperation.call(this);
	}
}
