import { DEFAULT_CALL_SETTINGS } from '../pbx/credential';
import type { LegOrigin } from '../pbx/legOrigin';
import type { CallSettings } from '../pbx/types';
import type { End } from '../util/party';
import { isWithheldWord } from '../util/party';

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

/**
 * The kind of an end of a call, by its form alone. `outside`: a number longer than an extension. `user`: a SIP user name.
 * `code`: a feature code or speed dial, such as `*001`. `other`: any other text.
 */
export type EndKind = 'withheld' | 'outside' | 'extension' | 'user' | 'code' | 'other';

/** One end of a call, read with what the credential says about the account. */
export interface CallEnd extends End {
	kind: EndKind;
	/** The extension or SIP user name, if it looks like one. */
	user?: string | undefined;
	/** Whether its host is the account's realm (`own`), or surely not (`foreign`). Undefined for an IP address. */
	realm?: 'own' | 'foreign' | undefined;
}

/** Classifies an end of a call by its form. The codes in front of a dialed number, such as `*67`, are cut. */
export function callEnd<E extends End | undefined>(
	end: E,
	settings: CallSettings,
): E extends undefined ? CallEnd | undefined : CallEnd;
export function callEnd(end: End | undefined, settings: CallSettings): CallEnd | undefined {
	if (end === undefined) return undefined;
	const realm = realmOf(end, settings);
	if (end.number === undefined) return { ...end, kind: 'withheld', realm };
	const number = withoutCode(end.number);
	const [min, max] = settings.extensionDigits;
	const user = /^user_(\d{2,})(?:_\d+)?$/.exec(number)?.[1] ?? number;
	const isExtension = /^\d+$/.test(user) && user.length >= min && user.length <= max;
	if (isExtension) return { ...end, number, kind: 'extension', user, realm };
	if (/^\+?[\d\s().-]+$/.test(number)) return { ...end, number, kind: 'outside', realm };
	if (/^[*#]/.test(number)) return { ...end, number, kind: 'code', realm };
	if (/\p{L}/u.test(number) && !/\s/.test(number) && !isWithheldWord(number))
		return { ...end, number, kind: 'user', user, realm };
	return { ...end, number, kind: 'other', realm };
}

/** Returns the employee at one end of a leg, if any. `others` name the same end. */
export function employeeAt(
	end: CallEnd | undefined,
	...others: Array<CallEnd | undefined>
): Employee | undefined {
	const all = [end, ...others];
	const named =
		all.find((one) => one?.kind === 'extension') ?? all.find((one) => one?.kind === 'user');
	return named?.user === undefined ? undefined : { user: named.user, name: end?.name };
}

/** Codes in front of a number, which hide it or choose a line: `*67` and two digits alike, `#31#`, `*31#`. */
const CODES = /^(?:[*#]+\d{1,3}[*#]|\*\d\d)(\+?\d{7,})#*$/;

function withoutCode(number: string): string {
	if (!/[*#]/.test(number)) return number;
	return CODES.exec(number)?.[1] ?? /^(\+?\d{2,})#+$/.exec(number)?.[1] ?? number;
}

function realmOf({ host }: End, { realm }: CallSettings): CallEnd['realm'] {
	if (host === undefined || !realm.includes('.')) return undefined;
	if (host === realm || host.endsWith(`.${realm}`)) return 'own';
	const isAddress = /^(?:[\d.]+|\[.*\]|[^.]+)$/.test(host);
	return isAddress || realm.endsWith(`.${host}`) ? undefined : 'foreign';
}

/** Everything else that is known of the account when one of its calls is read. */
export interface Account extends CallSettings {
	shown: ShownByCalls;
}

/** Facts that an account's calls show about each other. */
export interface ShownByCalls {
	/** Whether the account receives calls on a number. */
	receivesOn(number: string | undefined): boolean;
	/** Whether a call from outside has rung an extension or SIP user. */
	hasRung(user: string | undefined): boolean;
	/** Whether the legs of the account's own devices and users say so. */
	namesOwnCallers: boolean;
}

/** No other call is known. */
export const NOTHING_SHOWN: ShownByCalls = {
	receivesOn: () => false,
	hasRung: () => false,
	namesOwnCallers: false,
};

/** The account of a credential whose fields have their defaults. */
export const ANY_ACCOUNT: Account = { ...DEFAULT_CALL_SETTINGS, shown: NOTHING_SHOWN };
