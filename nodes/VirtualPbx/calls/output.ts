import type { IDataObject } from 'n8n-workflow';

import { causeCode, hangupWords } from '../values/hangupCause';
import { withNulls } from '../values/json';
import { crmForms } from '../values/phone/crmForms';
import { LATEST_MS, toIso } from '../values/time';
import type { Call } from './call';
import type { Leg } from './leg';
import { outcomeOfLeg } from './outcome';

/**
 * The fields that a call has wherever it is told, beside those of its source; null for what is not known.
 *
 * @param countVoicemail whether a call that only the PBX took counts as missed
 */
export function callFields(call: Call, countVoicemail: boolean): IDataObject {
	return {
		callType: call.type ?? null,
		outcome: call.outcome,
		missed: call.isMissed(countVoicemail) ?? null,
		customerNumber: call.customer?.number ?? null,
		employee: call.employee?.user ?? null,
		companyNumber: call.company?.number ?? null,
	};
}

/**
 * The details that a call has wherever it is told.
 *
 * @param leg whose ends they tell
 */
export function callDetails(call: Call, { from, to }: Leg): IDataObject {
	const { customer, employee, cause } = call;
	return {
		from: from?.number,
		fromName: from?.name,
		fromUri: from?.text,
		to: to?.number,
		toName: to?.name,
		toUri: to?.text,
		customerName: customer?.name,
		numbers: crmForms(customer?.number, undefined),
		employeeName: employee?.name,
		hangupCause: cause,
		hangupReason: cause === undefined ? undefined : hangupWords(cause),
	};
}

/** A leg within the details of its call; with Simplify off, it is there as a whole. */
export function legDetails(leg: Leg): IDataObject {
	return withNulls({
		outcome: outcomeOfLeg(leg),
		from: leg.from?.number,
		to: leg.to?.number,
		at: isoOf(leg.at),
		talkSeconds: leg.talk,
		hangupCause: causeCode(leg.cause),
	});
}

/** ISO 8601 in UTC; undefined where there is no such time. */
export function isoOf(unixMs: number | undefined): string | undefined {
	return unixMs === undefined || Math.abs(unixMs) > LATEST_MS ? undefined : toIso(unixMs);
}
