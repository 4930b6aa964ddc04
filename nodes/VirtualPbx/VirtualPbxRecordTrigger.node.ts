import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { subtitleOf } from './parameters/choices';
import { propertiesOf } from './parameters/parameter';
import { callRecordParameters, EVENT_NAMES } from './triggers/callRecord/parameters';
import { pollRecords } from './triggers/callRecord/poll';

/** Polls for call records, where webhooks can't arrive or no call may be missed. */
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
		subtitle: subtitleOf(EVENT_NAMES, '$parameter["event"]'),
		description:
			'Best for a call log: checks for finished calls and recordings every minute, catches up after downtime, and works behind a firewall',
		documentationUrl:
			'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/records.md#call-record-trigger',
		defaults: { name: 'Virtual PBX Call Record Trigger' },
		builderHint: {
			searchHint:
				'Use this to log calls in a CRM or spreadsheet, and for recordings and transcripts. The event New Call returns one item for each finished call: callId, callType, customerNumber, employee, outcome, missed, talkSeconds, at, recordingUrl. Use callId as the key, so that a repeated run changes nothing. A call is returned 1 to 2 minutes after it ends; for a ringing phone, use Virtual PBX Trigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbx',
					relationHint: 'Recording → Download gets the recording of each call',
				},
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbxTrigger',
					relationHint: 'Starts in real time, if the PBX can reach n8n',
				},
			],
		},
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'virtualPbxApi', required: true }],
		properties: propertiesOf(callRecordParameters),
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollRecords(this);
	}
}
