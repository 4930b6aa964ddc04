import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { methods } from './operations/listSearch';
import { subtitleOf } from './fields/choices';
import { RESOURCES } from './operations';
import { buildProperties } from './operations/properties';
import { routeOperation } from './operations/router';

/** What an operation does, in words, by `resource:operation`. */
const ACTIONS = Object.fromEntries(
	RESOURCES.flatMap(({ value, operations }) =>
		operations.map((operation) => [`${value}:${operation.value}`, operation.action]),
	),
);

/** The action node. */
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
			'Get calls, missed callers, and recordings, decide where calls go, and manage webhooks of a virtual PBX',
		documentationUrl:
			'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/reference.md#virtual-pbx',
		defaults: { name: 'Virtual PBX' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'virtualPbxApi',
				required: true,
				displayOptions: {
					show: {
						resource: RESOURCES.filter(({ needsCredential }) => needsCredential).map(
							({ value }) => value,
						),
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
