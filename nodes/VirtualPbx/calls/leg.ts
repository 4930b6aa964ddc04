import type { End } from '../util/party';

/** An employee in a call. */
export interface Employee {
	/** The extension where it is known, else the SIP user. */
	user: string;
	name?: string | undefined;
}

/** `unknown`: only the other leg names it. `unsaid`: it is over, and the PBX does not say how. */
export type LegState = 'ringing' | 'answered' | 'unanswered' | 'unsaid' | 'unknown';

/** One leg of a call, read from an event (§6) or a call record (§2.4); undefined where it does not say. */
export interface Leg {
	/** Its own Call-ID, and that of the leg that it talks with. */
	id?: string | undefined;
	otherId?: string | undefined;
	/** The Bridge-ID: of the call. */
	callId?: string | undefined;
	/** `caller`: by which somebody calls the PBX (§6 inbound). `called`: by which the PBX calls a phone or a number. */
	side?: 'caller' | 'called' | undefined;
	from?: End | undefined;
	to?: End | undefined;
	/** At its own end. */
	employee?: Employee | undefined;
	/** Who placed it, where the PBX says: a device or user of the account, or the line of a carrier. */
	placedBy?: 'employee' | 'line' | undefined;
	state: LegState;
	isOver?: boolean;
	/** In seconds. */
	talk?: number | undefined;
	cause?: string | undefined;
	/** When it ended, in Unix milliseconds. */
	at?: number | undefined;
}
