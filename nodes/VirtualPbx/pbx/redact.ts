import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../util/json';

/** The replacement for a secret. */
export const MASK = '***';

/** A name whose value is a secret. */
const SECRET_NAME = /secret|passw|token|api[-_]?key|authorization/i;
/** Our webhooks' tag (`settings.secret`), which can be cut off, and digits longer than an ID (32). */
const OUR_TAG = /(?<!%|%[\da-f])(?:[\da-f]{16}\.[\da-f]{8,}|[\da-f]{33,})/gi;
/**
 * A name and its value, as in forms, JSON, headers, and Kazoo's lists. Quotes, brackets, and escapes may stand between.
 * Words without a digit, as in "token: expired", aren't a secret unless they are quoted.
 */
const NAMED_VALUE =
	/((?:secret|passw|token|api[-_]?key|authorization)[\w.-]{0,64}(?:[\s"'\]\\>]|%5D|%22){0,9}(?:[=:]|%3D|%3A|,["'\\\s]{0,4}=["'\\\s]{0,4},)(?:[\s"'\\]|%22|basic |bearer ){0,9})(?:(?<=["'=]|%3D|%22)|(?=[^\s"'\\,;&<>{}[\]%]{0,200}\d))[^\s"'\\,;&<>{}[\]%]{6,}/gi;
/** Longer texts are cut off: logs and errors are far shorter. */
const MAX_TEXT = 262_144;
/** Shorter secrets aren't masked: they are easily guessed, and part of every text. */
const SHORTEST = 4;
/** Shorter secrets occur in ordinary words: they are masked only as separate words. */
const LONG = 6;
/** Deeper values are masked as a whole. */
const DEEPEST = 100;

type Clean = (text: string) => string;

/** Returns a copy of a PBX's log for people: masks known secrets, our own, and values named like a secret. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
	const clean = cleaner(secrets);
	return mask(value, (text) => clean(text).replace(NAMED_VALUE, `$1${MASK}`), true) as T;
}

/** Returns a copy that masks known secrets and our own in texts, numbers, and keys. */
export function blankSecrets<T>(value: T, secrets: readonly string[]): T {
	return mask(value, cleaner(secrets), false) as T;
}

function cleaner(secrets: readonly string[]): Clean {
	const known = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
	const forms = [...new Set(known)].sort((a, b) => b.length - a.length).map(patternOf);
	const pattern = forms.length === 0 ? undefined : new RegExp(forms.join('|'), 'giu');
	return (text) => {
		const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
		return (pattern ? short.replace(pattern, MASK) : short).replace(OUR_TAG, MASK);
	};
}

/** A secret as it is, in JSON, in addresses and forms, also twice, and in base64. */
function formsOf(secret: string): string[] {
	const inJson = JSON.stringify(secret).slice(1, -1);
	// Half a character can't be encoded.
	const encoded = (text: string) => encodeURIComponent(Buffer.from(text).toString());
	const inUrl = encoded(secret);
	const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
	const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
	const twice = [encoded(inUrl), JSON.stringify(inJson).slice(1, -1)];
	return [secret, inJson, inUrl, inForm, encoded(inJson), base64, ...twice];
}

function patternOf(form: string): string {
	const text = form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
	return form.length < LONG ? `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])` : text;
}

/** @param isSecret the value belongs to a secret's name */
function mask(value: unknown, clean: Clean, byName: boolean, isSecret = false, depth = 0): unknown {
	if (typeof value === 'string') return isSecret && value !== '' ? MASK : clean(value);
	if (typeof value === 'number')
		return isSecret || clean(String(value)) !== String(value) ? MASK : value;
	if (typeof value !== 'object' || value === null) return value;
	if (depth > DEEPEST) return MASK;
	const inner = (one: unknown, isOne: boolean) => mask(one, clean, byName, isOne, depth + 1);
	if (Array.isArray(value)) {
		const named = byName ? namedIn(value) : undefined;
		return value.map((one, index) => inner(one, isSecret || (named?.has(index) ?? false)));
	}
	const isPair = byName && hasSecretName(value as IDataObject);
	return Object.fromEntries(
		Object.entries(value).map(([key, one]: [string, unknown]) => {
			const isNamed = (byName && SECRET_NAME.test(key)) || (isPair && key === 'value');
			return [FIELD_NAME.test(key) ? key : clean(key), inner(one, isNamed && !isObject(one))];
		}),
	);
}

/** Whether an object is a secret's name with its value: `{ name, value }`, `{ key, value }`. */
function hasSecretName({ name, key }: IDataObject): boolean {
	return [name, key].some((one) => typeof one === 'string' && SECRET_NAME.test(one));
}

/** Field names stay, even if someone uses one as a password. */
const FIELD_NAME = /^[a-z_]{1,15}$/i;

/** Finds a list's entries that are values of secrets: `[name, "=", value]`, as Kazoo logs forms, and `[name, value]`. */
function namedIn(list: readonly unknown[]): Set<number> {
	const named = new Set<number>();
	let nameAt = -1;
	for (const [index, one] of list.entries()) {
		if (typeof one === 'string' && /^[\s=\]>:]*$/.test(one)) continue;
		if (nameAt >= 0 && (nameAt < index - 1 || list.length === 2)) named.add(index);
		const isName = typeof one === 'string' && /^[\w-]{1,100}$/.test(one) && SECRET_NAME.test(one);
		nameAt = isName ? index : -1;
	}
	return named;
}
