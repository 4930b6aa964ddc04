import type { LegOrigin } from '../pbx/legOrigin';
import type { CallEnd } from './ends';

/** An employee in a call. */
export interface Employee {
	/** The extension if known, else the SIP user. */
	user: string;
	name?: string | undefined;
}

/** The side of a leg by its direction, as the switch sees it (§6). */
export const SIDES = { inbound: 'caller', outbound: 'called' } as const;

/** `unknown`: only the other leg names it. `unsaid`: it ended, and the PBX doesn't say how. */
export type LegState = 'ringing' | 'answered' | 'unanswered' | 'unsaid' | 'unknown';

/** One leg of a call, read from an event (§6) or a call record (§2.4). Fields are undefined if it doesn't say. */
export interface Leg {
	/** Its own Call-ID, and that of the leg it is connected with. */
	id?: string | undefined;
	otherId?: string | undefined;
	/** The Bridge-ID, which identifies the call. */
	callId?: string | undefined;
	/** `caller`: from a caller to the PBX (§6 inbound). `called`: from the PBX to a phone or number. */
	side?: 'caller' | 'called' | undefined;
	from?: CallEnd | undefined;
	to?: CallEnd | undefined;
	/** The employee at its own end, by the form of that end. */
	employee?: Employee | undefined;
	/** Who placed it, if the platform says; for a leg that the PBX places, whether it goes to a line. */
	origin?: LegOrigin;
	/** Whether it only connects two parts of the switch. */
	isInternal?: boolean;
	/** Whether the platform says that a fax or a conference took it. */
	isForMachine?: boolean;
	state: LegState;
	isOver?: boolean;
	/** In seconds. */
	talk?: number | undefined;
	cause?: string | undefined;
	/** When it ended, in Unix milliseconds; for a leg of an event, when the event happened. */
	at?: number | undefined;
	/** When it began, in Unix milliseconds. */
	beganAt?: number | undefined;
}
