import type { IDataObject } from 'n8n-workflow';

import type { CallEvent } from '../pbx/events/parse';
import { objectOf } from '../pbx/events/parse';
import { fieldsOf, plainName, secondsField, textField } from '../pbx/events/payload';
import { isTagKey } from '../pbx/events/webhookTag';
import type { EventValue } from '../pbx/events/table';
import { stateOfHook } from '../pbx/events/table';
import { withNulls } from '../util/json';
import { callDetails, callFields, isoOf } from './call';
import { callOfEvent, timeOf, variableOf } from './eventLeg';
import type { LegContext } from './eventLeg';
import { callIdOf, isFirstLeg } from './legRole';

/** What else is known of an event. */
export interface EventContext extends LegContext {
	/** The keys of the user's own custom data, for platforms that mix it into the event (§2.5). */
	customKeys?: readonly string[];
	countVoicemail?: boolean;
}

/**
 * Tells an event as people see its call: ten fields that matter, and the rest in `details`. Every field is always there;
 * `null` means that the event does not say. Numbers are plain (no SIP URI), times are ISO 8601 in UTC, durations are
 * seconds.
 */
export function simplifyEvent(
	event: CallEvent,
	value: EventValue,
	context: EventContext = { isFirst: isFirstLeg(event) },
): IDataObject {
	const { customKeys = [], countVoicemail = true, isFirst } = context;
	const { fields, callId } = event;
	const call = callOfEvent(event, context);
	const at = timeOf(event);
	const lasted = event.hook === 'channel_create' ? 0 : secondsField(fields, 'Duration-Seconds');
	return {
		event: value,
		...callFields(call, countVoicemail),
		at: isoOf(at) ?? null,
		talkSeconds: call.talk ?? null,
		callId: callIdOf(event, context) ?? null,
		details: withNulls({
			legId: callId,
			leg: isFirst ? 'first' : 'other',
			otherLegId: event.otherLeg,
			...callDetails(call, call.legs[0] ?? call.lead),
			state: stateOf(event),
			startedAt: at === undefined || lasted === undefined ? null : isoOf(at - lasted * 1000),
			timestamp: asNumber(textField(fields, 'Timestamp')),
			ringingSeconds: secondsField(fields, 'Ringing-Seconds'),
			billingSeconds: secondsField(fields, 'Billing-Seconds'),
			durationSeconds: secondsField(fields, 'Duration-Seconds'),
			hangupCode: sipCode(textField(fields, 'Hangup-Code')),
			accountId: variableOf(event, 'Account-ID'),
			ownerId: variableOf(event, 'Owner-ID'),
			deviceId: variableOf(event, 'Authorizing-ID'),
			messageId: textField(fields, 'Msg-ID'),
			customData: customDataOf(event, customKeys),
		}),
	};
}

/** The state of the leg (§3), which the flat form leaves to the event's name. */
function stateOf({ fields, hook }: CallEvent): string | undefined {
	return textField(fields, 'Answer-State') ?? stateOfHook(hook);
}

/** The same number whether the platform sends it as JSON or as a form. */
function asNumber(text: string | undefined): number | string | null {
	const number = Number(text ?? Number.NaN);
	return Number.isSafeInteger(number) ? number : (text ?? null);
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
	return key !== '__proto__' && !isTagKey(key);
}
