import { afterDigits, byRest, hasShorter, NOTHING, union } from './digitSets';
import type { DigitSet, Tail } from './digitSets';

type Part = (tail: Tail) => Tail;

/** Writes a pattern of the library shorter, for texts of digits alone: `.` is a digit, and groups are plain. */
export function plain(pattern: string): string {
	return pattern.replaceAll('(?:', '(').replaceAll('\\d', '.');
}

/**
 * Reads the pattern of a numbering plan.
 *
 * @param pattern digits, classes, groups, alternatives and counts, as in `8.{13}|[347-9].{9}`
 * @throws Error for any other sign
 */
export function readPattern(pattern: string): Tail {
	return new Reader(plain(pattern)).read();
}

class Reader {
	private at = 0;

	constructor(private readonly text: string) {}

	read(): Tail {
		const all = this.alternatives()(NOTHING);
		if (this.at < this.text.length) throw new Error(`Cannot read ${this.text} at ${this.at}`);
		return all;
	}

	private alternatives(): Part {
		const all = [this.sequence()];
		while (this.text[this.at] === '|') {
			this.at++;
			all.push(this.sequence());
		}
		return (tail) => all.map((one) => one(tail)).reduce(union, null);
	}

	private sequence(): Part {
		const parts: Part[] = [];
		while (this.at < this.text.length && !'|)'.includes(this.text[this.at] ?? ''))
			parts.push(this.counted());
		return (tail) => parts.reduceRight((rest, part) => part(rest), tail);
	}

	private counted(): Part {
		const one = this.single();
		const [whole = '', , few, , many = few] =
			/^(\?|\{(\d+)(,(\d+))?\})/.exec(this.text.slice(this.at)) ?? [];
		this.at += whole.length;
		const [least, most] = whole === '?' ? [0, 1] : [Number(few ?? 1), Number(many ?? 1)];
		return (tail) => {
			let all: Tail = null;
			let rest = tail;
			for (let times = 0; times <= most; times++) {
				if (times >= least) all = union(all, rest);
				rest = one(rest);
			}
			return all;
		};
	}

	private single(): Part {
		const sign = this.text[this.at++] ?? '';
		if (sign === '(') {
			const inner = this.alternatives();
			this.at++;
			return inner;
		}
		const begin = this.at - 1;
		if (sign === '[') this.at = this.text.indexOf(']', begin) + 1;
		else if (!/[\d.]/.test(sign)) throw new Error(`Cannot read ${this.text} at ${begin}`);
		const allowed = new RegExp(this.text.slice(begin, this.at));
		return (tail) => afterDigits((digit) => allowed.test(digit), tail);
	}
}

/**
 * Writes a set as a short pattern: as a whole, or in parts by some first digits, whatever is shorter.
 *
 * @throws Error for the empty set
 */
export function writePattern(set: Tail): string {
	if (!set) throw new Error('No pattern matches nothing');
	const parted = [2, 3, 4, 5]
		.filter((digits) => !hasShorter(set, digits))
		.map((digits) =>
			[...byRest(set, digits)]
				.map(([rest, begin]) => begin && short(path(begin, null) + path(rest, null)))
				.join('|'),
		);
	const whole = alternatives(waysFrom(set, null), set.ends);
	return parted.reduce((best, one) => (one.length < best.length ? one : best), whole);
}

function alternatives(ways: string[], isOptional: boolean): string {
	const text = ways.join('|');
	if (isOptional) return /^(\.|\[[^\]]*\]|.)$/.test(text) ? `${text}?` : text && `(${text})?`;
	return text;
}

/** The first state, after this one, that all its strings pass; null where there is none before their end. */
function gateOf(set: DigitSet): DigitSet | null {
	const known = new Map<DigitSet, DigitSet[]>();
	const passed = (one: DigitSet): DigitSet[] => {
		const before = known.get(one);
		if (before) return before;
		const [first, ...others] = one.next.filter((next) => next !== null).map(passed);
		const gates = one.ends
			? []
			: (first ?? []).filter((gate) => others.every((way) => way.includes(gate)));
		known.set(one, [one, ...gates]);
		return [one, ...gates];
	};
	return passed(set)[1] ?? null;
}

/** The pattern of the ways from a state to a later one that all pass, or to their ends. */
function path(from: DigitSet, to: DigitSet | null): string {
	if (from === to) return '';
	if (from.ends) return alternatives(waysFrom(from, null), true);
	const gate = gateOf(from);
	if (gate === null || gate === to) {
		const ways = waysFrom(from, gate);
		return ways.length > 1 ? `(${ways.join('|')})` : (ways[0] ?? '');
	}
	return path(from, gate) + path(gate, to);
}

/** One pattern for each state that follows, up to a state that all pass. */
function waysFrom(from: DigitSet, to: DigitSet | null): string[] {
	const digits = new Map<DigitSet, string>();
	from.next.forEach((next, digit) => next && digits.set(next, `${digits.get(next) ?? ''}${digit}`));
	return [...digits].map(([next, some]) => short(oneOf(some) + path(next, to)));
}

function oneOf(digits: string): string {
	if (digits.length === 10) return '.';
	if (digits.length === 1) return digits;
	return `[${ranges(digits)}]`;
}

function ranges(digits: string): string {
	let text = '';
	for (let at = 0; at < digits.length; ) {
		let end = at;
		while (Number(digits[end + 1]) === Number(digits[end]) + 1) end++;
		text += end - at > 1 ? `${digits[at]}-${digits[end]}` : digits.slice(at, end + 1);
		at = end + 1;
	}
	return text;
}

/** Counts the digits that may be any: `.....` is `.{5}`. */
function short(pattern: string): string {
	return pattern.replace(/\.{5,}(?![?{])/g, (dots) => `.{${dots.length}}`);
}
