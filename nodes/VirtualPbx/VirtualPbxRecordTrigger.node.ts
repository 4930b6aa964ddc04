import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { propertiesOf, subtitleOf } from './parameters/parameter';
import { callRecordParameters, EVENT_NAMES } from './triggers/callRecord/parameters';
import { executeRecordTrigger, startRecordTrigger } from './triggers/callRecord/trigger';

/** Starts the workflow for calls in the PBX's records, where webhooks can't arrive or no call may be missed. */
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
			'Best for a call log: starts the workflow once for each finished call or recording, catches up after downtime, and works behind a firewall',
		documentationUrl:
			'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/records.md#call-record-trigger',
		defaults: { name: 'Virtual PBX Call Record Trigger' },
		builderHint: {
			searchHint:
				'Use this to log calls in a CRM or spreadsheet, and for recordings and transcripts. The event New Call starts the workflow once for each finished call, with one item: callId, callType, customerNumber, employee, outcome, missed, talkSeconds, at, recordingUrl. Use callId as the key, so that a repeated run changes nothing. A call is returned 1 to 2 minutes after it ends; for a ringing phone, use Virtual PBX Trigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbx',
					relationHint: 'Recording > Download gets the recording of each call',
				},
				{
					nodeType: 'n8n-nodes-virtual-pbx.virtualPbxTrigger',
					relationHint: 'Starts in real time, if the PBX can reach n8n',
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'virtualPbxApi', required: true }],
		properties: propertiesOf(callRecordParameters),
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await startRecordTrigger(this);
	}

	/** Gets recent calls in a test run, and passes on the calls that started an execution. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeRecordTrigger(this);
	}
}
