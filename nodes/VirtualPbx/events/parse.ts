import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';
import type { Fields, Rejection } from './payload';
import { fieldsOf, plainName, textField } from './payload';
import { SAMPLE_FIELDS } from './samples';
import type { PbxHook } from './table';
import { HOOKS, hookOfName } from './table';

/** A call event, read tolerantly. */
export interface CallEvent {
	hook: PbxHook;
	callId: string;
	/** The fields of `args` (§6). */
	fields: Fields;
	/** The keys of `Custom-Channel-Vars`; empty where the event has none. */
	vars: Fields;
	/** What came: `{ name, args }` or bare args. */
	source: IDataObject;
}

const MAX_ID = 1024;

/** Names that can only be meant as events; others may be anything that a platform calls `name`. */
const LIKE_AN_EVENT = /^channel[_-]/i;

/** Fields of §6 that hold one value; a structure in their place is no event of a PBX. */
const SCALARS = new Map(
	SAMPLE_FIELDS.filter((name) => !name.startsWith('Custom-')).map((name) => [
		plainName(name),
		name,
	]),
);

/**
 * Reads one event (§6): `{ name, args }`, or its bare args. Unknown fields are welcome.
 *
 * @param custom custom data of the webhook under names that events have, too: what equals it says nothing of the event
 * @returns the event, or why it is none
 */
export function readEvent(
	entry: unknown,
	custom: IDataObject = {},
): { event: CallEvent } | { refusal: Rejection } {
	if (!isObject(entry)) return reject('An event must be an object {name, args}');
	const outer = withoutCustom(fieldsOf(entry), custom);
	const args = outer.has('args') ? objectOf(outer.get('args')) : entry;
	if (!args) return reject('args must be an object');
	const fields = args === entry ? outer : withoutCustom(fieldsOf(args), custom);

	const named = readHook(outer, fields);
	if (typeof named !== 'string') return named;
	const callId = textOnly(fields, 'Call-ID');
	if (callId === undefined) return reject('Call-ID is missing or is not text');
	const wrong = structureInPlaceOfValue(fields);
	if (wrong !== undefined) return reject(`${wrong} must be a single value`);

	const vars = varsOf(fields);
	if (!vars) return reject('Custom-Channel-Vars must be an object');
	return { event: { hook: named, callId, fields, vars: fieldsOf(vars), source: entry } };
}

function varsOf(fields: Fields): IDataObject | undefined {
	const given = fields.get(plainName('Custom-Channel-Vars'));
	return given === undefined || given === null || given === '' ? {} : objectOf(given);
}

function withoutCustom(fields: Fields, custom: IDataObject): Fields {
	const own = Object.entries(custom).filter(
		([name, value]) => String(fields.get(plainName(name))) === String(value),
	);
	if (own.length === 0) return fields;
	const left = new Map(fields);
	for (const [name] of own) left.delete(plainName(name));
	return left;
}

function structureInPlaceOfValue(fields: Fields): string | undefined {
	for (const [plain, value] of fields)
		if (typeof value === 'object' && value !== null && SCALARS.has(plain))
			return SCALARS.get(plain);
	return undefined;
}

function readHook(outer: Fields, fields: Fields): PbxHook | { refusal: Rejection } {
	const names = [
		textField(outer, 'name'),
		textField(fields, 'Event-Name'),
		textField(outer, 'Event-Name'),
		textField(fields, 'hook_event'),
	].filter((name) => name !== undefined);
	const hooks = [...new Set(names.map(hookOfName).filter((hook) => hook !== undefined))];
	const unknown = names.find((name) => hookOfName(name) === undefined && LIKE_AN_EVENT.test(name));

	if (hooks.length > 1) return reject('name and Event-Name are different events');
	if (hooks[0] && unknown === undefined) return hooks[0];
	return refuseOther(outer, names, unknown);
}

/** Of what is no call event, other events of the platform are nobody's failure. */
function refuseOther(
	outer: Fields,
	names: readonly string[],
	unknown: string | undefined,
): { refusal: Rejection } {
	if (names.length === 0) {
		const isChangeOfObject = outer.has('action') && outer.has('type');
		return reject('This is not a call event: it has no name', isChangeOfObject ? 200 : 400);
	}
	const name = (unknown ?? names[0] ?? '').slice(0, 60);
	const given = textField(outer, 'name') === undefined ? names.length : names.length - 1;
	const isEvent = unknown !== undefined || outer.has('args') || given > 0;
	return reject(
		`Unknown event: ${name}. Known are ${HOOKS.map(({ eventName }) => eventName).join(', ')}`,
		isEvent ? 200 : 400,
	);
}

/** An event of another kind is nobody's failure, so it gets 200; what is none, or broken, gets 400. */
function reject(reason: string, status = 400): { refusal: Rejection } {
	return { refusal: { status, reason } };
}

function textOnly(fields: Fields, name: string): string | undefined {
	const isText = typeof fields.get(plainName(name)) === 'string';
	const text = isText ? textField(fields, name) : undefined;
	return text !== undefined && text.length <= MAX_ID ? text : undefined;
}

/** An object, or the object that a JSON text stands for. */
export function objectOf(value: unknown): IDataObject | undefined {
	if (isObject(value)) return value;
	if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
	try {
		const inner: unknown = JSON.parse(value);
		return isObject(inner) ? inner : undefined;
	} catch {
		return undefined;
	}
}

/** Which legs of a call start the workflow; stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg' | 'inbound' | 'outbound';

type Direction = 'inbound' | 'outbound';

/** The direction of a leg as the switch sees it (§6 Call-Direction); undefined for anything else. */
export function directionOf(
	fields: CallEvent['fields'],
	name = 'Call-Direction',
): Direction | undefined {
	const text = textField(fields, name)?.toLowerCase();
	return text === 'inbound' || text === 'outbound' ? text : undefined;
}

/** The call ID of the leg that this one is connected with (§6 Other-Leg-Call-ID), where the event names one. */
export function otherLegOf({ fields }: CallEvent): string | undefined {
	return textField(fields, 'Other-Leg-Call-ID');
}

/** The `Bridge-ID` (§6), where the event carries it; the flat form has none, so that there it can only be custom data. */
export function givenBridgeId({ vars, fields }: CallEvent): string | undefined {
	const isFlat = textField(fields, 'hook_event') !== undefined;
	return textField(vars, 'Bridge-ID') ?? (isFlat ? undefined : textField(fields, 'Bridge-ID'));
}

/**
 * The id that ties the legs of a call together (§6): the `Bridge-ID`, or where there is none what it would be, the call ID
 * of the first leg. An outbound leg names it as its other leg.
 *
 * @param isFirst whether the leg stands for its call
 * @returns undefined where the event does not tell
 */
export function bridgeIdOf(event: CallEvent, isFirst: boolean): string | undefined {
	const isOutbound = directionOf(event.fields) === 'outbound';
	const isFirstOfPair = isFirst && otherDirectionOf(event) === 'outbound';
	const named = isOutbound && !isFirstOfPair ? otherLegOf(event) : undefined;
	return givenBridgeId(event) ?? named ?? (isFirst ? event.callId : undefined);
}

/**
 * What a leg is in its call, as far as one event tells:
 * `first`: it stands for its call. `other`: it does not. `alone`: it stands for a call without an inbound leg, unless
 * another leg of that call does. `open`: so it does where its other leg is of the same direction.
 */
export type Standing = 'first' | 'other' | 'alone' | 'open';

/**
 * Tells the call's first leg from its others (§6), from one event alone:
 * 1. The leg whose `Call-ID` is the `Bridge-ID`.
 * 2. The inbound leg: one that has no other `Bridge-ID`, and names no inbound leg.
 * 3. Of a call without an inbound leg, which may have a `Bridge-ID` that no leg has: the leg that names no other one, and
 * at the end of two legs of the same direction the one with the smaller `Call-ID`.
 */
export function standingOf(event: CallEvent): Standing {
	const bridgeId = givenBridgeId(event);
	if (bridgeId === event.callId) return 'first';

	const other = otherLegOf(event);
	const otherDirection = otherDirectionOf(event);
	const own = ownDirectionOf(event);
	if (bridgeId !== undefined && (own !== 'outbound' || bridgeId === other)) return 'other';
	if (other === undefined && otherDirection === undefined)
		return own === 'outbound' ? 'alone' : 'first';
	if (own === undefined || own === otherDirection) return standingOfPair(event, other);
	if (own === 'inbound') return 'first';
	return otherDirection === undefined ? 'open' : 'other';
}

/** Of two legs of the same direction. */
function standingOfPair({ hook, callId }: CallEvent, other: string | undefined): Standing {
	if (hook !== 'channel_destroy') return 'open';
	return other === undefined || callId < other ? 'alone' : 'other';
}

/** Tells whether a leg stands for its call, as far as its event alone tells. */
export function isFirstLeg(event: CallEvent): boolean {
	const standing = standingOf(event);
	return standing === 'first' || standing === 'alone';
}

/**
 * Tells whether a leg is one that the user chose.
 *
 * @param isFirst whether it stands for its call
 */
export function isChosenLeg(event: CallEvent, mode: LegMode, isFirst: boolean): boolean {
	if (mode === 'everyLeg') return true;
	return mode === 'oncePerCall' ? isFirst : directionOf(event.fields) === mode;
}

function otherDirectionOf({ fields }: CallEvent): Direction | undefined {
	return directionOf(fields, 'Other-Leg-Direction');
}

/** Where the event does not tell, the opposite of the other leg's. */
function ownDirectionOf(event: CallEvent): Direction | undefined {
	const other = otherDirectionOf(event);
	const opposite = other === 'inbound' ? 'outbound' : 'inbound';
	return directionOf(event.fields) ?? (other && opposite);
}
