import { timingSafeEqual } from 'node:crypto';

import { isObject, parseStructure } from '../../util/json';
import { plainName } from './payload';

/**
 * The key in a webhook's `custom_data` under which its mark stands: `owner.settings.secret`. The PBX puts it into each event
 * (§2.5). The owner tells whose webhook it is, the secret that a delivery is genuine.
 */
export const MARK_NAME = 'n8n_webhook_secret';

const PLAIN_KEY = plainName(MARK_NAME);
const MAX_DEPTH = 6;
const MAX_CANDIDATES = 16;
const MAX_NESTED_TEXT = 65_536;

/** What a webhook of the event trigger says of itself in its `custom_data`, and what its deliveries repeat. */
export interface Mark {
	/** A hash of the workflow and the node that it belongs to. */
	owner: string;
	/** A hash of the settings that it was registered with. */
	settings: string;
	/** Proves that a delivery is from this webhook. */
	secret: string;
}

const MARK = /^([0-9a-f]{16})\.([0-9a-f]{8})\.([0-9a-f]{64})$/;

/** The text under {@link MARK_NAME}. */
export function writeMark({ owner, settings, secret }: Mark): string {
	return [owner, settings, secret].join('.');
}

/** Finds the marks in a delivery or in custom data; see {@link findMarkTexts}. */
export function findMarks(value: unknown): Mark[] {
	return findMarkTexts(value).flatMap(readMark);
}

/** Takes the text of a mark apart; an empty array for any other text. */
export function readMark(text: string): Mark[] {
	const [, owner, settings, secret] = MARK.exec(text) ?? [];
	return owner && settings && secret ? [{ owner, settings, secret }] : [];
}

/** Finds the texts of marks anywhere in a body that is too large to be taken apart. */
export function markTextsIn(body: string): string[] {
	const found: string[] = [];
	for (const [text] of body.matchAll(/[0-9a-f]{16}\.[0-9a-f]{8}\.[0-9a-f]{64}/g))
		if (found.push(text) === MAX_CANDIDATES) break;
	return found;
}

/** Tells whether a key holds our mark: under any spelling, also at the end of a flattened path. */
export function isSecretKey(key: string): boolean {
	if (key.length < PLAIN_KEY.length) return false;
	const plain = plainName(key);
	return plain.includes('secret') && plain.replace(/[[\].]/g, '').endsWith(PLAIN_KEY);
}

/**
 * Finds the texts under {@link MARK_NAME}, wherever a platform may put them: at the top level, in `args`, in an object of
 * custom data, or in JSON-encoded text. Looks a few levels deep and never into arrays.
 */
export function findMarkTexts(value: unknown): string[] {
	const found: string[] = [];
	collect(typeof value === 'string' ? nestedObject(value) : value, 0, found);
	return found;
}

function collect(value: unknown, depth: number, found: string[]): void {
	if (depth > MAX_DEPTH || !isObject(value)) return;
	// Names and values by themselves: pairs of them would take twice as long.
	const keys = Object.keys(value);
	const entries: unknown[] = Object.values(value);
	for (let index = 0; index < keys.length && found.length < MAX_CANDIDATES; index++) {
		const entry = entries[index];
		if (typeof entry === 'string' && isSecretKey(keys[index] ?? '')) found.push(entry);
		else {
			const inner = typeof entry === 'string' ? nestedObject(entry) : entry;
			if (isObject(inner)) collect(inner, depth + 1, found);
		}
	}
}

/** Compares what a delivery carries with the secret, in constant time. The length of a secret is no secret. */
export function matchesSecret(candidates: readonly string[], secret: string): boolean {
	const expected = Buffer.from(secret);
	return candidates
		.map((candidate) => Buffer.from(candidate))
		.map((given) => given.length === expected.length && timingSafeEqual(given, expected))
		.includes(true);
}

/** Removes or masks our mark in a delivery; the rest stays as it came, in a copy where it is touched. */
export function withoutSecret<T>(value: T, mask?: string): T {
	return strip(value, 0, mask) as T;
}

function strip(value: unknown, depth: number, mask?: string): unknown {
	if (depth > MAX_DEPTH) return value;
	if (typeof value === 'string') {
		const inner = nestedObject(value);
		const clean = inner && strip(inner, depth, mask);
		return clean === inner ? value : JSON.stringify(clean);
	}
	if (!isObject(value)) return value;

	const entries = Object.entries(value);
	const clean = entries
		.map(([key, entry]) => [key, isSecretKey(key) ? mask : strip(entry, depth + 1, mask)] as const)
		.filter(([key, entry]) => entry !== undefined || !isSecretKey(key));
	const isSame =
		clean.length === entries.length && clean.every(([key, entry]) => Object.is(entry, value[key]));
	return isSame ? value : Object.fromEntries(clean);
}

function nestedObject(text: string): object | undefined {
	if (text.length < PLAIN_KEY.length || text.length > MAX_NESTED_TEXT) return undefined;
	if (!/^\s*\{/.test(text) || !plainName(text).includes(PLAIN_KEY)) return undefined;
	const value = parseStructure(text);
	return isObject(value) ? value : undefined;
}
