import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readEvent } from '../../../nodes/VirtualPbx/events/parse';
import type { CallEvent } from '../../../nodes/VirtualPbx/events/parse';

/** A call with two legs, as §6 describes its events; `withBridge` tells which keys the platform sends. */
export interface CallParts {
	inbound: string;
	outbound: string;
	withBridge: boolean;
	from: string;
	to: string;
	answered: boolean;
	billing: number;
	ringing: number;
	at: number;
}

export type Stage = 'create' | 'answer' | 'destroy';
export type Side = 'inbound' | 'outbound';

const callId = fc.uuid().map((id) => `${id}@192.0.2.10`);
const number = fc.stringMatching(/^\+?[1-9][0-9]{1,13}$/);
/** Longer than an extension. */
const outsideNumber = fc.stringMatching(/^\+?[1-9][0-9]{5,13}$/);

/** Calls from outside, with different ids on their legs. */
export const calls: fc.Arbitrary<CallParts> = fc
	.record({
		inbound: callId,
		outbound: callId,
		withBridge: fc.boolean(),
		from: outsideNumber,
		to: number,
		answered: fc.boolean(),
		billing: fc.integer({ min: 1, max: 90_000 }),
		ringing: fc.integer({ min: 0, max: 600 }),
		at: fc.integer({ min: 63_000_000_000, max: 64_500_000_000 }),
	})
	.filter(({ inbound, outbound }) => inbound !== outbound);

const STATES: Record<Stage, string> = { create: 'ringing', answer: 'answered', destroy: 'hangup' };

/** The `args` of one event of a call, with the fields of §6 where its table has them. */
export function argsOf(call: CallParts, stage: Stage, side: Side): IDataObject {
	const isOutbound = side === 'outbound';
	const own = isOutbound ? call.outbound : call.inbound;
	const other = isOutbound ? call.inbound : call.outbound;
	return {
		'Answer-State': STATES[stage],
		'Caller-ID-Name': 'A caller',
		'Caller-ID-Number': call.from,
		Request: `${call.to}@company.example`,
		From: `${call.from}@company.example`,
		To: `${call.to}@company.example`,
		'Call-Direction': side,
		Timestamp: call.at,
		'Custom-Channel-Vars': call.withBridge ? { 'Bridge-ID': call.inbound } : { Realm: 'r' },
		'Call-ID': own,
		'Msg-ID': `${own}-${stage}`,
		'Event-Name': `CHANNEL_${stage.toUpperCase()}`,
		'Event-Category': 'call_event',
		...(stage !== 'create' || isOutbound
			? { 'Callee-ID-Number': call.to, 'Callee-ID-Name': 'B' }
			: {}),
		...(stage !== 'create' || !isOutbound ? { Disposition: dispositionOf(call, stage) } : {}),
		...(isOutbound || stage === 'destroy'
			? {
					'Other-Leg-Call-ID': other,
					'Other-Leg-Direction': isOutbound ? 'inbound' : 'outbound',
					'Other-Leg-Destination-Number': call.to,
				}
			: {}),
		...(stage === 'destroy' ? endOf(call) : {}),
	};
}

/** `{ name, args }` of one event of a call. */
export function eventOf(
	call: CallParts,
	stage: Stage,
	side: Side,
): { name: string; args: IDataObject } {
	return { name: `CHANNEL_${stage.toUpperCase()}`, args: argsOf(call, stage, side) };
}

function dispositionOf(call: CallParts, stage: Stage): string {
	if (stage !== 'destroy') return stage === 'create' ? 'DELAYED NEGOTIATION' : 'ANSWER';
	return call.answered ? 'SUCCESS' : 'failure';
}

function endOf(call: CallParts): IDataObject {
	const billing = call.answered ? call.billing : 0;
	return {
		'Ringing-Seconds': String(call.ringing),
		'Billing-Seconds': String(billing),
		'Duration-Seconds': String(call.ringing + billing),
		'Remote-SDP': 'v=0\r\n',
		'User-Agent': 'phone',
		'Hangup-Code': call.answered ? 'sip:200' : 'sip:487',
		'Hangup-Cause': call.answered ? 'NORMAL_CLEARING' : 'ORIGINATOR_CANCEL',
	};
}

/** Any stage of any leg. */
export const stages = fc.constantFrom<Stage>('create', 'answer', 'destroy');
export const sides = fc.constantFrom<Side>('inbound', 'outbound');

/** Ways in which platforms spell field names. */
export const spellings = fc.constantFrom<(name: string) => string>(
	(name) => name,
	(name) => name.toLowerCase(),
	(name) => name.toLowerCase().replace(/-/g, '_'),
	(name) => name.replace(/-/g, ''),
);

/** Spells all keys of an object anew, inner objects included. */
export function respell(value: IDataObject, spelling: (name: string) => string): IDataObject {
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [
			spelling(key),
			typeof entry === 'object' && entry !== null ? respell(entry as IDataObject, spelling) : entry,
		]),
	) as IDataObject;
}

/** Where platforms put custom data into a delivery. */
export const placements = fc.constantFrom<(event: IDataObject, custom: IDataObject) => IDataObject>(
	(event, custom) => ({ ...event, ...custom }),
	(event, custom) => ({ ...event, args: { ...(event.args as IDataObject), ...custom } }),
	(event, custom) => ({ ...event, custom_data: custom }),
	(event, custom) => ({ ...event, 'Custom-Data': custom }),
	(event, custom) => ({ ...event, custom_data: JSON.stringify(custom) }),
	(event, custom) => ({
		...event,
		args: { ...(event.args as IDataObject), 'Custom-Data': custom },
	}),
	(event, custom) => ({
		...event,
		args: { ...(event.args as IDataObject), customData: JSON.stringify(custom) },
	}),
);

/** Flattens an object into form pairs `a[b]=c`, as platforms do that know only forms; every value becomes a text. */
export function formPairs(value: IDataObject, prefix = ''): Array<[string, string]> {
	return Object.entries(value).flatMap(([key, entry]): Array<[string, string]> => {
		const name = prefix === '' ? key : `${prefix}[${key}]`;
		return typeof entry === 'object' && entry !== null
			? formPairs(entry as IDataObject, name)
			: [[name, String(entry)]];
	});
}

/**
 * Reads an entry of a delivery that is an event.
 *
 * @throws Error when it is none
 */
export function parsedEvent(entry: unknown): CallEvent {
	const read = readEvent(entry);
	if ('refusal' in read) throw new Error(read.refusal.reason);
	return read.event;
}
