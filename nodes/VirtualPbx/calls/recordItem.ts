import type { IDataObject } from 'n8n-workflow';

import { cdrRecording, cdrRecordings, sortByTime } from '../pbx/cdrs/cdr';
import { cdrText } from '../pbx/cdrs/cdrFields';
import { withNulls } from '../util/json';
import type { Call } from './call';
import { assembleCall, callDetails, callFields, isoOf, legDetails } from './call';
import type { CallFilters } from './filter';
import { rejectionReason } from './filter';
import { outcomeOfLeg } from './outcome';
import { legOfCdr } from './recordLeg';

/** Assembles a call from all its records, in any order. */
export function callOfRecords(records: readonly IDataObject[]): Call {
	return assembleCall(sortByTime(records).map(legOfCdr), true);
}

/** Returns whether a call passes filters, judged by all its records. */
export function passes(records: readonly IDataObject[], filters: CallFilters): boolean {
	return rejectionReason(callOfRecords(records), filters) === undefined;
}

/** Assembles a call from one record, as far as one leg shows it. Outcome and duration are the leg's own. */
function callOfRecord(record: IDataObject): Call {
	const leg = legOfCdr(record);
	return { ...assembleCall([leg], false), outcome: outcomeOfLeg(leg), talk: leg.talk };
}

/** Returns whether a call record passes filters, by the fields that {@link simplifyCdr} shows. */
export function recordPasses(record: IDataObject, filters: CallFilters): boolean {
	return rejectionReason(callOfRecord(record), filters) === undefined;
}

/**
 * Combines a call's records, at least one, into one item: who called whom, how it ended, how long it lasted, where it
 * was recorded. Main fields are at the top, as in events and records; the rest in `details`. `at` is when its last leg
 * ended.
 */
export function simplifyCall(records: readonly IDataObject[], countVoicemail = true): IDataObject {
	const ordered = sortByTime(records);
	const call = assembleCall(ordered.map(legOfCdr), true);
	const lead = ordered[call.legs.indexOf(call.lead)] ?? {};
	const recordings = recordingsOf([lead, ...ordered]);
	const [recording] = recordings;
	const legs = call.legs.map(legDetails);
	const [firstAt, lastAt] = [legs[0]?.at, legs.at(-1)?.at];
	const began = call.legs.flatMap(({ beganAt }) => beganAt ?? []);
	return {
		...callFields(call, countVoicemail),
		...withNulls({
			at: lastAt,
			talkSeconds: call.talk,
			recordingUrl: recording?.recordingUrl,
			callId: call.lead.callId,
		}),
		details: withNulls({
			...callDetails(call, call.lead),
			answeredBy: call.answeredBy?.number,
			startedAt: began.length === 0 ? null : isoOf(Math.min(...began)),
			endedAt: lastAt,
			firstAt,
			lastAt,
			recordingFile: recording?.recordingFile,
			recordings,
			accountId: cdrText(lead, 'ACCOUNT_ID'),
			legCount: legs.length,
			legs,
		}),
	};
}

/** Simplifies a CDR, as far as one leg shows its call, into the same shape as calls. */
export function simplifyCdr(record: IDataObject, countVoicemail = true): IDataObject {
	const call = callOfRecord(record);
	const leg = call.lead;
	const recording = cdrRecording(record);
	return {
		...callFields(call, countVoicemail),
		at: isoOf(leg.at) ?? null,
		talkSeconds: call.talk ?? null,
		recordingUrl: recording?.address ?? null,
		callId: leg.callId ?? null,
		details: withNulls({
			legId: leg.id,
			...callDetails(call, leg),
			startedAt: isoOf(leg.beganAt),
			endedAt: isoOf(leg.at),
			recordingFile: recording?.file,
			timestamp: cdrText(record, 'TIMESTAMP'),
			accountId: cdrText(record, 'ACCOUNT_ID'),
		}),
	};
}

/** Returns the recordings named by a call's legs, without duplicates. */
function recordingsOf(records: readonly IDataObject[]): IDataObject[] {
	const all = records.flatMap(cdrRecordings);
	const byAddress = new Map(all.map(({ address, file }) => [address, file]));
	return [...byAddress].map(([recordingUrl, recordingFile]) => ({ recordingUrl, recordingFile }));
}
