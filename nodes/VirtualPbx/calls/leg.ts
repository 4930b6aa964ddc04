import { areExtensions, numberOf, readParty } from '../util/numbers';

/** One end of a leg, as the PBX names it. */
export interface End {
	/** As it stands, without the rest of a SIP URI. */
	number: string;
	name?: string | undefined;
	/** What holds both. */
	text: string;
}

/** A colleague. */
export interface Employee {
	/** The extension where it is known, else the SIP user. */
	user: string;
	name?: string | undefined;
}

/** `unknown`: of a leg that only the other one names. `unsaid`: it is over, and the PBX does not say how. */
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
	placedBy?: 'colleague' | 'line' | undefined;
	state: LegState;
	isOver?: boolean;
	/** In seconds. */
	talk?: number | undefined;
	cause?: string | undefined;
	/** When it ended, in Unix milliseconds. */
	at?: number | undefined;
}

/** Reads one end of a leg from a text in any form that is seen at a PBX; undefined where it names nobody. */
export function readEnd(text: string | undefined): End | undefined {
	if (text === undefined) return undefined;
	const { number, name } = readParty(text);
	return number === '' ? undefined : { number, name, text };
}

/** A text that stands in the place of a number which the caller hides. */
const HIDDEN = /^(?:anonymous|private|restricted|unavailable|unknown|withheld)$/i;

/** Tells whether a caller hides the number: the text in its place says so. */
export function isHidden(number: string): boolean {
	return HIDDEN.test(number);
}

/** Tells the name of a SIP user from a number, and from what stands for a hidden one. */
function isUserName(user: string | undefined): boolean {
	return user !== undefined && /\p{L}/u.test(user) && !isHidden(user);
}

/** The extension after which a SIP user is named, as `user_100_1` is; any other text as it is. */
function asExtension(text: string | undefined): string | undefined {
	return /^user_(\d{2,})(?:_\d+)?$/.exec(text ?? '')?.[1] ?? text;
}

/** The colleague at one end of a leg, if it is one; `others` are further numbers that stand for the same end. */
export function colleagueAt(
	end: End | undefined,
	...others: Array<string | undefined>
): Employee | undefined {
	const numbers = [end?.number, ...others.map((other) => other && numberOf(other))].map(
		asExtension,
	);
	const user = numbers.find((number) => areExtensions(number)) ?? numbers.find(isUserName);
	return user === undefined ? undefined : { user, name: end?.name };
}

/** Tells whether a leg goes to a number outside. */
export function goesOut({ to }: Leg): boolean {
	return isOutside(to);
}

/** Tells a number outside from an extension, the name of a user, and a feature code. */
export function isOutside(end: End | undefined): boolean {
	const number = end?.number;
	return number !== undefined && /^\+?[\d\s().-]+$/.test(number) && !areExtensions(number);
}
