import type { End } from '../util/party';

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
	from?: End | undefined;
	to?: End | undefined;
	/** The employee at its own end. */
	employee?: Employee | undefined;
	/** Who placed it, if the PBX says: a device or user of the account, or a carrier's line. */
	placedBy?: 'employee' | 'line' | undefined;
	state: LegState;
	isOver?: boolean;
	/** In seconds. */
	talk?: number | undefined;
	cause?: string | undefined;
	/** When it ended, in Unix milliseconds; for a leg of an event, when the event happened. */
	at?: number | undefined;
}
