/** A finite set of digit strings, as its smallest automaton: equal sets are the same object. */
export interface DigitSet {
	/** Whether the empty string is one of them. */
	readonly ends: boolean;
	/** What may follow each digit; null where nothing may. */
	readonly next: readonly Tail[];
	readonly id: number;
}

/** A set, or null for the empty one. */
export type Tail = DigitSet | null;

const DIGITS = [...'0123456789'];
const KNOWN = new Map<string, DigitSet>();

/** The set of the strings that go on in these ways. */
export function digitSet(ends: boolean, next: readonly Tail[]): Tail {
	if (!ends && next.every((one) => one === null)) return null;
	const key = `${ends}${next.map((one) => one?.id ?? '-').join()}`;
	const made = KNOWN.get(key) ?? { ends, next, id: KNOWN.size };
	KNOWN.set(key, made);
	return made;
}

/** The strings that begin with one of some digits and go on as another set does. */
export function afterDigits(isAllowed: (digit: string) => boolean, tail: Tail): Tail {
	return digitSet(
		false,
		DIGITS.map((digit) => (isAllowed(digit) ? tail : null)),
	);
}

/** The set of the empty string alone. */
export const NOTHING: Tail = digitSet(
	true,
	DIGITS.map(() => null),
);

/** Walks two sets side by side, each pair of states once. */
function both(
	ends: (one: Tail, other: Tail) => boolean,
	settled: (one: Tail, other: Tail) => Tail | undefined,
): (one: Tail, other: Tail) => Tail {
	const known = new Map<string, Tail>();
	const walk = (one: Tail, other: Tail): Tail => {
		const early = settled(one, other);
		if (early !== undefined) return early;
		const key = `${one?.id} ${other?.id}`;
		const before = known.get(key);
		if (before !== undefined) return before;
		const next = DIGITS.map((_, digit) =>
			walk(one?.next[digit] ?? null, other?.next[digit] ?? null),
		);
		const made = digitSet(ends(one, other), next);
		known.set(key, made);
		return made;
	};
	return walk;
}

/** Every string of either set. */
export const union = both(
	(one, other) => Boolean(one?.ends || other?.ends),
	(one, other) => (!one || !other || one === other ? (one ?? other) : undefined),
);

/** The strings of both sets. */
export const common = both(
	(one, other) => Boolean(one?.ends && other?.ends),
	(one, other) => (!one || !other ? null : one === other ? one : undefined),
);

/** The strings of the first set that are not in the second one. */
export const without = both(
	(one, other) => Boolean(one?.ends && !other?.ends),
	(one, other) => (one === other ? null : !one || !other ? one : undefined),
);

/** The strings of the first set that begin with one of the second. */
export const beginningWith = both(
	() => false,
	(one, begin) => (!one || !begin ? null : begin.ends ? one : undefined),
);

/** Whether a set has a string of fewer digits. */
export function hasShorter(set: DigitSet, digits: number): boolean {
	if (digits === 0) return false;
	return set.ends || set.next.some((next) => next !== null && hasShorter(next, digits - 1));
}

/** All strings of a length. */
export function anyOf(length: number): Tail {
	return length === 0 ? NOTHING : afterDigits(() => true, anyOf(length - 1));
}

const PARTS = new Map<string, ReadonlyMap<DigitSet, Tail>>();

/** A set in parts: for each way to go on after some digits, the first digits after which it is the way. */
export function byRest(set: DigitSet, digits: number): ReadonlyMap<DigitSet, Tail> {
	const key = `${set.id} ${digits}`;
	const known = PARTS.get(key) ?? partsOf(set, digits);
	PARTS.set(key, known);
	return known;
}

function partsOf(set: DigitSet, digits: number): ReadonlyMap<DigitSet, Tail> {
	if (digits === 0) return new Map([[set, NOTHING]]);
	const parts = new Map<DigitSet, Tail>();
	set.next.forEach((next, digit) => {
		for (const [rest, begin] of next ? byRest(next, digits - 1) : []) {
			const more = afterDigits((one) => one === String(digit), begin);
			parts.set(rest, union(parts.get(rest) ?? null, more));
		}
	});
	return parts;
}
