import type { Account } from '../model/account';
import type { Device, User } from '../model/types';
import { newCallId, newId } from '../model/util';

/** Hangup causes that the sandbox uses (§2.4 HANGUP_CAUSE), each with its SIP code (§6 Hangup-Code). */
export const CAUSES = {
	NORMAL_CLEARING: 200,
	USER_BUSY: 486,
	NO_ANSWER: 480,
	ORIGINATOR_CANCEL: 487,
	CALL_REJECTED: 603,
	LOSE_RACE: 487,
	PICKED_OFF: 487,
	BLIND_TRANSFER: 200,
	NO_ROUTE_DESTINATION: 404,
	NORMAL_TEMPORARY_FAILURE: 503,
} as const;

export type HangupCause = keyof typeof CAUSES;

/** One party of a leg, as in the SIP headers. */
export interface Party {
	number: string;
	name: string;
	/** User part of the SIP address: a device's user name, else the number. */
	user: string;
	realm: string;
}

/** Returns a number without a name, by default on the outside network. */
export const numberParty = (number: string, realm = 'carrier.sandbox.local'): Party => ({
	number,
	name: number,
	user: number,
	realm,
});

/** Returns an employee at a phone. */
export const phoneParty = (
	{ realm }: Account,
	{ extension, name }: User,
	{ username }: Device,
): Party => ({ number: extension, name, user: username, realm });

/** One leg of a call (§3). Times are seconds of the call. */
export interface Leg {
	callId: string;
	fetchId: string;
	direction: 'inbound' | 'outbound';
	caller: Party;
	callee: Party;
	/** The device at the far end. Missing if that is the outside network. */
	device?: Device | undefined;
	fromTag: string;
	toTag: string;
	state: 'ringing' | 'answered' | 'hangup';
	created: number;
	answered?: number;
	ended?: number;
	cause?: HangupCause;
	/** The leg this one is, or was last, connected with. */
	other?: Leg;
	/** `loopback`: it connects two parts of the switch. `emergency`: it goes to an emergency line. */
	role?: 'loopback' | 'emergency' | undefined;
	isForwarded?: boolean;
}

/** Creates a leg that starts ringing at a given second of the call. */
export const makeLeg = (
	parts: Pick<Leg, 'direction' | 'caller' | 'callee' | 'created'> & Partial<Leg>,
): Leg => ({
	callId: newCallId(),
	fetchId: newId(),
	fromTag: newId().slice(0, 12),
	toTag: newId().slice(0, 12),
	state: 'ringing',
	...parts,
});

const wholeSeconds = (value: number): number => Math.max(0, Math.round(value));

/** Returns the whole seconds that a leg rang, was billed, and lasted (§6). */
export function legSeconds({ created, answered, ended: end = created }: Leg) {
	return {
		ringing: wholeSeconds((answered ?? end) - created),
		billing: answered === undefined ? 0 : wholeSeconds(end - answered),
		duration: wholeSeconds(end - created),
	};
}

export function legView(leg: Leg) {
	const { ringing, billing, duration } = legSeconds(leg);
	return {
		call_id: leg.callId,
		direction: leg.direction,
		from: leg.caller.number,
		to: leg.callee.number,
		name: leg.direction === 'inbound' ? leg.caller.name : leg.callee.name,
		device: leg.device?.name ?? null,
		device_id: leg.device?.id ?? null,
		state: leg.state,
		hangup_cause: leg.cause ?? null,
		hangup_code: leg.cause ? `sip:${CAUSES[leg.cause]}` : null,
		ringing_seconds: ringing,
		billing_seconds: billing,
		duration_seconds: duration,
	};
}
