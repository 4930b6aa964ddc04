import type { IDataObject } from 'n8n-workflow';

import type { Cdr } from '../pbx/cdrs/cdr';
import { DEFAULT_CALL_SETTINGS } from '../pbx/credential';
import { fillNulls } from '../util/json';
import type { Call, CallOutput } from './call';
import { assembleCall, callDetails, callFields, isoOf, legDetails } from './call';
import type { CallFilters } from './filter';
import { rejectionReason } from './filter';
import type { Leg, ShownByCalls } from './leg';
import { firstLegOf, goesOut, isOwnPhone, NOTHING_SHOWN } from './leg';
import { outcomeOfLeg } from './outcome';
import type { RecordedCall } from './recordedCalls';
import { legOfCdr, sortByTime } from './recordedCalls';

/** Assembles a call from all its records, in any order. `shown` is what the account's other calls show. */
export function callOfRecords(records: readonly Cdr[], shown = NOTHING_SHOWN): Call {
	return callOfSorted(sortByTime(records), shown);
}

function callOfSorted(records: readonly Cdr[], shown: ShownByCalls): Call {
	const settings = records[0]?.settings ?? DEFAULT_CALL_SETTINGS;
	return assembleCall(records.map(legOfCdr), true, { ...settings, shown });
}

/** Returns whether a call passes filters, judged by all its records. */
export function callPasses(
	records: readonly Cdr[],
	filters: CallFilters,
	shown?: ShownByCalls,
): boolean {
	return rejectionReason(callOfRecords(records, shown), filters) === undefined;
}

/** Assembles a call from one record, as far as one leg shows it. Outcome and duration are the leg's own. */
function callOfRecord(record: Cdr, shown = NOTHING_SHOWN): Call {
	const leg = legOfCdr(record);
	const call = assembleCall([leg], false, { ...record.settings, shown });
	return Object.assign(call, { outcome: outcomeOfLeg(leg), talk: leg.talk });
}

/**
 * Returns whether a call lacks the leg that began it, which is recorded when the call ends, so that the call might still
 * be going on. A call without one that no leg began, such as a click-to-call, is whole; so is an employee's call to a
 * number outside, of which most accounts record one leg.
 */
export function lacksFirstLeg(records: readonly Cdr[]): boolean {
	const [record] = records;
	if (record?.bridgeId === undefined || record.settings.hasOnlyPhoneLegs) return false;
	const legs = records.map(legOfCdr);
	if (firstLegOf(legs) !== undefined || areBothEnds(legs)) return false;
	return callOfRecords(records).type !== 'outgoing';
}

/** The tolerance within which two connected legs end together. */
const SAME_END_MS = 5000;

/**
 * Returns whether the legs are a whole call that no leg began: they name each other, if the PBX provides call IDs; a
 * phone rings on behalf of its own user or of the outside party that another leg calls; or two answered legs ended
 * together.
 */
function areBothEnds(legs: readonly Leg[]): boolean {
	const ids = new Set(legs.map(({ id }) => id));
	const isNamed = ({ otherId }: Leg) => otherId !== undefined && ids.has(otherId);
	if (legs.length > 1 && legs.every(isNamed)) return true;
	const outside = new Set(legs.filter(goesOut).map(({ to }) => to?.number));
	const isPhoneFirst = (leg: Leg) =>
		isOwnPhone(leg) || (leg.employee !== undefined && outside.has(leg.from?.number));
	if (legs.some(isPhoneFirst)) return true;
	const ends = legs
		.filter(({ state }) => state === 'answered')
		.flatMap(({ at }) => at ?? [])
		.sort((a, b) => a - b);
	return ends.some((end, index) => end - (ends[index - 1] ?? -Infinity) <= SAME_END_MS);
}

/** Returns whether a call record passes filters, by the fields that {@link simplifyCdr} shows. */
export function recordPasses(record: Cdr, filters: CallFilters): boolean {
	return rejectionReason(callOfRecord(record), filters) === undefined;
}

/**
 * Combines a call's records into one item: who called whom, how it ended, how long it lasted, where it was recorded.
 * Main fields are at the top, as in events and records; the rest in `details`. `at` is when its last leg ended.
 */
export function simplifyCall(
	records: readonly Cdr[],
	{ countVoicemail = true, includeDetails = true, shown = NOTHING_SHOWN }: CallOutput = {},
): IDataObject {
	const ordered = sortByTime(records);
	const call = callOfSorted(ordered, shown);
	const lead = ordered[call.legs.indexOf(call.lead)];
	const recordings = recordingsOf(lead ? [lead, ...ordered] : ordered);
	const [recording] = recordings;
	const at = call.legs.at(-1)?.at;
	const item = mainFields(call, { at, recordingUrl: recording?.recordingUrl }, countVoicemail);
	if (!includeDetails) return item;
	const legs = call.legs.map(legDetails);
	const began = ordered.flatMap(({ beganAt }) => beganAt ?? []);
	const details = Object.assign(callDetails(call, call.lead), {
		answeredBy: call.answeredBy?.number,
		startedAt: isoOf(Math.min(...began)),
		endedAt: isoOf(at),
		firstAt: legs[0]?.at,
		lastAt: isoOf(at),
		recordingFile: recording?.recordingFile,
		recordings,
		accountId: lead?.accountId,
		legCount: legs.length,
		legs,
	});
	return Object.assign(item, { details: fillNulls(details) });
}

/** Returns the main fields of an item. Assigns objects: spreading them takes V8 three times as long. */
function mainFields(
	call: Call,
	{ at, recordingUrl }: { at: number | undefined; recordingUrl: unknown },
	countVoicemail: boolean,
): IDataObject {
	return Object.assign(callFields(call, countVoicemail), {
		at: isoOf(at) ?? null,
		talkSeconds: call.talk ?? null,
		recordingUrl: (recordingUrl ?? null) as string | null,
		callId: call.lead.callId ?? null,
	});
}

/** Returns a call's records as the PBX sent them, for output with Simplify off. */
export function rawCall({ callId, legs }: Pick<RecordedCall, 'callId' | 'legs'>): IDataObject {
	return { callId: callId ?? null, legs: legs.map(({ original }) => original) };
}

/** Simplifies a CDR, as far as one leg shows its call, into the same shape as calls. */
export function simplifyCdr(
	record: Cdr,
	{ countVoicemail = true, includeDetails = true, shown }: CallOutput = {},
): IDataObject {
	const call = callOfRecord(record, shown);
	const leg = call.lead;
	const [recording] = record.recordings;
	const place = { at: leg.at, recordingUrl: recording?.address };
	const item = mainFields(call, place, countVoicemail);
	if (!includeDetails) return item;
	const details = Object.assign({ legId: leg.id }, callDetails(call, leg), {
		startedAt: isoOf(record.beganAt),
		endedAt: isoOf(leg.at),
		recordingFile: recording?.file,
		timestamp: record.timestamp,
		accountId: record.accountId,
	});
	return Object.assign(item, { details: fillNulls(details) });
}

/** Returns the recordings named by a call's legs, without duplicates. */
function recordingsOf(records: readonly Cdr[]): IDataObject[] {
	const all = records.flatMap(({ recordings }) => recordings);
	const byAddress = new Map(all.map(({ address, file }) => [address, file]));
	return [...byAddress].map(([recordingUrl, recordingFile]) => ({ recordingUrl, recordingFile }));
}
