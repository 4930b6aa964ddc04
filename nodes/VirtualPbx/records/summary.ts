import type { IDataObject } from 'n8n-workflow';

import { causeCode, unansweredKind } from '../values/hangupCause';
import { withNulls } from '../values/json';
import { areExtensions } from '../values/numbers';
import type { Outcome } from '../values/outcome';
import { isNormalEnd, outcomeOf } from '../values/outcome';
import { firstLegOf, sortByTime, talkTimeOf } from './call';
import type { Leg } from './cdr';
import { cdrRecording, cdrText, isoOf, isUserName, phoneOf, readLeg, reasonOf } from './cdr';
import { clickToCall, isOutside } from './placed';

/** The legs of a call and their parts in it. */
interface Parts {
	/** Oldest first. */
	legs: Leg[];
	/** The leg that began the call; where it is not known, the earliest one. */
	first: Leg;
	/** The legs that somebody may have picked up: the others, or the only one. */
	called: Leg[];
	/** In seconds; undefined when no record says. */
	talk: number | undefined;
}

function partsOf(records: readonly IDataObject[]): Parts {
	const ordered = sortByTime(records);
	const legs = ordered.map(readLeg);
	const begun = firstLegOf(ordered);
	const click = begun === undefined ? clickToCall(legs) : undefined;
	if (click) return partsOfClick(legs, click);
	const first = legs.find(({ record }) => record === begun) ?? legs[0] ?? readLeg({});
	const others = legs.filter((leg) => leg !== first);
	const isEveryLegCalled = begun === undefined && !others.some(isTalkedOn);
	return {
		legs,
		first,
		called: others.length === 0 || isEveryLegCalled ? [first, ...others] : others,
		talk: legs.every(({ talk }) => talk === undefined) ? undefined : talkTimeOf(ordered),
	};
}

/** Of a click-to-call the leg to the outside tells all: the colleague at the other one has placed it. */
function partsOfClick(legs: Leg[], { phone, outside }: { phone: Leg; outside: Leg }): Parts {
	const first = { ...outside, from: phone.to, fromName: phone.toName, fromUri: phone.toUri };
	return { legs, first, called: [outside], talk: outside.talk };
}

function isTalkedOn({ talk }: Leg): boolean {
	return talk !== undefined && talk > 0;
}

/**
 * Tells one call from its legs, in whatever order they come: who called whom, how it ended, how long they talked, where it
 * was recorded. What matters stands at the top, in the shape that records have, too; the rest in `details`.
 *
 * Caller, direction and hang-up cause are those of the first leg; where it is not known, those of the earliest one.
 * A call counts as answered when another leg than the first has talk time (somebody picked up), or the only leg has; as
 * taken by the exchange when only the first has. `talkSeconds` is the talk time of the other legs together, at most that of
 * the first; `answeredBy` is the callee of the longest of them. `at` is when the last leg ended.
 *
 * @param records at least one CDR
 */
export function summarizeCall(records: readonly IDataObject[]): IDataObject {
	const parts = partsOf(records);
	const { legs, first, talk } = parts;
	const outcome = outcomeOfParts(parts);
	const answerer = answererOf(parts);
	const recordings = recordingsOf([first, ...legs.filter((leg) => leg !== first)]);
	const shown = legs.map(compact);
	const [firstAt, lastAt] = [shown[0]?.at, shown.at(-1)?.at];
	return withNulls({
		outcome,
		direction: first.direction,
		from: first.from,
		fromName: first.fromName,
		to: first.to,
		employee: employeeOf(parts),
		at: lastAt,
		talkSeconds: talk,
		recordingUrl: recordings[0]?.recordingUrl,
		bridgeId: cdrText(first.record, 'BRIDGE_ID'),
		details: withNulls({
			toName: first.toName,
			fromUri: first.fromUri,
			toUri: first.toUri,
			answered: answerer !== undefined || (outcome === 'answered' ? null : false),
			answeredBy: answerer?.to,
			hangupCause: causeCode(first.cause),
			hangupReason: reasonOf(first),
			firstAt,
			lastAt,
			recordingFile: recordings[0]?.recordingFile,
			recordings,
			accountId: cdrText(first.record, 'ACCOUNT_ID'),
			legCount: legs.length,
			legs: shown,
		}),
	});
}

/**
 * Says in one word how a call went; see {@link summarizeCall}.
 *
 * @param records at least one CDR
 */
export function outcomeOfCall(records: readonly IDataObject[]): Outcome {
	return outcomeOfParts(partsOf(records));
}

/**
 * Tells how long a call was talked on; see {@link summarizeCall}.
 *
 * @param records at least one CDR
 * @returns seconds; 0 where no record says
 */
export function talkOfCall(records: readonly IDataObject[]): number {
	return partsOf(records).talk ?? 0;
}

/**
 * Names the colleague in a call; see {@link summarizeCall}.
 *
 * @param records at least one CDR
 * @returns undefined where there is none, or more than one
 */
export function employeeOfCall(records: readonly IDataObject[]): string | undefined {
	return employeeOf(partsOf(records));
}

function outcomeOfParts(parts: Parts): Outcome {
	const { first, called } = parts;
	const isPickedUp = called.some(isTalkedOn);
	const isSaid = called.every(({ talk, cause }) => talk !== undefined || !isNormalEnd(cause));
	const isOver = isSaid || first.talk !== undefined ? 'unanswered' : 'unsaid';
	return outcomeOf({
		state: isPickedUp || isTalkedOn(first) ? 'answered' : isOver,
		byColleague: placedBy(parts) !== undefined || areExtensions(first.from),
		byExchange: !isPickedUp && isSaid,
		cause: tellingCause(parts),
	});
}

/** The cause of the first leg; where it tells nothing, that of the others, if all of them failed in the same way. */
function tellingCause({ first, called }: Parts): string | undefined {
	if (unansweredKind(first.cause) !== undefined) return first.cause;
	const kinds = new Set(called.map(({ cause }) => unansweredKind(cause)));
	const [kind] = kinds;
	const isTold = kinds.size === 1 && kind !== undefined && kind !== 'elsewhere';
	return isTold ? called[0]?.cause : first.cause;
}

/** The colleague who called out: an extension, or a user whose call went on to the number outside that was dialled. */
function placedBy({ first, called }: Parts): string | undefined {
	const { from, to } = first;
	if (areExtensions(to)) return undefined;
	if (areExtensions(from)) return from;
	const goesOut = isOutside(to) && called.some((leg) => leg !== first && leg.to === to);
	return goesOut && isUserName(from) ? from : undefined;
}

/** The leg with the longest talk among those that somebody may have picked up; undefined where nobody did. */
function answererOf({ called }: Parts): Leg | undefined {
	const longest = called.reduce((a, b) => ((b.talk ?? 0) > (a.talk ?? 0) ? b : a));
	return isTalkedOn(longest) ? longest : undefined;
}

/** The colleague in a call: who called out, else who answered, else whose phone rang, if it was only one. */
function employeeOf(parts: Parts): string | undefined {
	const { called } = parts;
	const caller = placedBy(parts);
	if (caller !== undefined) return caller;
	const answerer = answererOf(parts);
	const rang = (answerer ? [answerer] : called)
		.map((leg) => phoneOf(leg) ?? (areExtensions(leg.to) ? leg.to : undefined))
		.filter((phone) => phone !== undefined);
	return new Set(rang).size === 1 ? rang[0] : undefined;
}

/** A leg within its call; with Simplify off, it is there as a whole. */
function compact(leg: Leg): IDataObject {
	return withNulls({
		outcome: leg.outcome,
		direction: leg.direction,
		from: leg.from,
		to: leg.to,
		at: isoOf(leg),
		talkSeconds: leg.talk,
		hangupCause: causeCode(leg.cause),
	});
}

/** The recordings that the legs of a call name, each once. */
function recordingsOf(legs: readonly Leg[]): IDataObject[] {
	const byAddress = new Map<string, IDataObject>();
	for (const { record } of legs) {
		const recording = cdrRecording(record);
		const recordingUrl = recording?.addresses[0];
		if (!recording || recordingUrl === undefined || byAddress.has(recordingUrl)) continue;
		byAddress.set(recordingUrl, { recordingUrl, recordingFile: recording.file });
	}
	return [...byAddress.values()];
}
