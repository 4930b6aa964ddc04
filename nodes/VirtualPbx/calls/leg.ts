import { DEFAULT_CALL_SETTINGS } from '../pbx/credential';
import type { LegOrigin } from '../pbx/legOrigin';
import type { CallSettings } from '../pbx/types';
import type { End } from '../util/party';
import { bareNumber, isWithheldWord } from '../util/party';

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

/** Returns whether a leg goes to a number outside, by the line that it takes or by the number. */
export function goesOut({ side, origin, to }: Leg): boolean {
	return to?.kind === 'outside' || (side === 'called' && origin === 'line' && to !== undefined);
}

/** Returns whether a leg rings an employee's phone. */
export function isPhone(leg: Leg): boolean {
	return leg.side !== 'caller' && leg.employee !== undefined && !goesOut(leg);
}

/** The legs of a call by their roles. */
export interface Parts {
	/** The leg that began the call; undefined if unknown. */
	first: Leg | undefined;
	/** The legs to phones and numbers. */
	called: readonly Leg[];
	/** Legs by which employees took the call over: a pickup, or a parked call. */
	joined: readonly Leg[];
	/** For a click-to-call, the leg to the employee's phone, which the PBX calls first. */
	phone?: Leg | undefined;
	account: Account;
}

/** Assigns roles to a call's legs, oldest first. For a click-to-call, the leg to the other end counts as called. */
export function partsOf(all: readonly Leg[], account: Account): Parts {
	const outer = all.filter(({ isInternal }) => isInternal !== true);
	const legs = outer.length > 0 ? outer : all;
	const loops = loopsIn(legs);
	const first = firstLegOf(legs, loops);
	const click = first === undefined || first.side === 'called' ? clickToCall(legs) : undefined;
	if (click)
		return { first: undefined, called: [click.other], joined: [], phone: click.phone, account };
	const others = legs.filter((leg) => leg !== first);
	const placed = others.filter(({ side }) => side !== 'caller');
	const ownLoops = others.filter(
		(leg) => loops.has(leg) && leg.from?.number === first?.from?.number,
	);
	return {
		first,
		called: withoutLoops(placed, ownLoops),
		joined: joinedOf(others, placed),
		account,
	};
}

/**
 * Finds the leg that began the call: the one whose own call ID is the Bridge-ID; else the inbound one (§6); else one
 * that isn't outbound (§2.4: not all directions are known). Of several, the one that began first.
 */
export function firstLegOf(legs: readonly Leg[], loops = loopsIn(legs)): Leg | undefined {
	let first: Leg | undefined;
	for (const leg of legs) {
		if (rankOf(leg) === CALLED) continue;
		if (first === undefined || isBefore(leg, first, loops)) first = leg;
	}
	return first;
}

const CALLED = 3;

/** Returns how surely a leg began its call, 0 for certain. */
function rankOf({ id, callId, side }: Leg): number {
	if (id !== undefined && id === callId) return 0;
	if (side === 'caller') return 1;
	return side === 'called' ? CALLED : 2;
}

/** Records give seconds, and switches round them. */
const SAME_TIME_MS = 2000;

/**
 * Returns whether a leg began the call rather than another one. A loopback leg and one that dialed a code follow
 * others. Of two that began at the same time, a caller's with a full number comes before a pickup's.
 */
function isBefore(leg: Leg, other: Leg, loops: ReadonlySet<Leg>): boolean {
	const isFollower = (one: Leg) => loops.has(one) || one.to?.kind === 'code';
	const isFull = ({ from }: Leg) => from?.user === undefined;
	const [began, otherBegan] = [beganAt(leg), beganAt(other)];
	const isClear = Math.abs(began - otherBegan) > SAME_TIME_MS;
	const order =
		rankOf(leg) - rankOf(other) ||
		Number(isFollower(leg)) - Number(isFollower(other)) ||
		(isClear ? began - otherBegan : 0) ||
		Number(isFull(other)) - Number(isFull(leg)) ||
		began - otherBegan ||
		(other.at ?? 0) - (leg.at ?? 0);
	return order < 0;
}

function beganAt({ at, talk = 0, beganAt: began }: Leg): number {
	return began ?? (at ?? Number.MAX_SAFE_INTEGER) - talk * 1000;
}

/** Returns the inbound legs to numbers that the PBX itself calls for the same caller (loopback). */
function loopsIn(legs: readonly Leg[]): Set<Leg> {
	const inbound = legs.filter(({ side }) => side === 'caller');
	if (inbound.length < 2) return new Set();
	const dialedBy = new Map<string | undefined, Set<string | undefined>>();
	for (const { from, to } of inbound)
		dialedBy.set(from?.number, (dialedBy.get(from?.number) ?? new Set()).add(to?.number));
	const called = numbersOf(legs.filter(({ side }) => side !== 'caller'));
	const isForward = ({ from }: Leg) => (dialedBy.get(from?.number)?.size ?? 0) > 1;
	return new Set(
		inbound.filter(
			(leg) => leg.to?.kind === 'outside' && isForward(leg) && called.has(comparable(leg.to)),
		),
	);
}

/** Of the legs to a number, each loopback leg stands for one: its other half. Keeps those with the most talk. */
function withoutLoops(placed: readonly Leg[], loops: readonly Leg[]): readonly Leg[] {
	if (loops.length === 0) return placed;
	const byNumber = new Map<string, Leg[]>();
	for (const leg of placed) {
		const number = comparable(leg.to);
		const same = byNumber.get(number);
		if (same) same.push(leg);
		else byNumber.set(number, [leg]);
	}
	for (const same of byNumber.values()) same.sort((a, b) => (a.talk ?? 0) - (b.talk ?? 0));
	const halves = new Set<Leg>();
	for (const { to } of loops) {
		const same = byNumber.get(comparable(to)) ?? [];
		const half = same.length > 1 ? same.shift() : undefined;
		if (half) halves.add(half);
	}
	return placed.filter((leg) => !halves.has(leg));
}

/** Returns the own legs of employees who took over the call, rather than rang another employee, as for a consultation. */
function joinedOf(others: readonly Leg[], placed: readonly Leg[]): readonly Leg[] {
	const taking = others.filter(
		({ side, from, to }) =>
			side === 'caller' &&
			from?.user !== undefined &&
			(to?.kind === 'code' || to?.kind === 'extension'),
	);
	if (taking.length === 0) return taking;
	const rung = numbersOf(placed);
	return taking.filter(({ to }) => !rung.has(comparable(to)));
}

/**
 * Finds the two ends of a click-to-call (seen in the field) among legs that the PBX placed: an employee's phone, then
 * the other end. They name each other, or one shows the other as its caller. A call from outside can also ring phones
 * and a cell phone.
 */
function clickToCall(legs: readonly Leg[]): { phone: Leg; other: Leg } | undefined {
	if (legs.some(({ side }) => side !== 'called')) return undefined;
	const outside = legs.find(goesOut);
	const phones = legs.filter((leg) => leg !== outside && leg.employee !== undefined);
	const phone = phones.find(isOwnPhone) ?? phones[0];
	const other = outside ?? legs.find((leg) => leg !== phone);
	if (!phone || !other) return undefined;
	const isClick = isOwnPhone(phone) || names(phone, other) || names(other, phone);
	return isClick || (outside && isShown(phone, outside)) ? { phone, other } : undefined;
}

function names({ otherId }: Leg, { id }: Leg): boolean {
	return id !== undefined && otherId === id;
}

/** Returns whether a phone is called on behalf of its own user. */
export function isOwnPhone({ from, to, employee }: Leg): boolean {
	return from?.number !== undefined && [to?.number, employee?.user].includes(from.number);
}

/** Returns whether the employee calls the outside number by name, or that number is shown as the employee's caller. */
function isShown(phone: Leg, outside: Leg): boolean {
	const { from } = outside;
	const isColleague = from?.kind === 'extension' || from?.number === phone.to?.number;
	return isColleague || areSameNumber(phone.from, outside.to);
}

/** Returns an end's number for comparison; empty if it has none. */
function comparable(end: CallEnd | undefined): string {
	return bareNumber(end?.number ?? '');
}

function areSameNumber(one: CallEnd | undefined, other: CallEnd | undefined): boolean {
	const own = comparable(one);
	return own !== '' && own === comparable(other);
}

function numbersOf(legs: readonly Leg[]): Set<string> {
	return new Set(legs.map(({ to }) => comparable(to)).filter((number) => number !== ''));
}
