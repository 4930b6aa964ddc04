import type { Cdr } from '../pbx/cdrs/cdr';
import { DEFAULT_CALL_SETTINGS } from '../pbx/credential';
import { bareNumber } from '../util/party';
import { legOfCdr } from './cdrLeg';
import type { Leg, ShownByCalls } from './leg';
import { NOTHING_SHOWN } from './leg';
import { callTypeOf } from './parties';
import { partsOf } from './parts';

/** How many last digits tell a company's numbers apart, in national or international form. */
const LAST_DIGITS = 9;

const keyOf = (number: string) => bareNumber(number).slice(-LAST_DIGITS);

/**
 * Returns what calls show about their account, by evidence of their own: the numbers on which it receives calls, and the
 * extensions that callers from outside have rung. Reads the calls only when asked, which the callers of few calls need.
 */
export function shownBy(calls: () => ReadonlyArray<readonly Cdr[]>): ShownByCalls {
	let known: Learned | undefined;
	let names: boolean | undefined;
	const learned = () => (known ??= learn(calls()));
	return {
		receivesOn: (number) => number !== undefined && learned().receiving.has(keyOf(number)),
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
	return [{ first, dialed: keyOf(first.to.number ?? ''), rung }];
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
	const called = new Set(placed.map(({ to }) => keyOf(to?.number ?? '')));
	const dialedBy = new Map<string, Set<string>>();
	for (const { first, dialed } of received) {
		const caller = keyOf(first.from?.number ?? '');
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
