import type { INodeProperties, IWebhookDescription } from 'n8n-workflow';
import { fromParameter, webhookDescriptionFields } from 'n8n-workflow';

import { callflowLocator } from '../../fields/locators';
import {
	checkEveryOption,
	deliveryUrlOption,
	errorWorkflowOption,
	optionsField,
} from '../../fields/options';
import { stepsField } from '../../fields/steps';
import { DEFAULT_DEADLINE_S } from './settings';

const whenConnecting = { show: { connect: ['callflow'] } };

const connectByHand: INodeProperties = {
	displayName:
		'Set up a pivot module at the PBX: method GET, req_timeout "5", req_format pbx, voice_url {dflow}&callflow_id=[ID of the callflow]&webserver=[Production URL without https://]. The operation Callflow > Update writes this from the URL.',
	name: 'connectNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { connect: ['manual'] } },
};

const pivotOptions: INodeProperties[] = [
	checkEveryOption('checks whether the callflow still asks this node, and reports it if not'),
	deliveryUrlOption,
	{
		displayName: 'Request Method',
		name: 'requestMethod',
		type: 'options',
		options: [
			{ name: 'GET', value: 'GET' },
			{ name: 'POST', value: 'POST' },
		],
		default: 'GET',
		description: 'How the PBX asks',
	},
	{
		displayName: 'Request Timeout',
		name: 'requestTimeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description: 'Seconds after which the PBX gives up; must be longer than the Deadline',
	},
	{
		displayName: 'Response Format',
		name: 'responseFormat',
		type: 'string',
		default: '',
		description: "Name of the answer's format; by default the platform's own",
	},
	{
		displayName: 'Skip URL Check',
		name: 'skipUrlCheck',
		type: 'boolean',
		default: false,
		description: 'Whether to connect even if the PBX seems unable to reach this n8n',
	},
	errorWorkflowOption,
];

/** Inputs of the routing trigger. */
export const routingTriggerProperties: INodeProperties[] = [
	{
		displayName: 'Connect',
		name: 'connect',
		type: 'options',
		options: [
			{ name: 'By Hand', value: 'manual', description: 'You set up the pivot module at the PBX' },
			{
				name: 'Callflow',
				value: 'callflow',
				description:
					'Activation makes a callflow ask this node; deactivation puts its old flow back',
			},
		],
		default: 'manual',
		description: 'How calls come to this workflow',
	},
	connectByHand,
	{
		...callflowLocator,
		description:
			'Callflow whose calls this workflow routes. Its flow is kept, and runs when n8n cannot be reached. If another workflow routes it, too, the one published last is asked first.',
		hint: 'Only an active workflow is connected; listening for a test event takes no calls away',
		displayOptions: whenConnecting,
	},
	{
		displayName: 'Respond',
		name: 'responseMode',
		type: 'options',
		options: [
			{
				name: 'Immediately',
				value: 'onReceived',
				description:
					'With the steps below, before the workflow runs: for routing that needs no look-up',
			},
			{
				name: 'Using Respond Operation',
				value: 'responseNode',
				description:
					'As soon as the operation Routing > Respond of a Virtual PBX node runs: the quickest way',
			},
			{
				name: 'When Last Node Finishes',
				value: 'lastNode',
				description:
					'With its Build Answer, or operations as JSON. Not for queue mode: n8n may lose it there.',
			},
		],
		default: 'lastNode',
		description: 'Where the answer to the PBX comes from',
	},
	{
		displayName: 'Deadline',
		name: 'deadline',
		type: 'number',
		typeOptions: { minValue: 0.1, maxValue: 60, numberPrecision: 1 },
		default: DEFAULT_DEADLINE_S,
		description:
			'Seconds after which the caller gets the fallback. Must be shorter than the req_timeout of the pivot module.',
		displayOptions: { hide: { responseMode: ['onReceived'] } },
	},
	stepsField({
		displayName: 'Fallback',
		name: 'fallback',
		required: true,
		description:
			'What the PBX does with the call when the workflow is too slow, fails, or gives no valid answer. With Respond: Immediately, what it does with each call.',
	}),
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	{ ...optionsField(...pivotOptions), displayOptions: whenConnecting },
];

/**
 * How n8n finds out where the answer comes from. Read natively where this n8n can, since evaluating an expression in
 * its sandbox costs a fifth of the whole answer time (docs/routing.md, "Speed").
 */
const responseMode: Pick<IWebhookDescription, 'responseMode'> =
	typeof webhookDescriptionFields === 'function'
		? webhookDescriptionFields({ responseMode: fromParameter('responseMode', 'lastNode') })
		: { responseMode: '={{$parameter["responseMode"] || "lastNode"}}' };

const webhook = (
	name: IWebhookDescription['name'],
	httpMethod: 'GET' | 'POST',
): IWebhookDescription => ({
	name,
	httpMethod,
	path: 'routing',
	responseData: 'allEntries',
	...responseMode,
});

/** One path for both methods by which a PBX may ask (§2.2 `method`). */
export const routingWebhooks: IWebhookDescription[] = [
	webhook('default', 'GET'),
	webhook('setup', 'POST'),
];
