import type { IDataObject } from 'n8n-workflow';

import { asText } from './json';

/** What stands in place of a secret. */
export const MASK = '***';
const NAMES = 'secret|passw|token|api[-_]?key|authorization';
const SECRET_NAME = new RegExp(NAMES, 'i');
const IN_JSON = new RegExp(
	`(\\\\*"[^"\\\\]*(?:${NAMES})[^"\\\\]*\\\\*"\\s*:\\s*\\\\*")[^"\\\\]*`,
	'gi',
);
const IN_FORM = new RegExp(`((?:^|[?&])[^=&\\s"]*(?:${NAMES})[^=&\\s"]*=)[^&\\s"]*`, 'gi');

/** A copy that masks whatever is named like a secret: in nested objects, and in texts that hold JSON or a form. */
export function withoutSecrets(object: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(object).map(([name, value]) => [
			name,
			SECRET_NAME.test(name) && asText(value) !== undefined ? MASK : mask(value),
		]),
	) as IDataObject;
}

function mask(value: unknown): unknown {
	if (typeof value === 'string')
		return value.replace(IN_JSON, `$1${MASK}`).replace(IN_FORM, `$1${MASK}`);
	if (Array.isArray(value)) return value.map(mask);
	return typeof value === 'object' && value !== null ? withoutSecrets(value as IDataObject) : value;
}

/** Shorter secrets are part of ordinary words: they are blanked only where they stand alone. */
const LONG = 6;

/** Gives a copy that blanks known secrets in texts and keys: as they are, or encoded for an address or for JSON. */
export function blankSecrets<T>(value: T, secrets: readonly string[]): T {
	// A lone half of a surrogate pair cannot be encoded: the buffer puts a sign in its place.
	const forms = secrets.flatMap((secret) => [
		secret,
		encodeURIComponent(Buffer.from(secret).toString()),
		JSON.stringify(secret).slice(1, -1),
	]);
	// The longest first: one secret may begin with another.
	const patterns = [...new Set(forms)].sort((one, other) => other.length - one.length).map(pattern);
	if (patterns.length === 0) return value;
	return blankIn(value, new RegExp(patterns.join('|'), 'giu')) as T;
}

function pattern(secret: string): string {
	const exact = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
	return secret.length < LONG ? `(?<![\\p{L}\\p{N}])${exact}(?![\\p{L}\\p{N}])` : exact;
}

/** IDs of the platform have 32 hexadecimal digits, secrets of webhooks 64: so many of them are no ID. */
const LONG_HEX = /[0-9a-f]{33,}/gi;

/** Blanks secrets of webhooks in words of a PBX that repeats what it was sent: known ones, and whatever may be one. */
export function blankWebhookSecrets(words: string, secrets: readonly string[]): string {
	return blankSecrets(words, secrets).replace(LONG_HEX, MASK);
}

function blankIn(value: unknown, secrets: RegExp): unknown {
	if (typeof value === 'string') return value.replace(secrets, MASK);
	if (Array.isArray(value)) return value.map((one) => blankIn(one, secrets));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [
			name.replace(secrets, MASK),
			blankIn(one, secrets),
		]),
	);
}
