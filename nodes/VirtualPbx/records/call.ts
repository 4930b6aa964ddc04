import type { IDataObject } from 'n8n-workflow';

import { cdrRecording, cdrSeconds, cdrText, cdrTime, simplifyCdr } from './cdr';
import { asText } from '../values/json';

/** The CDRs of one call. */
export interface CallLegs {
	/** Undefined for a record without one, which is a call of its own. */
	bridgeId: string | undefined;
	legs: IDataObject[];
}

/**
 * Puts the legs of each call together by BRIDGE_ID (§2.4); a record without one is a call of its own.
 *
 * @returns the calls in the order in which their first records stand in the list
 */
export function groupByCall(records: readonly IDataObject[]): CallLegs[] {
	const calls = new Map<string, CallLegs>();
	const all: CallLegs[] = [];
	for (const record of records) {
		const bridgeId = cdrText(record, 'BRIDGE_ID');
		const known = bridgeId === undefined ? undefined : calls.get(bridgeId);
		if (known) {
			known.legs.push(record);
			continue;
		}
		const call: CallLegs = { bridgeId, legs: [record] };
		if (bridgeId !== undefined) calls.set(bridgeId, call);
		all.push(call);
	}
	return all;
}

/**
 * Finds the leg that began the call: the one whose own call ID is the Bridge-ID, where the PBX gives call IDs (§6);
 * else the inbound one (§6: the Bridge-ID is the Call-ID of the inbound leg); else one that is not outbound, since the
 * values of a direction are not all known (§2.4); else undefined.
 */
export function firstLegOf(legs: readonly IDataObject[]): IDataObject | undefined {
	return (
		legs.find(isOwnBridge) ??
		legs.find((leg) => directionOf(leg) === 'inbound') ??
		legs.find((leg) => !directionOf(leg).startsWith('out'))
	);
}

function isOwnBridge(leg: IDataObject): boolean {
	const callId = callIdOf(leg);
	return callId !== undefined && callId === cdrText(leg, 'BRIDGE_ID');
}

function callIdOf(leg: IDataObject): string | undefined {
	return asText(leg.CALL_ID) ?? asText(leg.call_id);
}

/** Legs of two people who talked with each other end at the same moment, give or take. */
const SAME_END_MS = 5000;

/**
 * Tells whether the legs are a whole call without a leg that began it, as those of a click-to-call are: they name each other,
 * where the PBX gives call IDs; or two of them were talked on and ended together.
 */
export function areBothEnds(legs: readonly IDataObject[]): boolean {
	const ids = new Set(legs.map(callIdOf));
	const others = legs.map((leg) => asText(leg.OTHER_LEG_CALL_ID) ?? asText(leg.other_leg_call_id));
	if (legs.length > 1 && others.every((id) => id !== undefined && ids.has(id))) return true;

	const ends = legs
		.filter((leg) => cdrSeconds(leg) > 0)
		.map(cdrTime)
		.filter((time) => time !== undefined)
		.sort((a, b) => a - b);
	return ends.some((end, index) => end - (ends[index - 1] ?? -Infinity) <= SAME_END_MS);
}

function directionOf(leg: IDataObject): string {
	return cdrText(leg, 'CALL_DIRECTION')?.trim().toLowerCase() ?? '';
}

/** Sorts records by time, oldest first; equal times and records without a time keep their order. */
export function sortByTime(records: readonly IDataObject[]): IDataObject[] {
	return records
		.map((record) => ({ record, time: cdrTime(record) ?? 0 }))
		.sort((a, b) => a.time - b.time)
		.map(({ record }) => record);
}

/**
 * Tells one call from its legs: who called whom, how it ended, how long they talked, where it was recorded.
 *
 * Caller, direction and hang-up cause are those of the first leg; where it is not known, those of the earliest one.
 * A call counts as answered when another leg than the first has talk time (somebody picked up), or the only leg has.
 * `talkSeconds` is the talk time of the other legs together, at most that of the first; `answeredBy` is the callee of
 * the longest of them.
 *
 * @param legs at least one CDR
 */
export function summarizeCall(legs: readonly IDataObject[]): IDataObject {
	const ordered = sortByTime(legs);
	const first = firstLegOf(ordered) ?? ordered[0] ?? {};
	const others = ordered.filter((leg) => leg !== first);
	const start = simplifyCdr(first);
	const recordings = recordingsOf([first, ...others]);
	return {
		bridgeId: start.bridgeId,
		direction: start.direction,
		from: start.from,
		fromName: start.fromName,
		to: start.to,
		toName: start.toName,
		...answerOf(first, others),
		talkSeconds: talkTimeOf(ordered),
		hangupCause: start.hangupCause,
		hangupReason: start.hangupReason,
		firstAt: timeOf(ordered[0]),
		lastAt: timeOf(ordered.at(-1)),
		recordingUrl: recordings[0]?.recordingUrl ?? null,
		recordingFile: recordings[0]?.recordingFile ?? null,
		recordings,
		fromUri: start.fromUri,
		toUri: start.toUri,
		accountId: start.accountId,
		legCount: ordered.length,
		legs: ordered.map(simplifyCdr),
	} as IDataObject;
}

function answerOf(first: IDataObject, others: readonly IDataObject[]): IDataObject {
	const talkers = others.length === 0 ? [first] : others;
	const best = talkers.reduce((a, b) => (cdrSeconds(b) > cdrSeconds(a) ? b : a));
	const answered = cdrSeconds(best) > 0;
	return { answered, answeredBy: answered ? (simplifyCdr(best).to ?? null) : null };
}

function timeOf(leg: IDataObject | undefined) {
	return leg === undefined ? null : (simplifyCdr(leg).at ?? null);
}

/** The talk time of a call in seconds; see {@link summarizeCall}. */
export function talkTimeOf(legs: readonly IDataObject[]): number {
	const first = firstLegOf(legs) ?? legs[0] ?? {};
	const others = legs.filter((leg) => leg !== first);
	const whole = cdrSeconds(first);
	if (others.length === 0) return whole;
	const together = others.reduce((sum, leg) => sum + cdrSeconds(leg), 0);
	return whole > 0 ? Math.min(whole, together) : together;
}

/** The recordings that the legs of a call name, each once. */
function recordingsOf(legs: readonly IDataObject[]): IDataObject[] {
	const byAddress = new Map<string, IDataObject>();
	for (const leg of legs) {
		const recording = cdrRecording(leg);
		const recordingUrl = recording?.addresses[0];
		if (!recording || recordingUrl === undefined || byAddress.has(recordingUrl)) continue;
		byAddress.set(recordingUrl, { recordingUrl, recordingFile: recording.file });
	}
	return [...byAddress.values()];
}

/** So many calls without an inbound leg show that an account has none. */
const ENOUGH_CALLS = 3;
/** Both legs of a call that was talked on are recorded within so long after its end. */
const BOTH_ENDED_MS = 30_000;

/**
 * Tells from an account's records whether its calls have an inbound leg: one record of such a leg says so, and some
 * calls that were talked on and have none say that there is none. A click-to-call, which never has one, says nothing.
 *
 * @param now Unix milliseconds
 * @returns undefined where the records do not tell
 */
export function haveInboundLegs(records: readonly IDataObject[], now: number): boolean | undefined {
	const isOutbound = (record: IDataObject) =>
		cdrText(record, 'CALL_DIRECTION')?.trim().toLowerCase().startsWith('out') === true;
	if (!records.every(isOutbound)) return true;
	const isOver = (record: IDataObject) => now - (cdrTime(record) ?? now) >= BOTH_ENDED_MS;
	const alone = groupByCall(records).filter(
		({ bridgeId, legs }) =>
			bridgeId !== undefined &&
			legs.every(isOver) &&
			!areBothEnds(legs) &&
			legs.some((leg) => talkTimeOf([leg]) > 0),
	);
	return alone.length >= ENOUGH_CALLS ? false : undefined;
}
