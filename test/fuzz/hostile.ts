import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

/** Keys that resolve to JavaScript's own properties in careless code. */
const TRAPS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '', ' ', '0'];

const ODD_TEXTS = [
	...[...TRAPS, 'null', 'NaN', '-1', '1e400', '0x10', '63962000000', '9'.repeat(400)],
	...[
		'%',
		'%E0%A4%A',
		'%00',
		'\u0000',
		'\ud800',
		'\u202egnp.exe',
		'../../etc/passwd',
		'2026-02-30',
	],
	...['{"a":', '[[[[[[[[', '{"__proto__":{"isAdmin":true}}', 'a[b][c]', '(a+)+$'],
	...['=', '&', '\\', '"'],
	...['sip:', 'sip:%@', '"<"<sip:1@x>', '//', 'https://pbx.example.com@evil.example'],
	...['http://[::ffff:127.0.0.1]:443/', 'x'.repeat(5000), '💥'.repeat(300)],
];

/** Texts of any characters, including lone surrogates and control characters. */
export const text: fc.Arbitrary<string> = fc.oneof(
	fc.constantFrom(...ODD_TEXTS),
	fc.string({ unit: 'binary' }),
	fc.string(),
	fc.array(fc.constantFrom(...ODD_TEXTS), { maxLength: 4 }).map((parts) => parts.join('')),
	fc.uint16Array({ maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);

/** Replaces each lone surrogate with U+FFFD, since URLs can't contain them. */
export function wellFormed(value: string): string {
	return Buffer.from(value).toString();
}

const numbers = fc.constantFrom(62_167_219_200, 1e308, Number.MAX_SAFE_INTEGER, -0);
const values = [text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), numbers];

/** fast-check's settings for JSON values, including keys that can be traps. */
const constraintsOf = (keys: readonly string[]) => ({
	key: fc.oneof(fc.constantFrom(...TRAPS, ...keys), text),
	values,
	maxDepth: 5,
	maxKeys: 6,
});

const nested = (wrap: (inner: unknown) => unknown) => {
	let value: unknown = 1;
	for (let level = 0; level < 1500; level++) value = wrap(value);
	// fast-check's own description of such a deep value overflows the stack.
	return Object.defineProperty(value as object, fc.toStringMethod, { value: () => 'a deep value' });
};
const deep = fc.constantFrom(
	nested((inner) => [inner]),
	nested((inner) => ({ data: inner })),
);

/** Any JSON value, sometimes very deep. `keys` are keys that the code reads. */
export function json(keys: readonly string[] = []): fc.Arbitrary<unknown> {
	return fc.oneof(
		{ weight: 30, arbitrary: fc.anything(constraintsOf(keys)) },
		{ weight: 1, arbitrary: deep },
	);
}

/** A JSON object. */
export function object(keys: readonly string[] = []): fc.Arbitrary<IDataObject> {
	return fc.object(constraintsOf(keys)) as fc.Arbitrary<IDataObject>;
}

/**
 * Leaves out objects that JavaScript can't convert to text. Unknown senders can send them. Parameters and the PBX's own
 * fields are converted to text, where an error is the right outcome.
 */
export function withText<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T> {
	return value.filter((one) => !/"(?:toString|valueOf)":/.test(JSON.stringify(one) ?? ''));
}

/** An object of a known kind with some fields missing, corrupted, duplicated in another case, or added. */
export function corrupted(kind: fc.Arbitrary<IDataObject>): fc.Arbitrary<IDataObject> {
	const change = fc.record({ at: fc.nat(), value: fc.option(json()), name: fc.option(text) });
	return fc.tuple(kind, fc.array(change, { maxLength: 4 })).map(([whole, changes]) => {
		const entries = Object.entries(structuredClone(whole)) as Array<[string, unknown]>;
		for (const { at, value, name } of changes) {
			const [key = ''] = entries[at % Math.max(entries.length, 1)] ?? [];
			const isRemoved = value === null && name === null;
			if (isRemoved) entries.splice(at % Math.max(entries.length, 1), 1);
			else entries.push([name ?? (at % 2 === 0 ? key : key.toLowerCase()), value]);
		}
		return Object.fromEntries(entries) as IDataObject;
	});
}

/** JSON text of a value, sometimes truncated or with a character changed. */
export function brokenText(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
	return fc
		.tuple(value, fc.nat(), fc.constantFrom('whole', 'whole', 'cut', 'changed'), text)
		.map(([inner, at, how, more]) => {
			const whole = JSON.stringify(inner) ?? '';
			const place = at % (whole.length + 1);
			if (how === 'cut') return whole.slice(0, place);
			return how === 'changed' ? whole.slice(0, place) + more + whole.slice(place + 1) : whole;
		});
}
