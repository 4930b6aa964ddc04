import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readSafely } from './readSafely';

/** Below the usual `req_timeout` of 5 s (§2.2), with time for the network. */
export const DEFAULT_DEADLINE_S = 4;
const SHORTEST_S = 0.1;
const LONGEST_S = 60;

/**
 * Reads the deadline, within 0.1 to 60 s; anything that is no such number means the default, since a call waits.
 *
 * @returns milliseconds
 */
export function readDeadline(context: IHookFunctions | IWebhookFunctions): number {
	const seconds = Number(readSafely(context, 'deadline', DEFAULT_DEADLINE_S));
	const valid = Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_DEADLINE_S;
	return Math.round(Math.min(Math.max(valid, SHORTEST_S), LONGEST_S) * 1000);
}

/**
 * Refuses an activation with a deadline that could not be kept.
 *
 * @throws NodeOperationError that names the range
 */
export function requireDeadline(context: IHookFunctions): void {
	const seconds = Number(readSafely(context, 'deadline', DEFAULT_DEADLINE_S));
	if (seconds >= SHORTEST_S && seconds <= LONGEST_S) return;
	throw new NodeOperationError(
		context.getNode(),
		`Deadline must be a number of seconds from ${SHORTEST_S} to ${LONGEST_S}`,
	);
}
