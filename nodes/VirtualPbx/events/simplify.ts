import type { IDataObject } from 'n8n-workflow';

import { hangupWords } from '../values/hangupCause';
import { isObject } from '../values/json';
import { numberToUnixMs, toIso } from '../values/time';
import { fieldsOf, plainName, secondsField, textField } from './fields';
import { bridgeIdOf, directionOf, isFirstLeg } from './legs';
import {
	calledOf,
	callerOf,
	causeOf,
	isAnsweredByExchange,
	isAnsweredElsewhere,
	isInternal,
	isMissed,
	wasAnswered,
} from './outcome';
import type { CallEvent } from './parse';
import { objectOf } from './parse';
import { isSecretKey } from './secret';
import type { EventValue } from './table';

/**
 * Sums an event up for workflows. Every field is always there; `null` means that the event does not say.
 * Numbers are plain (no SIP URI), times are ISO 8601 in UTC, durations are whole seconds.
 *
 * @param value the event as the user chose it
 * @param customKeys the keys of the user's own custom data, for platforms that mix it into the event (§2.5)
 */
export function simplify(
	event: CallEvent,
	value: EventValue,
	customKeys: readonly string[],
): IDataObject {
	const { fields, vars, callId } = event;
	const isFirst = isFirstLeg(event);
	const text = (name: string) => textField(fields, name) ?? null;
	return {
		event: value,
		callId,
		bridgeId: bridgeIdOf(event) ?? (isFirst ? callId : null),
		leg: isFirst ? 'first' : 'other',
		direction: directionOf(fields) ?? null,
		from: callerOf(event) ?? null,
		fromName: text('Caller-ID-Name'),
		to: calledOf(event) ?? null,
		toName: text('Callee-ID-Name'),
		internal: isInternal(event),
		state: text('Answer-State'),
		answered: wasAnswered(event) ?? null,
		answeredByExchange: isAnsweredByExchange(event),
		answeredElsewhere: isAnsweredElsewhere(event),
		missed: isMissed(event),
		...timesOf(event),
		...hangupOf(event),
		otherLegCallId: text('Other-Leg-Call-ID'),
		accountId: textField(vars, 'Account-ID') ?? null,
		ownerId: textField(vars, 'Owner-ID') ?? null,
		messageId: text('Msg-ID'),
		customData: customDataOf(event, customKeys),
	};
}

function hangupOf(event: CallEvent): IDataObject {
	const { fields } = event;
	const cause = causeOf(event);
	return {
		ringingSeconds: secondsField(fields, 'Ringing-Seconds') ?? null,
		billingSeconds: secondsField(fields, 'Billing-Seconds') ?? null,
		durationSeconds: secondsField(fields, 'Duration-Seconds') ?? null,
		hangupCause: cause ?? null,
		hangupCode: sipCode(textField(fields, 'Hangup-Code')),
		hangupReason: cause === undefined ? null : hangupWords(cause),
	};
}

/** When the event happened, when its leg began, and the PBX's own number, whose unit §6 leaves open. */
function timesOf({ hook, fields }: CallEvent): IDataObject {
	const at = numberToUnixMs(fields.get(plainName('Timestamp')));
	const duration = secondsField(fields, 'Duration-Seconds');
	const lasted = hook === 'channel_create' ? 0 : duration;
	const started = at === undefined || lasted === undefined ? undefined : at - lasted * 1000;
	return {
		at: iso(at),
		startedAt: iso(started),
		timestamp: asNumber(textField(fields, 'Timestamp')),
	};
}

/** The same number whether the platform sends it as JSON or as a form. */
function asNumber(text: string | undefined): number | string | null {
	const number = Number(text ?? Number.NaN);
	return Number.isSafeInteger(number) ? number : (text ?? null);
}

function iso(unixMs: number | undefined): string | null {
	return unixMs === undefined || !Number.isFinite(new Date(unixMs).getTime())
		? null
		: toIso(unixMs);
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
		const held = objectOf(place.get('customdata'));
		if (isObject(held)) Object.assign(data, held);
	}
	for (const key of keys) {
		const value = places
			.map((place) => place.get(plainName(key)))
			.find((found) => found !== undefined);
		if (value !== undefined && !Object.hasOwn(data, key)) data[key] = value as IDataObject[string];
	}
	return Object.fromEntries(Object.entries(data).filter(([key]) => !isSecretKey(key)));
}
