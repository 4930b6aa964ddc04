import type { IDataObject } from 'n8n-workflow';

import { hangupWords } from '../values/hangupCause';
import { areExtensions } from '../values/numbers';
import { LATEST_MS, numberToUnixMs, toIso } from '../values/time';
import {
	calledAsCame,
	calledNameOf,
	calledOf,
	callerAsCame,
	callerNameOf,
	callerOf,
	causeOf,
	employeeOf,
	isAnsweredByExchange,
	isAnsweredElsewhere,
	isMissed,
	variableOf,
	wasAnswered,
} from './outcome';
import type { CallEvent } from './parse';
import { bridgeIdOf, directionOf, isFirstLeg, objectOf, otherLegOf } from './parse';
import type { Fields } from './payload';
import { fieldsOf, plainName, secondsField, textField } from './payload';
import { isSecretKey } from './secret';
import type { EventValue } from './table';

/**
 * Sums an event up for workflows. Every field is always there; `null` means that the event does not say.
 * Numbers are plain (no SIP URI), times are ISO 8601 in UTC, durations are whole seconds.
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
	return {
		event: value,
		callId,
		bridgeId: bridgeIdOf(event, isFirst) ?? null,
		leg: isFirst ? 'first' : 'other',
		direction: directionOf(fields) ?? null,
		...partiesOf(event),
		state: text(fields, 'Answer-State'),
		answered: wasAnswered(event) ?? null,
		answeredByExchange: isAnsweredByExchange(event),
		answeredElsewhere: isAnsweredElsewhere(event),
		missed: value === 'missed' || isMissed(event),
		...timesOf(event),
		...hangupOf(event),
		otherLegCallId: otherLegOf(event) ?? null,
		...ownersOf(event),
		messageId: text(fields, 'Msg-ID'),
		customData: customDataOf(event, customKeys),
	};
}

function partiesOf(event: CallEvent): IDataObject {
	const from = callerOf(event);
	const to = calledOf(event);
	return {
		from: from ?? null,
		fromName: callerNameOf(event) ?? null,
		to: to ?? null,
		toName: calledNameOf(event) ?? null,
		fromUri: callerAsCame(event) ?? null,
		toUri: calledAsCame(event) ?? null,
		internal: areExtensions(from, to),
	};
}

function ownersOf(event: CallEvent): IDataObject {
	return {
		accountId: variableOf(event, 'Account-ID') ?? null,
		ownerId: variableOf(event, 'Owner-ID') ?? null,
		deviceId: variableOf(event, 'Authorizing-ID') ?? null,
		employee: employeeOf(event) ?? null,
	};
}

function text(fields: Fields, name: string): string | null {
	return textField(fields, name) ?? null;
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
