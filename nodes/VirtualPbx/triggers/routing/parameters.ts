import type { IWebhookDescription } from 'n8n-workflow';
import { fromParameter, webhookDescriptionFields } from 'n8n-workflow';

import {
	checkEvery,
	defineCallflowId,
	defineOptionsCollection,
	definePivotRequest,
	deliveryUrl,
	skipUrlCheck,
	startsErrorWorkflow,
} from '../../parameters/options';
import { simplify } from '../../parameters/output';
import { defineNumber, defineOptions, defineRaw } from '../../parameters/parameter';
import { defineSteps } from '../../parameters/steps';

const whenConnecting = { show: { connect: ['callflow'] } };

export const connect = defineOptions<'callflow' | 'manual' | 'manualKazoo'>({
	displayName: 'Connect',
	name: 'connect',
	type: 'options',
	options: [
		{
			name: 'Callflow',
			value: 'callflow',
			description:
				'Publishing the workflow connects a callflow to this node, and unpublishing restores its old flow',
		},
		{
			name: 'Manually',
			value: 'manual',
			description:
				'You set up the callflow yourself, and the PBX takes operations. Not for Kazoo, whose callers would hear silence.',
		},
		{
			name: 'Manually (Kazoo)',
			value: 'manualKazoo',
			description: 'You set up the callflow of a Kazoo yourself',
		},
	],
	default: 'callflow',
	description: 'How to connect calls to this workflow',
});

const connectNotice = defineRaw({
	displayName:
		'To connect a callflow, use the operation Callflow > Update of a Virtual PBX node with the production URL above. To set it up in the PBX instead, follow <a href="https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/routing.md#connect-a-callflow" target="_blank">these steps</a>.',
	name: 'connectNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { connect: ['manual', 'manualKazoo'] } },
});

export const routedCallflow = defineCallflowId(
	"Choose one from the list, or set 'Connect' to 'Manually'.",
).with({
	description:
		"Callflow whose calls this workflow routes. The PBX keeps the old flow and uses it if it can't reach n8n. If another workflow routes the same callflow, the PBX asks the one published last first.",
	hint: "Only published workflows are connected. Listening for a test event doesn't redirect calls.",
	displayOptions: whenConnecting,
});

export const responseMode = defineOptions<'onReceived' | 'responseNode' | 'lastNode'>({
	displayName: 'Respond',
	name: 'responseMode',
	type: 'options',
	options: [
		{
			name: 'Immediately',
			value: 'onReceived',
			description:
				'Respond with the steps of Answer before the workflow runs. Use this if routing needs no lookup.',
		},
		{
			name: 'Using Respond Operation',
			value: 'responseNode',
			description: 'Respond when a Virtual PBX node with the operation Routing > Respond runs',
		},
		{
			name: 'When Last Node Finishes',
			value: 'lastNode',
			description:
				'Respond with the output of Build Answer, or operations as JSON. Not for queue mode, where n8n can lose the answer.',
		},
	],
	default: 'responseNode',
	description: 'When and how to answer the PBX',
});

/** The default is below the usual `req_timeout` of 5 s (§2.2), with time for the network. */
export const deadline = defineNumber({
	displayName: 'Deadline (Seconds)',
	name: 'deadline',
	type: 'number',
	typeOptions: { minValue: 0.1, maxValue: 60 },
	default: 4,
	description:
		'How long the workflow can take before the caller gets the fallback. Must be shorter than the time the PBX waits, by default 5 seconds.',
	displayOptions: { hide: { responseMode: ['onReceived'] } },
});

export const fallback = defineSteps(
	{
		displayName: 'Fallback',
		name: 'fallback',
		required: true,
		description:
			'What the PBX does with the call if the workflow is too slow, fails, or returns no valid answer. Required: without a step, callers would get an error.',
		displayOptions: { hide: { responseMode: ['onReceived'] } },
	},
	true,
);

/** The same steps, where they are the answer to each call. Read by {@link fallback}. */
const answer = defineSteps(
	{
		displayName: 'Answer',
		name: 'fallback',
		required: true,
		description: 'What the PBX does with each call',
		displayOptions: { show: { responseMode: ['onReceived'] } },
	},
	true,
);

export const pivotRequest = definePivotRequest(
	['requestMethod', 'requestTimeout', 'responseFormat'],
	"How long the PBX waits for an answer. Must be longer than 'Deadline'. Kazoo waits at most 5 seconds.",
);

export const options = defineOptionsCollection(
	checkEvery('checks whether the callflow still points to this node, and reports it if not'),
	deliveryUrl,
	...Object.values(pivotRequest),
	skipUrlCheck,
	startsErrorWorkflow,
).with({ displayOptions: whenConnecting });

/** The parameters of the routing trigger. */
export const routingParameters = [
	connect,
	connectNotice,
	routedCallflow,
	responseMode,
	deadline,
	fallback,
	answer,
	simplify,
	options,
];

/**
 * How n8n finds the answer's source. Read natively if n8n supports it: evaluating an expression in n8n's sandbox takes
 * a fifth of the whole answer time (docs/internals/routing.md).
 */
const responseModeOfWebhook: Pick<IWebhookDescription, 'responseMode'> =
	typeof webhookDescriptionFields === 'function'
		? webhookDescriptionFields({ responseMode: fromParameter('responseMode', 'responseNode') })
		: { responseMode: '={{$parameter["responseMode"] || "responseNode"}}' };

const webhook = (
	name: IWebhookDescription['name'],
	httpMethod: 'GET' | 'POST',
): IWebhookDescription => ({
	name,
	httpMethod,
	path: 'routing',
	responseData: 'allEntries',
	...responseModeOfWebhook,
});

/** One path for both methods that a PBX can use (§2.2 `method`). */
export const routingWebhooks: IWebhookDescription[] = [
	webhook('default', 'GET'),
	webhook('setup', 'POST'),
];
