import { timingSafeEqual } from 'node:crypto';

import { isObject, parseStructure } from '../../util/json';
import { plainName, USUAL_NAMES } from './fields';

/**
 * The key of the tag in a webhook's `custom_data`: `owner.settings.secret`. The PBX repeats it in each event (§2.5).
 * The owner identifies the webhook's node; the secret proves that a delivery is genuine.
 */
export const TAG_NAME = 'n8n_webhook_secret';

const PLAIN_KEY = plainName(TAG_NAME);
const MAX_DEPTH = 6;
const MAX_CANDIDATES = 16;
const MAX_NESTED_TEXT = 65_536;

/** The identity of an event trigger's webhook, in its `custom_data` and in its deliveries. */
export interface Tag {
	/** A hash of the workflow and node that it belongs to. */
	owner: string;
	/** A hash of the settings that it was registered with. */
	settings: string;
	/** Proves that a delivery is from this webhook. */
	secret: string;
}

const FORM = /^([0-9a-f]{16})\.([0-9a-f]{8})\.([0-9a-f]{64})$/;

/** Formats a tag as the text under {@link TAG_NAME}. */
export function writeTag({ owner, settings, secret }: Tag): string {
	return [owner, settings, secret].join('.');
}

/** Finds the tags in a delivery or in custom data; see {@link findTagTexts}. */
export function findTags(value: unknown): Tag[] {
	return findTagTexts(value).flatMap(readTag);
}

/** Parses a tag's text; returns an empty array for any other text. */
export function readTag(text: string): Tag[] {
	const [, owner, settings, secret] = FORM.exec(text) ?? [];
	return owner && settings && secret ? [{ owner, settings, secret }] : [];
}

/** Finds tag texts anywhere in a body that is too large to parse. */
export function tagTextsIn(body: string): string[] {
	const found: string[] = [];
	for (const [text] of body.matchAll(/[0-9a-f]{16}\.[0-9a-f]{8}\.[0-9a-f]{64}/g))
		if (found.push(text) === MAX_CANDIDATES) break;
	return found;
}

/** Returns whether a key holds a tag, in any spelling, even at the end of a flattened path. */
export function isTagKey(key: string): boolean {
	if (key.length < PLAIN_KEY.length || USUAL_NAMES.has(key)) return false;
	const plain = plainName(key);
	return plain.includes('secret') && plain.replace(/[[\].]/g, '').endsWith(PLAIN_KEY);
}

/**
 * Finds the texts under {@link TAG_NAME} wherever platforms put them: at the top level, in `args`, in an object of
 * custom data, or in JSON-encoded text. Looks a few levels deep and never into arrays.
 */
export function findTagTexts(value: unknown): string[] {
	const found: string[] = [];
	collect(typeof value === 'string' ? nestedObject(value) : value, 0, found);
	return found;
}

function collect(value: unknown, depth: number, found: string[]): void {
	if (depth > MAX_DEPTH || !isObject(value)) return;
	// Separate arrays of names and values: arrays of pairs take twice as long.
	const keys = Object.keys(value);
	const entries: unknown[] = Object.values(value);
	for (let index = 0; index < keys.length && found.length < MAX_CANDIDATES; index++) {
		const entry = entries[index];
		if (typeof entry === 'string' && isTagKey(keys[index] ?? '')) found.push(entry);
		else {
			const inner = typeof entry === 'string' ? nestedObject(entry) : entry;
			if (typeof inner === 'object') collect(inner, depth + 1, found);
		}
	}
}

/** Returns whether one of the candidates is the secret. Compares in constant time; the length of a secret is public. */
export function matchesSecret(candidates: readonly string[], secret: string): boolean {
	const expected = Buffer.from(secret);
	return candidates
		.map((candidate) => Buffer.from(candidate))
		.map((given) => given.length === expected.length && timingSafeEqual(given, expected))
		.includes(true);
}

/** Returns a delivery without its tag, or with a mask in its place. Copies only the objects that hold one. */
export function withoutTag<T>(value: T, mask?: string): T {
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
		.map(([key, entry]) => [key, isTagKey(key) ? mask : strip(entry, depth + 1, mask)] as const)
		.filter(([key, entry]) => entry !== undefined || !isTagKey(key));
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
