import type { IDataObject } from 'n8n-workflow';

import { SECRET_NAME } from './named';
import type { Wanted } from './texts';
import { formsOf, LONG, MASK, maskText } from './texts';

export { MASK };

/** Platform IDs have 32 hexadecimal digits, webhook secrets 64. A run longer than an ID can be part of a secret. */
const SECRET_DIGITS = 64;
const MORE_THAN_AN_ID = 33;

/**
 * Returns a copy of a PBX's log for people. Masks known secrets, values in objects, lists, and texts that are named
 * like a secret, and anything in the form of a webhook secret, in any encoding.
 */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
	const wanted = { forms: formsOf(secrets), isNamed: true, leastHex: SECRET_DIGITS };
	return mask(value, wanted, 0) as T;
}

/**
 * Returns a copy that masks known secrets and anything in the form of a webhook secret, in texts, numbers, and keys.
 */
export function blankSecrets<T>(value: T, secrets: readonly string[]): T {
	const wanted = { forms: formsOf(secrets), isNamed: false, leastHex: SECRET_DIGITS };
	return mask(value, wanted, 0) as T;
}

/**
 * Masks webhook secrets in the words of a PBX that repeats its input: known ones, and anything that could be part of
 * one.
 */
export function blankWebhookSecrets(words: string, secrets: readonly string[]): string {
	const wanted = { forms: formsOf(secrets), isNamed: false, leastHex: MORE_THAN_AN_ID };
	return maskText(words, wanted);
}

/** Deeper values are masked as a whole. */
const DEEPEST = 100;

/** @param isSecret the value belongs to a secret's name */
function mask(value: unknown, wanted: Wanted, depth: number, isSecret = false): unknown {
	if (typeof value === 'string') return isSecret && value !== '' ? MASK : maskText(value, wanted);
	if (typeof value === 'number') return isSecret || isKnown(value, wanted) ? MASK : value;
	if (typeof value !== 'object' || value === null) return value;
	if (depth > DEEPEST) return MASK;
	return Array.isArray(value)
		? maskList(value, wanted, depth, isSecret)
		: maskObject(value as IDataObject, wanted, depth, isSecret);
}

function maskList(list: unknown[], wanted: Wanted, depth: number, isSecret: boolean): unknown {
	const named = wanted.isNamed ? namedIn(list) : new Set();
	return list.map((one, index) => mask(one, wanted, depth + 1, isSecret || named.has(index)));
}

/** Keys under which objects hold a name and its value. */
const NAME_KEY =
	/^[@$#_]?(?:name|key|field|header|param(?:eter)?|attr(?:ibute)?|property|id|k|n)$/i;
const VALUE_KEY = /^[@$#_]?(?:value|val|v|content|text|data|string|t)?$/i;
/** Field names stay, even if someone uses one as a password. */
const FIELD_NAME = /^[a-z_]{1,15}$/i;

function maskObject(
	object: IDataObject,
	wanted: Wanted,
	depth: number,
	isSecret: boolean,
): unknown {
	const entries = Object.entries(object);
	const holdsSecret =
		isSecret ||
		(wanted.isNamed && entries.some(([key, value]) => NAME_KEY.test(key) && isName(value)));
	return Object.fromEntries(
		entries.map(([key, value]) => {
			const isNamed = wanted.isNamed && SECRET_NAME.test(key);
			const masked = FIELD_NAME.test(key) ? key : maskText(key, wanted);
			const isOne = isNamed || (holdsSecret && VALUE_KEY.test(key));
			return [masked, mask(value, wanted, depth + 1, isOne)];
		}),
	);
}

function isKnown(value: number, wanted: Wanted): boolean {
	const digits = String(value);
	return digits.length >= LONG && maskText(digits, wanted) !== digits;
}

function isName(value: unknown): boolean {
	return typeof value === 'string' && /^[^\s=:&]{1,100}$/.test(value) && SECRET_NAME.test(value);
}

const SIGN = /^\s*(?:[=:\]]|=>)\s*$/;

/**
 * Finds a list's entries that are values of secrets: `[name, "=", value]` as platforms log forms, `[name, value]`,
 * and lists of alternating names and values.
 */
function namedIn(list: readonly unknown[]): Set<number> {
	const named = new Set<number>();
	let nameAt = -1;
	let hasSign = false;
	for (const [index, entry] of list.entries()) {
		if (nameAt >= 0 && typeof entry === 'string' && SIGN.test(entry)) {
			hasSign = true;
		} else if (nameAt >= 0) {
			const isByTurns = list.length % 2 === 0 && nameAt % 2 === 0 && index === nameAt + 1;
			if (hasSign || isByTurns) named.add(index);
			nameAt = -1;
		} else if (isName(entry)) {
			nameAt = index;
			hasSign = false;
		}
	}
	return named;
}
