import type { IDataObject } from 'n8n-workflow';

import { isObject, isStructure } from '../../util/json';
import type { End } from '../../util/party';
import { readEnd, visibleName } from '../../util/party';
import { numberToUnixMs } from '../../util/time';
import { customDataIn } from './customData';
import type { DeliveryRejection } from './delivery';
import { fieldsOf, objectOf, plainName, secondsField, textField } from './fields';
import type { Fields } from './fields';
import { SAMPLE_FIELDS } from './samples';
import type { PbxHook } from './table';
import { HOOKS, hookOfName } from './table';

export type Direction = 'inbound' | 'outbound';

/** A call event (§6) in any form that platforms send; undefined where it does not say. */
export interface CallEvent {
	hook: PbxHook;
	callId: string;
	/** Of the leg as the switch sees it. */
	direction: Direction | undefined;
	/** The call ID of the leg that this one is connected with. */
	otherLeg: string | undefined;
	otherDirection: Direction | undefined;
	/** In `Custom-Channel-Vars`. The flat form has none: there, a field of this name can only be custom data. */
	bridgeId: string | undefined;
	parties: EventParties;
	/** Who placed the leg, such as `resource` for a carrier's line. */
	authorizingType: string | undefined;
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
	/** The event as it was sent: `{ name, args }` or bare args. */
	source: IDataObject;
	/** Returns the user's custom data; `keys` are those of the webhook, for platforms that mix it into the event (§2.5). */
	customData(keys: readonly string[]): IDataObject;
}

/** Who takes part in the call of an event, by the fields that say so. */
export interface EventParties {
	/** Who calls, by the most reliable field. */
	caller: End | undefined;
	/** Other numbers and users that may stand for the caller. */
	callerUsers: ReadonlyArray<string | undefined>;
	/** Whom the leg rings, or what was dialed where it rings nobody; on an inbound leg the other way round. */
	called: End | undefined;
	/** Other numbers and users that may stand for the called party. */
	calledUsers: ReadonlyArray<string | undefined>;
	/** `Callee-ID`. */
	callee: End | undefined;
	/** What was dialed. */
	dialed: End | undefined;
	/** Where the PBX sends the leg. */
	request: End | undefined;
	/** The number that was called first. */
	inception: End | undefined;
	/** What the event says of the other leg. */
	otherCaller: End | undefined;
	otherCalled: End | undefined;
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

/** Reads one event (§6), `{ name, args }` or its bare args, whatever else it holds; or says why it is none. */
export function readEvent(entry: unknown): { event: CallEvent } | { refusal: DeliveryRejection } {
	if (!isObject(entry)) return reject('An event must be an object {name, args}');
	const outer = fieldsOf(entry);
	const args = outer.has('args') ? objectOf(outer.get('args')) : entry;
	if (!args) return reject('args must be an object');
	const fields = args === entry ? outer : fieldsOf(args);

	const hook = readHook(outer, fields);
	if (typeof hook !== 'string') return hook;
	const callId =
		typeof fields.get(plainName('Call-ID')) === 'string' ? idIn(fields, 'Call-ID') : undefined;
	if (callId === undefined) return reject('Call-ID is missing or is not text');
	for (const [plain, value] of fields)
		if (isStructure(value) && SCALARS.has(plain))
			return reject(`${SCALARS.get(plain)} must be a single value`);

	const vars = varsOf(fields);
	if (!vars) return reject('Custom-Channel-Vars must be an object');
	const varFields = fieldsOf(vars);
	const customData = (keys: readonly string[]) => customDataIn([outer, fields, varFields], keys);
	return { event: { hook, callId, source: entry, customData, ...factsOf(fields, varFields) } };
}

/** What an event says of its leg. */
type Facts = Omit<CallEvent, 'hook' | 'callId' | 'source' | 'customData'>;

function factsOf(fields: Fields, vars: Fields): Facts {
	const text = (name: string) => textField(fields, name);
	const variable = (name: string) => textField(vars, name) ?? textField(fields, name);
	const isFlat = text('hook_event') !== undefined;
	const direction = directionIn(fields, 'Call-Direction');
	return {
		direction,
		otherLeg: idIn(fields, 'Other-Leg-Call-ID'),
		otherDirection: directionIn(fields, 'Other-Leg-Direction'),
		bridgeId: idIn(vars, 'Bridge-ID') ?? (isFlat ? undefined : idIn(fields, 'Bridge-ID')),
		parties: partiesOf(text, variable, direction),
		authorizingType: variable('Authorizing-Type') ?? variable('Originator-Type'),
		accountId: variable('Account-ID'),
		ownerId: variable('Owner-ID'),
		deviceId: variable('Authorizing-ID'),
		state: text('Answer-State'),
		disposition: text('Disposition'),
		hangupCause: text('Hangup-Cause'),
		hangupCode: text('Hangup-Code'),
		ringingSeconds: secondsField(fields, 'Ringing-Seconds'),
		billingSeconds: secondsField(fields, 'Billing-Seconds'),
		durationSeconds: secondsField(fields, 'Duration-Seconds'),
		timestamp: text('Timestamp'),
		at: numberToUnixMs(fields.get(plainName('Timestamp'))),
		messageId: text('Msg-ID'),
	};
}

type Read = (name: string) => string | undefined;

function partiesOf(text: Read, variable: Read, direction: Direction | undefined): EventParties {
	const end = (name: string) => readEnd(text(name));
	const [fromUri, from] = [end('From-Uri'), end('From')];
	const [toUri, to, request] = [end('To-Uri'), end('To'), end('Request')];
	const [callee, otherCalled] = [end('Callee-ID-Number'), end('Other-Leg-Destination-Number')];
	const calleeName = text('Callee-ID-Name');
	const dialed = [toUri, to, request];
	const called = direction === 'outbound' ? [callee, ...dialed] : [...dialed, callee];
	return {
		caller: firstOf([end('Caller-ID-Number'), fromUri, from], text('Caller-ID-Name')),
		callerUsers: [fromUri?.number, from?.number, variable('Username')],
		called: firstOf([...called, otherCalled], calleeName),
		calledUsers: [request?.number, toUri?.number, to?.number],
		callee: firstOf([callee], calleeName),
		dialed: toUri ?? to ?? request,
		request,
		inception: readEnd(variable('Inception')),
		otherCaller: firstOf([end('Other-Leg-Caller-ID-Number')], text('Other-Leg-Caller-ID-Name')),
		otherCalled,
	};
}

/** Returns the first end, with a name from a field of its own, or from beside the same number. */
function firstOf(ends: ReadonlyArray<End | undefined>, name: string | undefined): End | undefined {
	const end = ends.find((one) => one !== undefined);
	if (!end) return undefined;
	const shown = name === undefined ? undefined : visibleName(name);
	const beside = ends.find((one) => one?.number === end.number && one.name !== undefined);
	return { ...end, name: shown ?? beside?.name };
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
	return rejectOther(outer, names, unknown);
}

/** Rejects what is no call event; other events of the platform are nobody's failure. */
function rejectOther(
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

function reject(reason: string, status = 400): { refusal: DeliveryRejection } {
	return { refusal: { status, reason } };
}

/** Reads the ID of a leg; undefined for a text that is too long for one, since IDs are remembered. */
function idIn(fields: Fields, name: string): string | undefined {
	const text = textField(fields, name);
	return text !== undefined && text.length <= MAX_ID ? text : undefined;
}

function directionIn(fields: Fields, name: string): Direction | undefined {
	const text = textField(fields, name)?.toLowerCase();
	return text === 'inbound' || text === 'outbound' ? text : undefined;
}
