import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { callRecordFields } from './triggers/callRecord/fields';
import { pollRecords } from './triggers/callRecord/poll';

/** The record trigger: asks for call records, where no webhook can arrive or none may be missed. */
export class VirtualPbxRecordTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Virtual PBX Call Record Trigger',
		name: 'virtualPbxRecordTrigger',
		icon: {
			light: 'file:../../icons/virtualPbx.svg',
			dark: 'file:../../icons/virtualPbx.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["event"] }}',
		description:
			'Polls a virtual PBX and starts the workflow for each new call, call record, or recording',
		defaults: { name: 'Virtual PBX Call Record Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'virtualPbxApi', required: true }],
		properties: callRecordFields,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollRecords(this);
	}
}
