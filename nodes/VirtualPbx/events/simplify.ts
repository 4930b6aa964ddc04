import type { IDataObject } from 'n8n-workflow';

import { hangupWords } from '../values/hangupCause';
import { withNulls } from '../values/json';
import { areExtensions } from '../values/numbers';
import { LATEST_MS, numberToUnixMs, toIso } from '../values/time';
import {
	calledIn,
	calledNameOf,
	callerIn,
	callerNameOf,
	causeOf,
	employeeOf,
	isAnsweredByExchange,
	isAnsweredElsewhere,
	isMissed,
	outcomeOfEvent,
	variableOf,
	wasAnswered,
} from './outcome';
import type { CallEvent } from './parse';
import { bridgeIdOf, isFirstLeg, objectOf } from './parse';
import { fieldsOf, plainName, secondsField, textField } from './payload';
import { isSecretKey } from './secret';
import type { EventValue } from './table';

/**
 * Sums an event up for workflows: ten fields that matter, and the rest in `details`. Every field is always there; `null`
 * means that the event does not say. Numbers are plain (no SIP URI), times are ISO 8601 in UTC, durations are whole seconds.
 *
 * @param value the event as the user chose it
 * @param customKeys the keys of the user's own custom data, for platforms that mix it into the event (§2.5)
 * @param isFirst whether the leg stands for its call; by the event alone where nobody knows more
 */
export function simplify(
	event: CallEvent,
	value: EventValue,
	customKeys: readonly string[],
	isFirst = isFirstLeg(event),
): IDataObject {
	const { fields, callId } = event;
	const from = callerIn(event);
	const to = calledIn(event);
	const times = timesOf(event);
	const cause = causeOf(event);
	return withNulls({
		event: value,
		outcome: outcomeOfEvent(event),
		direction: event.direction,
		from: from?.party.number,
		fromName: callerNameOf(event),
		to: to?.party.number,
		employee: employeeOf(event),
		at: iso(times.at),
		talkSeconds: secondsField(fields, 'Billing-Seconds'),
		callId,
		details: withNulls({
			bridgeId: bridgeIdOf(event, isFirst),
			leg: isFirst ? 'first' : 'other',
			toName: calledNameOf(event),
			fromUri: from?.text,
			toUri: to?.text,
			internal: areExtensions(from?.party.number, to?.party.number),
			state: textField(fields, 'Answer-State'),
			answered: wasAnswered(event),
			answeredByExchange: isAnsweredByExchange(event),
			answeredElsewhere: isAnsweredElsewhere(event),
			missed: value === 'missed' || isMissed(event),
			startedAt: iso(times.started),
			timestamp: asNumber(textField(fields, 'Timestamp')),
			ringingSeconds: secondsField(fields, 'Ringing-Seconds'),
			durationSeconds: secondsField(fields, 'Duration-Seconds'),
			hangupCause: cause,
			hangupCode: sipCode(textField(fields, 'Hangup-Code')),
			hangupReason: cause === undefined ? null : hangupWords(cause),
			otherLegCallId: event.otherLeg,
			accountId: variableOf(event, 'Account-ID'),
			ownerId: variableOf(event, 'Owner-ID'),
			deviceId: variableOf(event, 'Authorizing-ID'),
			messageId: textField(fields, 'Msg-ID'),
			customData: customDataOf(event, customKeys),
		}),
	});
}

/** When the event happened, and when its leg began, in Unix milliseconds. */
function timesOf({ hook, fields }: CallEvent): { at?: number; started?: number } {
	const at = numberToUnixMs(fields.get(plainName('Timestamp')));
	if (at === undefined) return {};
	const lasted = hook === 'channel_create' ? 0 : secondsField(fields, 'Duration-Seconds');
	return lasted === undefined ? { at } : { at, started: at - lasted * 1000 };
}

/** The same number whether the platform sends it as JSON or as a form. */
function asNumber(text: string | undefined): number | string | null {
	const number = Number(text ?? Number.NaN);
	return Number.isSafeInteger(number) ? number : (text ?? null);
}

function iso(unixMs: number | undefined): string | null {
	return unixMs === undefined || Math.abs(unixMs) > LATEST_MS ? null : toIso(unixMs);
}

/** `sip:486` → 486. */
function sipCode(code: string | undefined): number | null {
	const digits = /^(?:sip:)?\s*(\d{3})$/i.exec(code ?? '')?.[1];
	return digits === undefined ? null : Number(digits);
}

/** The user's own custom data without our secret, from wherever the platform put it. */
function customDataOf({ source, fields, vars }: CallEvent, keys: readonly string[]): IDataObject {
	const places = [fieldsOf(source), fields, vars];
	const data: IDataObject = {};
	for (const place of places) {
		const held = objectOf(place.get('customdata')) ?? {};
		for (const key of Object.keys(held)) if (isCustom(key)) data[key] = held[key];
	}
	for (const key of keys) {
		if (!isCustom(key) || Object.hasOwn(data, key)) continue;
		const value = places
			.map((place) => place.get(plainName(key)))
			.find((found) => found !== undefined);
		if (value !== undefined) data[key] = value as IDataObject[string];
	}
	return data;
}

/** Neither our secret nor the name under which a value would become the prototype. */
function isCustom(key: string): boolean {
	return key !== '__proto__' && !isSecretKey(key);
}
