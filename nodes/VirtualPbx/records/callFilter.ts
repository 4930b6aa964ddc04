import type { IDataObject } from 'n8n-workflow';

import { causeCode } from '../values/hangupCause';
import { areExtensions, numberOf } from '../values/numbers';
import type { NumberMatch } from '../values/numbers';
import type { Outcome } from '../values/outcome';
import { firstLegOf } from './call';
import { cdrText } from './cdr';
import { outcomeOfCall, talkOfCall } from './summary';

/** What must hold for a call or a call record; what is left out does not filter. */
export interface CallFilters {
	/** Either end of the call. */
	number?: NumberMatch | undefined;
	from?: NumberMatch | undefined;
	to?: NumberMatch | undefined;
	/** Calls between extensions. */
	internal?: 'exclude' | 'only' | undefined;
	/** In lower case. */
	direction?: string | undefined;
	/** In capitals. */
	causes: readonly string[];
	outcomes?: readonly Outcome[] | undefined;
	minTalkSeconds: number;
}

/**
 * Tells whether a call passes: its caller, direction and cause are those of the leg that began it, its called numbers
 * those of all legs.
 *
 * @param legs at least one CDR, oldest first
 */
export function passes(legs: readonly IDataObject[], filters: CallFilters): boolean {
	const first = firstLegOf(legs) ?? legs[0] ?? {};
	return (
		passesNumbers(first, legs, filters) &&
		passesInternal(first, filters.internal) &&
		isOneOf(cdrText(first, 'CALL_DIRECTION')?.toLowerCase(), filters.direction) &&
		isOneOf(causeCode(cdrText(first, 'HANGUP_CAUSE')), filters.causes) &&
		passesOutcome(legs, filters.outcomes) &&
		(filters.minTalkSeconds <= 0 || talkOfCall(legs) >= filters.minTalkSeconds)
	);
}

function passesNumbers(
	first: IDataObject,
	legs: readonly IDataObject[],
	filters: CallFilters,
): boolean {
	const callers = present([cdrText(first, 'CALLER_ID_NUMBER')]);
	const called = present(legs.map((leg) => cdrText(leg, 'CALLEE_ID_NUMBER')));
	return (
		isListed(filters.number, [...callers, ...called]) &&
		isListed(filters.from, callers) &&
		isListed(filters.to, called)
	);
}

/** Whether a call is internal is told by the leg that began it. */
function passesInternal(first: IDataObject, wanted: CallFilters['internal']): boolean {
	if (wanted === undefined) return true;
	const numbers = (['CALLER_ID_NUMBER', 'CALLEE_ID_NUMBER'] as const).map((field) =>
		numberOf(cdrText(first, field) ?? ''),
	);
	return areExtensions(...numbers) === (wanted === 'only');
}

function passesOutcome(
	legs: readonly IDataObject[],
	wanted: CallFilters['outcomes'] = [],
): boolean {
	return wanted.length === 0 || wanted.includes(outcomeOfCall(legs));
}

function isOneOf(
	value: string | undefined,
	wanted: string | readonly string[] | undefined,
): boolean {
	if (wanted === undefined || wanted.length === 0) return true;
	return value !== undefined && [wanted].flat().includes(value);
}

function present(texts: Array<string | undefined>): string[] {
	return texts.filter((text) => text !== undefined);
}

function isListed(match: NumberMatch | undefined, numbers: string[]): boolean {
	return match === undefined || numbers.some(match);
}
