import type { IDataObject } from 'n8n-workflow';

import { isObject, isOn } from '../../util/json';
import type { End } from '../../util/party';
import { nameBeside, readCaller, readEnd } from '../../util/party';
import { numberToUnixMs } from '../../util/time';
import type { Direction, LegOrigin } from '../legOrigin';
import { originIn, saysMachine } from '../legOrigin';
import type { DeliveryRejection, Fields, ReadText } from './delivery';
import { fieldsOf, objectOf, plainName, textField, textReader, TAG_NAME } from './delivery';
import type { PbxHook } from './table';
import { hookOfName, HOOKS, SAMPLE_FIELDS } from './table';

/** A call event (§6), from any form that platforms send. Fields that the event doesn't have are undefined. */
export interface CallEvent {
	hook: PbxHook;
	callId: string;
	/** The leg's direction as the switch sees it. */
	direction: Direction | undefined;
	/** The call ID of the connected leg. */
	otherLegId: string | undefined;
	otherDirection: Direction | undefined;
	/** From `Custom-Channel-Vars`. Not read from the flat form, where a field of this name can only be custom data. */
	bridgeId: string | undefined;
	parties: EventParties;
	/** Who placed the leg, if the platform says. */
	origin: LegOrigin;
	/** Whether the event says that a fax or a conference took the leg. */
	isForMachine: boolean;
	/** Whether the leg only connects two parts of the switch (Kazoo's loopback legs). */
	isInternalLeg: boolean;
	accountId: string | undefined;
	ownerId: string | undefined;
	deviceId: string | undefined;
	/** `Answer-State`, which the flat form lacks. */
	state: string | undefined;
	disposition: string | undefined;
	hangupCause: string | undefined;
	hangupCode: string | undefined;
	ringingSeconds: number | undefined;
	billingSeconds: number | undefined;
	durationSeconds: number | undefined;
	timestamp: string | undefined;
	/** When it happened, in Unix milliseconds. */
	at: number | undefined;
	messageId: string | undefined;
	/** The event as sent: `{ name, args }` or bare args. */
	source: IDataObject;
	/**
	 * Returns the user's custom data. `keys` are the webhook's, for platforms that mix custom data into the event
	 * (§2.5).
	 */
	customData(keys: readonly string[]): IDataObject;
}

const MAX_ID = 1024;

/** Names that can only be events. Others can be anything that a platform calls `name`. */
const LIKE_AN_EVENT = /^channel[_-]/i;

/** Fields of §6 that hold a single value. An object or array in their place isn't from a PBX. */
const SCALARS = new Map(
	SAMPLE_FIELDS.filter((name) => !name.startsWith('Custom-')).map((name) => [
		plainName(name),
		name,
	]),
);

/** Reads one event (§6), as `{ name, args }` or bare args, ignoring other content; or says why it isn't one. */
export function readEvent(entry: unknown): { event: CallEvent } | { rejection: DeliveryRejection } {
	if (!isObject(entry)) return reject('An event must be an object {name, args}');
	const outer = fieldsOf(entry);
	const args = outer.has('args') ? objectOf(outer.get('args')) : entry;
	if (!args) return reject('args must be an object');
	const fields = args === entry ? outer : fieldsOf(args);

	const hook = readHook(outer, fields);
	if (typeof hook !== 'string') return hook;
	const callId =
		typeof fields.get(plainName('Call-ID')) === 'string' ? legIdIn(fields, 'Call-ID') : undefined;
	if (callId === undefined) return reject("Call-ID is missing or isn't text");
	const structured = structureIn(fields);
	if (structured !== undefined) return reject(`${structured} must be a single value`);

	const vars = varsOf(fields);
	if (!vars) return reject('Custom-Channel-Vars must be an object');
	const varFields = fieldsOf(vars);
	const customData = (keys: readonly string[]) => customDataIn([outer, fields, varFields], keys);
	const own = { hook, callId, source: entry, customData };
	return {
		event: Object.assign(factsOf(fields, varFields), { isForMachine: saysMachine(args) }, own),
	};
}

/** Returns the name of a field that holds an object or array although it must be a single value. */
function structureIn(fields: Fields): string | undefined {
	for (const [plain, value] of fields)
		if (typeof value === 'object' && value !== null && SCALARS.has(plain))
			return SCALARS.get(plain);
	return undefined;
}

type Facts = Omit<CallEvent, 'hook' | 'callId' | 'source' | 'customData' | 'isForMachine'>;

function factsOf(fields: Fields, vars: Fields): Facts {
	const text = textReader(fields);
	// In the flat form, channel variables are fields.
	const variable = textReader(vars, fields);
	const isFlat = text('hook_event') !== undefined;
	const direction = asDirection(text('Call-Direction'));
	return {
		direction,
		otherLegId: legIdIn(fields, 'Other-Leg-Call-ID'),
		otherDirection: asDirection(text('Other-Leg-Direction')),
		bridgeId: legIdIn(vars, 'Bridge-ID') ?? (isFlat ? undefined : legIdIn(fields, 'Bridge-ID')),
		parties: partiesOf(text, variable, direction),
		origin:
			originIn((name) => variableIn(name, [vars, fields]), direction) ??
			lineIn(variable('Originator-Type')),
		isInternalLeg: isOn(variable('is_internal_leg') ?? variable('Channel-Is-Loopback')),
		accountId: variable('Account-ID'),
		ownerId: variable('Owner-ID'),
		deviceId: variable('Authorizing-ID'),
		state: text('Answer-State'),
		disposition: text('Disposition'),
		hangupCause: text('Hangup-Cause'),
		hangupCode: text('Hangup-Code'),
		ringingSeconds: asSeconds(text('Ringing-Seconds')),
		billingSeconds: asSeconds(text('Billing-Seconds')),
		durationSeconds: asSeconds(text('Duration-Seconds')),
		timestamp: text('Timestamp'),
		at: numberToUnixMs(fields.get(plainName('Timestamp'))),
		messageId: text('Msg-ID'),
	};
}

const lineIn = (type: string | undefined): LegOrigin =>
	type?.toLowerCase() === 'resource' ? 'line' : undefined;

/** Reads a channel variable; empty if the event has it without a value. */
function variableIn(name: string, places: readonly Fields[]): string | undefined {
	const values = places.map((place) => place.get(plainName(name)));
	const given = values.filter((value) => value !== undefined && value !== null);
	const value = given.find((one) => one !== '') ?? given[0];
	return value === undefined ? undefined : String(value as string | number | boolean).trim();
}

function varsOf(fields: Fields): IDataObject | undefined {
	const given = fields.get(plainName('Custom-Channel-Vars'));
	return given === undefined || given === null || given === '' ? {} : objectOf(given);
}

function readHook(outer: Fields, fields: Fields): PbxHook | { rejection: DeliveryRejection } {
	const names = [
		textField(outer, 'name'),
		textField(fields, 'Event-Name'),
		textField(outer, 'Event-Name'),
		textField(fields, 'hook_event'),
	].filter((name) => name !== undefined);
	const hooks = names.map(hookOfName);
	const unknown = names.find(
		(name, index) => hooks[index] === undefined && LIKE_AN_EVENT.test(name),
	);

	const hook = hooks.find((one) => one !== undefined);
	if (hooks.some((one) => one !== undefined && one !== hook))
		return reject('name and Event-Name are different events');
	if (hook && unknown === undefined) return hook;
	return rejectOther(outer, names, unknown);
}

/** Rejects anything that isn't a call event. Other events of the platform aren't an error. */
function rejectOther(
	outer: Fields,
	names: readonly string[],
	unknown: string | undefined,
): { rejection: DeliveryRejection } {
	if (names.length === 0) {
		const isChangeOfObject = outer.has('action') && outer.has('type');
		return reject("This isn't a call event: it has no name", isChangeOfObject ? 200 : 400);
	}
	const name = (unknown ?? names[0] ?? '').slice(0, 60);
	const given = textField(outer, 'name') === undefined ? names.length : names.length - 1;
	const isEvent = unknown !== undefined || outer.has('args') || given > 0;
	return reject(
		`Unknown event: ${name}. Known are ${HOOKS.map(({ eventName }) => eventName).join(', ')}`,
		isEvent ? 200 : 400,
	);
}

function reject(reason: string, status = 400): { rejection: DeliveryRejection } {
	return { rejection: { status, reason } };
}

/** Reads a leg's ID; undefined for a text that is too long, since IDs are kept in memory. */
function legIdIn(fields: Fields, name: string): string | undefined {
	const text = textField(fields, name);
	return text !== undefined && text.length <= MAX_ID ? text : undefined;
}

function asDirection(text: string | undefined): Direction | undefined {
	const direction = text?.toLowerCase();
	return direction === 'inbound' || direction === 'outbound' ? direction : undefined;
}

/** Reads a number of seconds (§6: text); undefined if it's not a number, or negative. */
function asSeconds(text: string | undefined): number | undefined {
	const seconds = Number(text ?? Number.NaN);
	return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/**
 * Returns the custom data of a user's webhook without its tag, wherever the platform put it (§2.5): in an object of
 * its own, or, for the given keys, among the fields.
 */
function customDataIn(places: readonly Fields[], keys: readonly string[]): IDataObject {
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

/** Excludes the tag, and `__proto__`, which would set the prototype. */
function isCustom(key: string): boolean {
	return key !== '__proto__' && key !== TAG_NAME;
}

/** The parties in an event's call, from the fields that name them. */
export interface EventParties {
	/** The caller, from the most reliable field. */
	caller: End | undefined;
	/** Other numbers and users that can stand for the caller. */
	callerUsers: ReadonlyArray<End | undefined>;
	/** The party that the leg rings, or else the dialed number. For an inbound leg, the dialed number comes first. */
	called: End | undefined;
	/** Other numbers and users that can stand for the called party. */
	calledUsers: ReadonlyArray<End | undefined>;
	/** `Callee-ID`. */
	callee: End | undefined;
	dialed: End | undefined;
	/** Where the PBX sends the leg. */
	request: End | undefined;
	/** The number that was called first. */
	inception: End | undefined;
	/** The event's data about the other leg. */
	otherCaller: End | undefined;
	otherCalled: End | undefined;
}

/** Reads the parties in an event's call (§6). */
function partiesOf(
	text: ReadText,
	variable: ReadText,
	direction: Direction | undefined,
): EventParties {
	const callerId = readCaller(text('Caller-ID-Number'));
	const fromUri = readCaller(text('From-Uri'));
	const from = readCaller(text('From'));
	const toUri = readEnd(text('To-Uri'));
	const to = readEnd(text('To'));
	const request = readEnd(text('Request'));
	const callee = readEnd(text('Callee-ID-Number'));
	const otherCaller = readCaller(text('Other-Leg-Caller-ID-Number'));
	const otherCalled = readEnd(text('Other-Leg-Destination-Number'));
	const calleeName = text('Callee-ID-Name');
	const dialed = [toUri, to, request];
	const called = direction === 'outbound' ? [callee, ...dialed] : [...dialed, callee];
	return {
		caller: firstOf([callerId, fromUri, from], text('Caller-ID-Name')),
		callerUsers: [fromUri, from, readEnd(variable('Username'))],
		called: firstOf([...called, otherCalled], calleeName),
		calledUsers: [request, toUri, to],
		callee: firstOf([callee], calleeName),
		dialed: toUri ?? to ?? request,
		request,
		inception: readEnd(variable('Inception')),
		otherCaller: firstOf([otherCaller], text('Other-Leg-Caller-ID-Name')),
		otherCalled,
	};
}

/** Returns the first end, with the given name, or else name and host as beside the same number. */
function firstOf(ends: ReadonlyArray<End | undefined>, name: string | undefined): End | undefined {
	const end = ends.find((one) => one !== undefined);
	if (!end) return undefined;
	const { number, text } = end;
	const same = ends.filter((one) => one?.number === number);
	return {
		number,
		name: nameBeside(number, name) ?? same.find((one) => one?.name !== undefined)?.name,
		text,
		host: same.find((one) => one?.host !== undefined)?.host,
	};
}
