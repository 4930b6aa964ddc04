import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

/** Keys that reach into JavaScript's own objects where code is careless. */
const TRAPS = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'valueOf',
	'hasOwnProperty',
	'length',
	'',
	' ',
	'0',
];

const ODD_TEXTS = [
	...TRAPS,
	'null',
	'undefined',
	'NaN',
	'-1',
	'1e400',
	'0x10',
	'63962000000',
	'9'.repeat(400),
	'2026-02-30',
	'%',
	'%E0%A4%A',
	'%00',
	'\u0000',
	'\ud800',
	'\udfff\ud800',
	'\u202egnp.exe',
	'../../etc/passwd',
	'{"a":',
	'[[[[[[[[',
	'{"__proto__":{"isAdmin":true}}',
	'sip:',
	'sip:%@',
	'"<"<sip:1@x>',
	'https://pbx.example.com@evil.example',
	'http://[::ffff:127.0.0.1]:443/',
	'//',
	'\\',
	'"',
	"'",
	'=',
	'&',
	'a[b][c]',
	'(a+)+$',
	'x'.repeat(5000),
	'💥'.repeat(300),
];

/** Texts of any characters, lone surrogates and control characters included. */
export const text: fc.Arbitrary<string> = fc.oneof(
	fc.constantFrom(...ODD_TEXTS),
	fc.string({ unit: 'binary' }),
	fc.string(),
	fc.array(fc.constantFrom(...ODD_TEXTS), { maxLength: 4 }).map((parts) => parts.join('')),
	fc
		.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
		.map((units) => String.fromCharCode(...units)),
);

/** A text with U+FFFD for each lone surrogate, which no URL can hold. */
export function wellFormed(value: string): string {
	return Buffer.from(value).toString();
}

const single = fc.oneof(
	text,
	fc.double(),
	fc.integer(),
	fc.boolean(),
	fc.constantFrom(null, 62_167_219_200, 1e308, Number.MAX_SAFE_INTEGER, -0),
);

const nested = (depth: number, wrap: (inner: unknown) => unknown) => {
	let value: unknown = 1;
	for (let level = 0; level < depth; level++) value = wrap(value);
	return value;
};

/** Any value that JSON can hold, under keys that may be traps; at times very deep. `keys` are the ones that matter. */
export function json(keys: readonly string[] = []): fc.Arbitrary<unknown> {
	const key = fc.oneof(fc.constantFrom(...TRAPS, ...keys), text);
	const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 5, withCrossShrink: true },
			{ weight: 4, arbitrary: single },
			{ weight: 2, arbitrary: fc.array(tie('tree'), { maxLength: 5 }) },
			{
				weight: 3,
				arbitrary: fc
					.array(fc.tuple(key, tie('tree')), { maxLength: 6 })
					.map((entries) => Object.fromEntries(entries)),
			},
		),
	}));
	return fc.oneof(
		{ weight: 30, arbitrary: tree },
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				nested(1500, (inner) => [inner]),
				nested(1500, (inner) => ({ data: inner })),
			),
		},
	);
}

/**
 * Leaves out objects that JavaScript cannot turn into a text. Strangers may send them; what the user and the PBX's own
 * fields hold is turned into texts, and an error is the right outcome there.
 */
export function withText<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T> {
	return value.filter((one) => !/"(?:toString|valueOf)":/.test(JSON.stringify(one) ?? ''));
}

/** An object of a known kind in which some fields are spoilt, missing, doubled under another case, or added. */
export function spoilt(kind: fc.Arbitrary<IDataObject>): fc.Arbitrary<IDataObject> {
	const changes = fc.array(
		fc.record({
			at: fc.nat(),
			how: fc.constantFrom('replace', 'remove', 'double', 'add', 'none'),
			value: json(),
			name: text,
		}),
		{ maxLength: 4 },
	);
	return fc.tuple(kind, changes).map(([whole, all]) => {
		const entries = Object.entries(structuredClone(whole)) as Array<[string, unknown]>;
		for (const { at, how, value, name } of all) {
			const place = entries.length === 0 ? -1 : at % entries.length;
			const [key = ''] = entries[place] ?? [];
			if (how === 'replace' && place >= 0) entries[place] = [key, value];
			if (how === 'remove' && place >= 0) entries.splice(place, 1);
			if (how === 'double') entries.push([key.toLowerCase(), value]);
			if (how === 'add') entries.push([name, value]);
		}
		return Object.fromEntries(entries) as IDataObject;
	});
}

/** A JSON object. */
export function object(keys: readonly string[] = []): fc.Arbitrary<IDataObject> {
	return fc
		.array(fc.tuple(fc.oneof(fc.constantFrom(...TRAPS, ...keys), text), json(keys)), {
			maxLength: 6,
		})
		.map((entries) => Object.fromEntries(entries) as IDataObject);
}

/** JSON text of a value, at times cut off or with a character changed. */
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
