import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { accountId, readCheckSettings } from '../../parameters/options';
import type { AddedValues, Parameter } from '../../parameters/parameter';
import { parameterError, triggerScope } from '../../parameters/parameter';
import type { Pivot } from '../../pbx/types';
import { webserverOf } from '../../pbx/callflows/flow';
import { messageOf } from '../../pbx/errors/meanings';
import { answerOfSteps, withoutFaultySteps } from '../../pbx/pivot/answer';
import { isObject } from '../../util/json';
import { ownAddress } from '../runtime/address';
import type { DesiredConnection } from './connection';
import * as parameters from './parameters';

/** Reads how the callflow should call this node; undefined if connected by hand. Throws NodeOperationError. */
export function readDesired(context: IHookFunctions): DesiredConnection | undefined {
	const scope = triggerScope(context);
	if (parameters.connect.read(scope) !== 'callflow') return undefined;
	const given = parameters.options.read(scope);
	const service = readService(context);
	const method = String(
		given.values.requestMethod || parameters.pivotRequest.method.property.default,
	);
	const timeout = readTimeout(context, given);
	const format = parameters.pivotRequest.format.read(given);
	return {
		callflowId: parameters.routedCallflow.read(scope),
		accountId: accountId.read(given),
		pivot: { ...service, method: method.toUpperCase(), timeout, format },
		...readCheckSettings(given),
	};
}

/** The PBX must wait longer than this node, or it would never get the fallback. */
function readTimeout(context: IHookFunctions, given: AddedValues): string {
	const timeout = parameters.pivotRequest.timeout.read(given);
	const isImmediate = parameters.responseMode.read(triggerScope(context)) === 'onReceived';
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
	const { default: usual, typeOptions = {} } = parameters.deadline.property;
	const { minValue = 0, maxValue = Infinity } = typeOptions;
	const seconds = Number(readSafely(context, parameters.deadline));
	const valid = Number.isFinite(seconds) && seconds > 0 ? seconds : Number(usual);
	return Math.round(Math.min(Math.max(valid, minValue), maxValue) * 1000);
}

/** Throws NodeOperationError, naming the range, for a deadline that couldn't be kept. */
export function assertDeadline(context: IHookFunctions): void {
	parameters.deadline.read({ context, get: () => readSafely(context, parameters.deadline) });
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
	const steps = readSafely(context, parameters.fallback, null) ?? {
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
