import type { IDataObject } from 'n8n-workflow';

import type { CdrField } from './cdr';
import { CDR_FIELDS, cdrSeconds, cdrText, cdrTime } from './cdr';
import { canonical } from './recordKey';
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
 * values of a direction are not all known (§2.4); else undefined. Of several, as a transfer with a consultation has, it is
 * the one that was picked up first.
 */
export function firstLegOf(legs: readonly IDataObject[]): IDataObject | undefined {
	let first: IDataObject | undefined;
	let best = OUTBOUND;
	for (const leg of legs) {
		const rank = rankOf(leg);
		const isBetter = rank < best || (first && rank === best && isEarlier(leg, first));
		if (!isBetter) continue;
		first = leg;
		best = rank;
	}
	return first;
}

const OUTBOUND = 3;

/** How surely a leg began its call, the surest first. */
function rankOf(leg: IDataObject): number {
	if (isOwnBridge(leg)) return 0;
	const direction = directionOf(leg);
	if (direction === 'inbound') return 1;
	return direction.startsWith('out') ? OUTBOUND : 2;
}

/** Tells whether a leg was picked up before another; of two at the same moment the one that ended later. */
function isEarlier(leg: IDataObject, other: IDataObject): boolean {
	const [end, otherEnd] = [cdrTime(leg) ?? Infinity, cdrTime(other) ?? Infinity];
	const start = end - cdrSeconds(leg) * 1000;
	const otherStart = otherEnd - cdrSeconds(other) * 1000;
	return start < otherStart || (start === otherStart && end > otherEnd);
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

/** The direction of a leg as the switch sees it (§2.4), in lower case; an empty text where the record has none. */
export function directionOf(leg: IDataObject): string {
	return cdrText(leg, 'CALL_DIRECTION')?.trim().toLowerCase() ?? '';
}

/** Sorts records by time, oldest first, in the same order however they come; those without a time stand first. */
export function sortByTime(records: readonly IDataObject[]): IDataObject[] {
	const order = orderOf(records);
	if (order !== undefined) return order < 0 ? [...records].reverse() : [...records];
	return records
		.map((record) => ({ record, time: cdrTime(record) ?? 0 }))
		.sort((a, b) => a.time - b.time || compareRecords(a.record, b.record))
		.map(({ record }) => record);
}

/** 1 where each record is later than the one before, -1 where it is earlier: most lists come so, and need no sorting. */
function orderOf(records: readonly IDataObject[]): 1 | -1 | undefined {
	let order: 1 | -1 | undefined = records.length < 2 ? 1 : undefined;
	let before: number | undefined;
	for (const record of records) {
		const time = cdrTime(record) ?? 0;
		const step = before === undefined ? undefined : Math.sign(time - before);
		if (step === 0 || (order !== undefined && step !== undefined && step !== order))
			return undefined;
		order ??= step as 1 | -1 | undefined;
		before = time;
	}
	return order;
}

/** Of legs that ended together, the inbound one comes first. */
function compareRecords(a: IDataObject, b: IDataObject): number {
	const texts = (field: CdrField) => [cdrText(a, field) ?? '', cdrText(b, field) ?? ''] as const;
	for (const field of CDR_FIELDS) {
		const [own, other] = texts(field);
		if (own !== other) return own < other ? -1 : 1;
	}
	const [own, other] = [canonical(a), canonical(b)];
	if (own === other) return 0;
	return own < other ? -1 : 1;
}

/**
 * The talk time of a call in seconds: of the legs beside the first one together, at most that of the first.
 *
 * @param records oldest first
 */
export function talkTimeOf(records: readonly IDataObject[]): number {
	const begun = firstLegOf(records);
	const first = begun ?? records[0] ?? {};
	const others = records.filter((record) => record !== first);
	const whole = cdrSeconds(first);
	const together = others.reduce((sum, record) => sum + cdrSeconds(record), 0);
	if (others.length === 0 || (begun === undefined && together === 0)) return whole;
	return whole > 0 ? Math.min(whole, together) : together;
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
	const isOutbound = (record: IDataObject) => directionOf(record).startsWith('out');
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
