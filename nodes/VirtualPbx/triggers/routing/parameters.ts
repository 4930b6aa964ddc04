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
import { defineSteps } from '../../parameters/steps';
import { defineNumber, defineOptions, defineRaw } from '../../parameters/types';

const whenConnecting = { show: { connect: ['callflow'] } };

export const connect = defineOptions<'callflow' | 'manual'>({
	displayName: 'Connect',
	name: 'connect',
	type: 'options',
	options: [
		{
			name: 'Callflow',
			value: 'callflow',
			description:
				'Publishing connects a callflow to this node, and unpublishing restores its old flow',
		},
		{ name: 'Manually', value: 'manual', description: 'You set up the pivot module at the PBX' },
	],
	default: 'callflow',
	description: 'How to connect calls to this workflow',
});

const connectNotice = defineRaw({
	displayName:
		'Set up a pivot module at the PBX: method GET, req_timeout "5", req_format [the PBX\'s own format, such as kazoo], voice_url {dflow}&callflow_id=[ID of the callflow]&webserver=[Production URL without https://]. The operation Callflow > Update writes this from the URL.',
	name: 'connectNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { connect: ['manual'] } },
});

export const routedCallflow = defineCallflowId(
	'Choose one from the list, or set Connect to "Manually".',
).with({
	description:
		'Callflow whose calls this workflow routes. The PBX keeps its flow and uses it if it cannot reach n8n. If another workflow also routes it, the PBX first asks the one published last.',
	hint: 'Only published workflows are connected. Listening for a test event does not redirect calls.',
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
				'With the steps below, before the workflow runs. Use it if routing needs no lookup.',
		},
		{
			name: 'Using Respond Operation',
			value: 'responseNode',
			description: 'As soon as the operation Routing > Respond of a Virtual PBX node runs',
		},
		{
			name: 'When Last Node Finishes',
			value: 'lastNode',
			description:
				'With the output of Build Answer, or operations as JSON. Not for queue mode, where n8n may lose the answer.',
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
	typeOptions: { minValue: 0.1, maxValue: 60, numberPrecision: 1 },
	default: 4,
	description:
		'How long the workflow may take. After that, the caller gets the fallback. Must be shorter than the req_timeout of the pivot module.',
	displayOptions: { hide: { responseMode: ['onReceived'] } },
	inErrors: 'Deadline',
});

export const fallback = defineSteps({
	displayName: 'Fallback',
	name: 'fallback',
	required: true,
	description:
		'What the PBX does with the call if the workflow is too slow, fails, or returns no valid answer. With Respond set to Immediately, what it does with each call. Required: without a step, callers would get an error, and the PBX would continue with the old flow or hang up.',
});

export const pivotRequest = definePivotRequest(
	['requestMethod', 'requestTimeout', 'responseFormat'],
	'How long the PBX waits for an answer. Must be longer than the Deadline.',
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
