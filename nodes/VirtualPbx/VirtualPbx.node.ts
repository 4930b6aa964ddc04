import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { methods } from './operations/listSearch';
import { RESOURCES } from './operations';
import { buildProperties } from './operations/properties';
import { routeOperation } from './operations/router';

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
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Manage callflows, call records, recordings, webhooks, and call routing of a virtual PBX',
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
