import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readNumber, readOptionalText, refusal } from '../../parameters/inputs';
import { webserverOf } from '../../pbx/callflows/pivotModule';
import { messageOf } from '../../pbx/errors/meanings';
import { answerOfSteps, checkAnswer, checkStep } from '../../pbx/pivot/answer';
import { asText, isObject } from '../../util/json';
import { ownAddress } from '../runtime/address';
import { accountIn, optionsOf, readCheckSettings } from '../runtime/settings';
import type { DesiredConnection } from './connection/connect';

/** Whether the node connects itself to a callflow, rather than by hand. */
export function connectsItself(context: IHookFunctions): boolean {
	return context.getNodeParameter('connect', 'callflow') === 'callflow';
}

/** Reads how the callflow is to ask this node; undefined for one that is connected by hand. Throws a NodeOperationError. */
export function readDesired(context: IHookFunctions): DesiredConnection | undefined {
	if (!connectsItself(context)) return undefined;
	const options = optionsOf(context);
	const webserver = readWebserver(context);
	const method = String(options.requestMethod || 'GET').toUpperCase();
	const timeout = readTimeout(context, options);
	const format = readOptionalText({ context }, options.responseFormat, 'Response Format');
	return {
		callflowId: readCallflowId(context),
		accountId: accountIn(options),
		pivot: { webserver, method, timeout, format },
		...readCheckSettings(context, options),
	};
}

function readCallflowId(context: IHookFunctions): string {
	const value: unknown = context.getNodeParameter('callflowId', '', { extractValue: true });
	const callflowId = asText(isObject(value) ? value.value : value)?.trim();
	if (callflowId) return callflowId;
	throw refusal(
		{ context },
		'Callflow is empty',
		'Choose one from the list, or set Connect to "Manually".',
	);
}

/** The PBX must wait longer than this node, or it would not get the fallback. */
function readTimeout(context: IHookFunctions, { requestTimeout }: IDataObject): string {
	const timeout = readNumber({ context }, requestTimeout ?? 5, 'Request Timeout', { least: 0.1 });
	const isImmediate = context.getNodeParameter('responseMode', 'responseNode') === 'onReceived';
	const deadline = isImmediate ? 0 : readDeadline(context) / 1000;
	if (deadline < timeout) return String(timeout);
	throw refusal(
		{ context },
		`Deadline (${deadline} s) must be shorter than the Request Timeout (${timeout} s)`,
		'The PBX would stop waiting before it gets the fallback. Shorten the Deadline, or increase the Request Timeout in Options.',
	);
}

/** Host and path that the PBX is told. */
function readWebserver(context: IHookFunctions): string {
	const address = webserverOf(ownAddress(context));
	if ('webserver' in address) return address.webserver;
	throw refusal(
		{ context },
		`The address of this n8n ${address.fault}`,
		'Set the environment variable N8N_WEBHOOK_URL to the public address of n8n, and restart it.',
	);
}

/** Below the usual `req_timeout` of 5 s (§2.2), with time for the network. */
export const DEFAULT_DEADLINE_S = 4;
const SHORTEST_S = 0.1;
const LONGEST_S = 60;

/** Reads the deadline in milliseconds, within 0.1 to 60 s; no such number means the default, since a call waits. */
export function readDeadline(context: IHookFunctions | IWebhookFunctions): number {
	const seconds = Number(readSafely(context, 'deadline', DEFAULT_DEADLINE_S));
	const valid = Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_DEADLINE_S;
	return Math.round(Math.min(Math.max(valid, SHORTEST_S), LONGEST_S) * 1000);
}

/** Refuses a deadline that could not be kept; throws a NodeOperationError that names the range. */
export function requireDeadline(context: IHookFunctions): void {
	const seconds = readSafely(context, 'deadline', DEFAULT_DEADLINE_S);
	readNumber({ context }, seconds, 'Deadline', { least: SHORTEST_S, most: LONGEST_S });
}

/** Reads a parameter while a call waits: an expression that fails is logged, and the default is used. */
export function readSafely(
	context: IHookFunctions | IWebhookFunctions,
	name: string,
	byDefault: unknown,
): unknown {
	try {
		return context.getNodeParameter(name, byDefault as object);
	} catch (error) {
		context.logger.error(
			`${context.getNode().name}: the parameter "${name}" cannot be read: ${messageOf(error)}`,
		);
		return byDefault;
	}
}

/** Reads the fallback while a call waits: an answer of §2.3, and what was wrong with steps that were left out. */
export function readFallback(context: IWebhookFunctions): {
	fallback: IDataObject;
	dropped: string[];
} {
	const steps = readSafely(context, 'fallback', undefined) ?? {
		step: rawSteps(context).filter((row) => !holdsExpression(row)),
	};
	const { answer, problems } = answerOfSteps(steps);
	if (problems.length === 0) return { fallback: answer, dropped: [] };

	const { operations } = answer;
	const valid = (Array.isArray(operations) ? (operations as unknown[]) : []).filter(
		(operation, index) => checkStep(operation, index + 1).problems.length === 0,
	);
	const isFit = checkAnswer({ operations: valid }).problems.length === 0;
	return { fallback: { operations: isFit ? (valid as IDataObject[]) : [] }, dropped: problems };
}

/** The rows of the step editor as they stand in the workflow; all of them by one expression count as one row. */
export function rawSteps(context: Pick<IHookFunctions, 'getNodeParameter'>): unknown[] {
	const value: unknown = context.getNodeParameter('fallback', {}, { rawExpressions: true });
	const rows = isObject(value) ? value.step : value;
	if (Array.isArray(rows)) return rows as unknown[];
	return rows === undefined ? [] : [rows];
}

/** Tells whether a value from the workflow is an expression, or holds one. */
export function holdsExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression);
}
