import { newCallId, newId } from '../model/ids';
import type { Device } from '../model/types';
import { CAUSES, type HangupCause } from './causes';

/** One party of a leg, as in the SIP headers. */
export interface Party {
	number: string;
	name: string;
	/** User part of the SIP address: a device's user name, else the number. */
	user: string;
	realm: string;
}

export type LegState = 'ringing' | 'answered' | 'hangup';

/** One leg of a call (§3). Times are seconds of the call. */
export interface Leg {
	callId: string;
	fetchId: string;
	direction: 'inbound' | 'outbound';
	caller: Party;
	callee: Party;
	/** The device at the far end. Missing if that is the outside network. */
	device?: Device;
	fromTag: string;
	toTag: string;
	state: LegState;
	created: number;
	answered?: number;
	ended?: number;
	cause?: HangupCause;
	/** The leg this one is, or was last, connected with. */
	other?: Leg;
	/** `loopback`: it connects two parts of the switch. `emergency`: it goes to an emergency line. */
	role?: 'loopback' | 'emergency';
	/** Whether the call was forwarded to it. */
	isForwarded?: boolean;
}

/** Creates a leg that starts ringing at a given second of the call. */
export function makeLeg(
	parts: Pick<Leg, 'direction' | 'caller' | 'callee' | 'created'> &
		Pick<Partial<Leg>, 'callId' | 'device' | 'other' | 'role' | 'isForwarded'>,
): Leg {
	return {
		callId: newCallId(),
		...parts,
		fetchId: newId(),
		fromTag: newId().slice(0, 12),
		toTag: newId().slice(0, 12),
		state: 'ringing',
	};
}

const wholeSeconds = (value: number): number => Math.max(0, Math.round(value));

/** Returns the whole seconds that a leg rang, was billed, and lasted (§6). */
export function legSeconds(leg: Leg): { ringing: number; billing: number; duration: number } {
	const end = leg.ended ?? leg.created;
	return {
		ringing: wholeSeconds((leg.answered ?? end) - leg.created),
		billing: leg.answered === undefined ? 0 : wholeSeconds(end - leg.answered),
		duration: wholeSeconds(end - leg.created),
	};
}

/** Returns a leg as the control side and the page show it. */
export function legView(leg: Leg) {
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
		ringing_seconds: legSeconds(leg).ringing,
		billing_seconds: legSeconds(leg).billing,
		duration_seconds: legSeconds(leg).duration,
	};
}
