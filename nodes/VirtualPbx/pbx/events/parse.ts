import type { IDataObject } from 'n8n-workflow';

import { isObject, isStructure, parseStructure } from '../../util/json';
import type { DeliveryRejection } from './delivery';
import type { Fields } from './payload';
import { fieldsOf, plainName, textField } from './payload';
import { SAMPLE_FIELDS } from './samples';
import type { PbxHook } from './table';
import { HOOKS, hookOfName } from './table';

/** A call event, read tolerantly. */
export interface CallEvent {
	hook: PbxHook;
	callId: string;
	/** Of the leg as the switch sees it (§6 Call-Direction). */
	direction: Direction | undefined;
	/** The call ID of the leg that this one is connected with (§6 Other-Leg-Call-ID). */
	otherLeg: string | undefined;
	otherDirection: Direction | undefined;
	/** The `Bridge-ID` (§6); the flat form has none, so that there it can only be custom data. */
	bridgeId: string | undefined;
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

/** Reads one event (§6): `{ name, args }`, or its bare args, whatever else it holds; or tells why it is none. */
export function readEvent(entry: unknown): { event: CallEvent } | { refusal: DeliveryRejection } {
	if (!isObject(entry)) return reject('An event must be an object {name, args}');
	const outer = fieldsOf(entry);
	const args = outer.has('args') ? objectOf(outer.get('args')) : entry;
	if (!args) return reject('args must be an object');
	const fields = args === entry ? outer : fieldsOf(args);

	const named = readHook(outer, fields);
	if (typeof named !== 'string') return named;
	const callId = textOnly(fields, 'Call-ID');
	if (callId === undefined) return reject('Call-ID is missing or is not text');
	const wrong = [...fields].find(([plain, value]) => isStructure(value) && SCALARS.has(plain));
	if (wrong) return reject(`${SCALARS.get(wrong[0])} must be a single value`);

	const vars = varsOf(fields);
	if (!vars) return reject('Custom-Channel-Vars must be an object');
	return { event: { hook: named, callId, ...legOf(fields, fieldsOf(vars)), source: entry } };
}

function legOf(fields: Fields, vars: Fields): Omit<CallEvent, 'hook' | 'callId' | 'source'> {
	const isFlat = textField(fields, 'hook_event') !== undefined;
	return {
		direction: directionIn(fields, 'Call-Direction'),
		otherLeg: idIn(fields, 'Other-Leg-Call-ID'),
		otherDirection: directionIn(fields, 'Other-Leg-Direction'),
		bridgeId: idIn(vars, 'Bridge-ID') ?? (isFlat ? undefined : idIn(fields, 'Bridge-ID')),
		fields,
		vars,
	};
}

function varsOf(fields: Fields): IDataObject | undefined {
	const given = fields.get(plainName('Custom-Channel-Vars'));
	return given === undefined || given === null || given === '' ? {} : objectOf(given);
}

function readHook(outer: Fields, fields: Fields): PbxHook | { refusal: DeliveryRejection } {
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
	return refuseOther(outer, names, unknown);
}

/** Of what is no call event, other events of the platform are nobody's failure. */
function refuseOther(
	outer: Fields,
	names: readonly string[],
	unknown: string | undefined,
): { refusal: DeliveryRejection } {
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
function reject(reason: string, status = 400): { refusal: DeliveryRejection } {
	return { refusal: { status, reason } };
}

function textOnly(fields: Fields, name: string): string | undefined {
	return typeof fields.get(plainName(name)) === 'string' ? idIn(fields, name) : undefined;
}

/** The ID of a leg; undefined for a text that is too long for one, since IDs are remembered. */
function idIn(fields: Fields, name: string): string | undefined {
	const text = textField(fields, name);
	return text !== undefined && text.length <= MAX_ID ? text : undefined;
}

/** An object, or the object that a JSON text stands for. */
export function objectOf(value: unknown): IDataObject | undefined {
	const object = typeof value === 'string' ? parseStructure(value) : value;
	return isObject(object) ? object : undefined;
}

type Direction = 'inbound' | 'outbound';

function directionIn(fields: Fields, name: string): Direction | undefined {
	const text = textField(fields, name)?.toLowerCase();
	return text === 'inbound' || text === 'outbound' ? text : undefined;
}
