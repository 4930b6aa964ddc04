import type { Cdr } from '../pbx/cdrs/cdr';
import { DEFAULT_CALL_SETTINGS } from '../pbx/credential';
import { bareNumber } from '../util/party';
import type { Leg, ShownByCalls } from './leg';
import { callEnd, employeeAt, NOTHING_SHOWN, partsOf, SIDES } from './leg';
import { callTypeOf } from './parties';

export function legOfCdr(cdr: Cdr): Leg {
	const { direction, talkSeconds: talk, settings } = cdr;
	const [from, to] = [callEnd(cdr.caller, settings), callEnd(cdr.callee, settings)];
	return {
		id: cdr.callId,
		otherId: cdr.otherCallId,
		callId: cdr.bridgeId,
		side: direction && SIDES[direction],
		from,
		to,
		employee: employeeAt(direction === 'outbound' ? to : from),
		origin: cdr.origin,
		isInternal: cdr.isInternalLeg,
		isForMachine: cdr.isForMachine,
		state: stateOf(talk),
		isOver: true,
		talk,
		cause: cdr.hangupCause,
		at: cdr.endedAt,
		beganAt: cdr.beganAt,
	};
}

function stateOf(talk: number | undefined): Leg['state'] {
	if (talk === undefined) return 'unsaid';
	return talk > 0 ? 'answered' : 'unanswered';
}

export interface RecordedCall {
	/** The Bridge-ID; undefined for a record without one, which is a call of its own. */
	callId: string | undefined;
	/** Oldest first. */
	legs: Cdr[];
	/** When it ended, in Unix milliseconds; `-Infinity` if its records have no time. */
	at: number;
	/** Facts that the calls read with it show about the account. */
	shown: ShownByCalls;
}

/**
 * After a longer pause, in milliseconds, the same Bridge-ID is another call: a caller can wait this long in a queue, of
 * which only the legs to phones are recorded.
 */
export const MAX_PAUSE_MS = 2 * 3_600_000;
/** The same after the leg that began the call has ended, and with it the call. */
const PAUSE_AFTER_END_MS = 300_000;

/**
 * Groups records into calls by Bridge-ID (§2.4), in the order of the calls' first records. A record without one is a
 * call of its own. After a pause of two hours, or of five minutes if the leg that began the call has ended, legs are
 * another call's. Each call gets what all of them show about the account.
 */
export function groupByCall(records: readonly Cdr[]): RecordedCall[] {
	const groups = new Map<unknown, Cdr[]>();
	for (const record of records) {
		const callId = record.bridgeId;
		const group = callId === undefined ? undefined : groups.get(callId);
		if (group) group.push(record);
		else groups.set(callId ?? record, [record]);
	}
	const calls: RecordedCall[] = [];
	const shown = shownBy(() => calls.map(({ legs }) => legs));
	for (const [key, legs] of groups)
		calls.push(...separate(typeof key === 'string' ? key : undefined, legs, shown));
	return calls;
}

/** Returns whether a call can have a leg after a long pause: not if the leg that began it has ended. */
function mayGoOnAfter({ at, legs }: RecordedCall, pauseMs: number): boolean {
	if (at === -Infinity) return true;
	return pauseMs <= MAX_PAUSE_MS && !legs.some(({ direction }) => direction === 'inbound');
}

/** Separates records of one Bridge-ID that are too far apart to be one call. */
function separate(
	callId: string | undefined,
	records: readonly Cdr[],
	shown: ShownByCalls,
): RecordedCall[] {
	const calls: RecordedCall[] = [];
	for (const leg of sortByTime(records)) {
		const end = leg.endedAt ?? -Infinity;
		const call = calls.at(-1);
		const pauseMs = end - leg.minDurationSeconds * 1000 - (call?.at ?? 0);
		if (call && (pauseMs <= PAUSE_AFTER_END_MS || mayGoOnAfter(call, pauseMs))) {
			call.legs.push(leg);
			call.at = end;
		} else {
			calls.push({ callId, legs: [leg], at: end, shown });
		}
	}
	return calls;
}

/** Sorts records by time, oldest first, regardless of input order. Records without a time come first. */
export function sortByTime(records: readonly Cdr[]): Cdr[] {
	if (records.length < 2) return [...records];
	return records
		.map((record) => ({ record, time: record.endedAt ?? 0 }))
		.sort((a, b) => a.time - b.time || compareTogether(a.record, b.record))
		.map(({ record }) => record);
}

/** Puts the inbound leg first among legs that ended together. */
function compareTogether(a: Cdr, b: Cdr): number {
	const [own, other] = [a.orderKey, b.orderKey];
	if (own === other) return 0;
	return own < other ? -1 : 1;
}

/** How many last digits tell a company's numbers apart, in national or international form. */
const LAST_DIGITS = 9;

const lastDigits = (number: string) => bareNumber(number).slice(-LAST_DIGITS);

/**
 * Returns what calls show about their account, by evidence of their own: the numbers on which it receives calls, and the
 * extensions that callers from outside have rung. Reads the calls only when asked, which the callers of few calls need.
 */
function shownBy(calls: () => ReadonlyArray<readonly Cdr[]>): ShownByCalls {
	let known: Learned | undefined;
	let names: boolean | undefined;
	const learned = () => (known ??= learn(calls()));
	return {
		receivesOn: (number) => number !== undefined && learned().receiving.has(lastDigits(number)),
		hasRung: (user) => user !== undefined && learned().rung.has(user),
		get namesOwnCallers() {
			return (names ??= calls().some((records) => records.some(isOwnCaller)));
		},
	};
}

interface Learned {
	receiving: Set<string>;
	rung: Set<string>;
}

function isOwnCaller({ direction, origin }: Cdr): boolean {
	return direction === 'inbound' && origin === 'employee';
}

/** A call's first leg to a full number from outside, and the users of the phones that rang. */
interface Received {
	first: Leg;
	dialed: string;
	rung: string[];
}

function learn(calls: ReadonlyArray<readonly Cdr[]>): Learned {
	const all = calls.map((records) => records.map(legOfCdr));
	const legs = all.flat();
	const received = calls.flatMap((records, index) => receivedBy(records, all[index] ?? []));
	const sure = received.filter(({ first, rung }) => first.origin === 'line' || rung.length > 0);
	const receiving = new Set(sure.map(({ dialed }) => dialed));
	for (const dialed of likely(received, receiving, legs)) receiving.add(dialed);
	return {
		receiving,
		rung: new Set(sure.filter(isFromOutside).flatMap(({ rung }) => rung)),
	};
}

function receivedBy(records: readonly Cdr[], legs: readonly Leg[]): Received[] {
	const settings = records[0]?.settings ?? DEFAULT_CALL_SETTINGS;
	const parts = partsOf(legs, { ...settings, shown: NOTHING_SHOWN });
	const { first, called } = parts;
	if (first?.to?.kind !== 'outside' || callTypeOf(parts) !== 'incoming') return [];
	const rung = called.flatMap(({ employee }) => employee?.user ?? []);
	return [{ first, dialed: lastDigits(first.to.number ?? ''), rung }];
}

/**
 * Returns the numbers in calls of which only the first leg is recorded. Without those of a company number that is shown
 * as the caller, which calls many numbers or receives calls itself, and those that the PBX itself calls.
 */
function likely(
	received: readonly Received[],
	receiving: ReadonlySet<string>,
	legs: readonly Leg[],
): string[] {
	const placed = legs.filter(({ side, to }) => side === 'called' && to?.kind === 'outside');
	const called = new Set(placed.map(({ to }) => lastDigits(to?.number ?? '')));
	const dialedBy = new Map<string, Set<string>>();
	for (const { first, dialed } of received) {
		const caller = lastDigits(first.from?.number ?? '');
		dialedBy.set(caller, (dialedBy.get(caller) ?? new Set()).add(dialed));
	}
	return [...dialedBy]
		.filter(([caller, numbers]) => (caller === '' || numbers.size === 1) && !receiving.has(caller))
		.flatMap(([, numbers]) => [...numbers].filter((dialed) => !called.has(dialed)));
}

/** By the caller's number, which no extension has, or by the platform's word. */
function isFromOutside({ first: { origin, from } }: Received): boolean {
	return origin === 'line' || from?.user === undefined;
}
