import type {
	IDataObject,
	IHookFunctions,
	IWebhookDescription,
	IWebhookFunctions,
} from 'n8n-workflow';
import { fromParameter, webhookDescriptionFields } from 'n8n-workflow';

import {
	accountId,
	defineCallflowId,
	defineDeliveryOptions,
	defineOptionsCollection,
	definePivotRequest,
	deliveryOptionsIn,
	readCheckSettings,
} from '../../parameters/options';
import { simplify } from '../../parameters/output';
import type { AddedValues, Parameter } from '../../parameters/parameter';
import {
	defineNumber,
	defineOptions,
	defineRaw,
	parameterError,
	triggerScope,
} from '../../parameters/parameter';
import { defineSteps } from '../../parameters/steps';
import { webserverOf } from '../../pbx/callflows/flow';
import { messageOf } from '../../pbx/errors/meanings';
import { answerOfSteps, withoutFaultySteps } from '../../pbx/pivot/answer';
import type { Pivot } from '../../pbx/types';
import { isObject } from '../../util/json';
import { ownAddress } from '../runtime/address';
import type { Setup } from '../runtime/nodeRuntime';

const whenConnecting = { show: { connect: ['callflow'] } };

export const connectChoice = defineOptions<'callflow' | 'manual' | 'manualKazoo'>({
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

const routedCallflow = defineCallflowId(
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

const fallback = defineSteps(
	{
		displayName: 'Fallback',
		name: 'fallback',
		required: true,
		description:
			'What the PBX does with the call if the workflow is too slow, fails, or returns no valid answer. Required: without a step, the PBX would use the old flow or hang up.',
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

const pivotRequest = definePivotRequest(
	['requestMethod', 'requestTimeout', 'responseFormat'],
	"How long the PBX waits for an answer. Must be longer than 'Deadline'. Kazoo waits at most 5 seconds.",
);

const options = defineOptionsCollection(...Object.values(pivotRequest)).with({
	displayOptions: whenConnecting,
});

const deliveryOptions = defineDeliveryOptions(
	'checks whether the callflow still points to this node, and reports it if not',
).with({ displayOptions: whenConnecting });

export const routingParameters = [
	connectChoice,
	connectNotice,
	routedCallflow,
	responseMode,
	deadline,
	fallback,
	answer,
	simplify,
	options,
	deliveryOptions,
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

/** The callflow that should call this node, and how. Without a format, any that the PBX accepted is fine. */
export interface CallflowSetup extends Setup {
	callflowId: string;
	pivot: Pivot;
}

/** Reads how the callflow should call this node; undefined if connected by hand. Throws NodeOperationError. */
export function readSetup(context: IHookFunctions): CallflowSetup | undefined {
	const scope = triggerScope(context);
	if (connectChoice.read(scope) !== 'callflow') return undefined;
	const given = options.read(scope);
	const service = readService(context);
	const method = String(given.values.requestMethod || pivotRequest.method.property.default);
	const timeout = readTimeout(context, given);
	const format = pivotRequest.format.read(given);
	return {
		callflowId: routedCallflow.read(scope),
		accountId: accountId.read(given),
		pivot: { ...service, method: method.toUpperCase(), timeout, format },
		...readCheckSettings(deliveryOptionsIn(scope)),
	};
}

/** The PBX must wait longer than this node, or it would never get the fallback. */
function readTimeout(context: IHookFunctions, given: AddedValues): string {
	const timeout = pivotRequest.timeout.read(given);
	const isImmediate = responseMode.read(triggerScope(context)) === 'onReceived';
	const seconds = isImmediate ? 0 : readDeadline(context) / 1000;
	if (seconds < timeout) return String(timeout);
	throw parameterError(
		given,
		`'Deadline' (${seconds} s) must be shorter than 'Request Timeout' (${timeout} s)`,
		"The PBX would stop waiting before it gets the fallback. Shorten 'Deadline', or increase 'Request Timeout' under 'Options'.",
	);
}

/** Returns the address registered at the PBX. */
function readService(context: IHookFunctions): Pick<Pivot, 'webserver' | 'scheme'> {
	const address = webserverOf(ownAddress(context));
	if ('webserver' in address) return address;
	throw parameterError(
		{ context },
		`The webhook URL of your n8n instance ${address.fault}`,
		'Set the environment variable N8N_WEBHOOK_URL to the public address of n8n, and restart it.',
	);
}

/**
 * Reads the deadline in milliseconds, within its bounds. Uses the default for an invalid one, since a call is waiting.
 */
export function readDeadline(context: IHookFunctions | IWebhookFunctions): number {
	const { default: usual, typeOptions = {} } = deadline.property;
	const { minValue = 0, maxValue = Infinity } = typeOptions;
	const seconds = Number(readSafely(context, deadline));
	const valid = Number.isFinite(seconds) && seconds > 0 ? seconds : Number(usual);
	return Math.round(Math.min(Math.max(valid, minValue), maxValue) * 1000);
}

/** Throws NodeOperationError, naming the range, for a deadline that couldn't be kept. */
export function assertDeadline(context: IHookFunctions): void {
	deadline.read({ context, get: () => readSafely(context, deadline) });
}

/** Reads a raw value while a call waits. If its expression fails, logs that and uses the default. */
export function readSafely(
	context: IHookFunctions | IWebhookFunctions,
	{ property: { name, default: usual } }: Parameter,
	instead: unknown = usual,
): unknown {
	try {
		return triggerScope(context).get(name, usual);
	} catch (error) {
		context.logger.error(
			`${context.getNode().name}: the parameter "${name}" can't be read: ${messageOf(error)}`,
		);
		return instead;
	}
}

/** Reads the fallback while a call waits: an answer of §2.3, and what was wrong with omitted steps. */
export function readFallback(context: IWebhookFunctions): {
	fallback: IDataObject;
	dropped: string[];
} {
	const steps = readSafely(context, fallback, null) ?? {
		step: rawSteps(context).filter((row) => !holdsExpression(row)),
	};
	const { answer, problems } = answerOfSteps(steps);
	const isValid = problems.length === 0;
	return { fallback: isValid ? answer : withoutFaultySteps(answer), dropped: problems };
}

/** Returns the raw rows of the step editor. If one expression provides all of them, it counts as one row. */
export function rawSteps(context: Pick<IHookFunctions, 'getNodeParameter'>): unknown[] {
	const value: unknown = context.getNodeParameter('fallback', {}, { rawExpressions: true });
	const rows = isObject(value) ? value.step : value;
	if (Array.isArray(rows)) return rows as unknown[];
	return rows === undefined ? [] : [rows];
}

/** Returns whether a value from the workflow is or contains an expression. */
export function holdsExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression);
}
