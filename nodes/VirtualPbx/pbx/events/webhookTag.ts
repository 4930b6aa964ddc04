import type { IDataObject } from 'n8n-workflow';
import { timingSafeEqual } from 'node:crypto';

import { isObject } from '../../util/json';

/**
 * The key of the tag in a webhook's `custom_data`: `owner.settings.secret`. The PBX repeats it in each event (§2.5).
 * The owner identifies the webhook's node; the secret proves that a delivery is genuine.
 */
export const TAG_NAME = 'n8n_webhook_secret';

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

/** Finds the tags in a delivery, a webhook, or custom data; see {@link findTagTexts}. */
export function findTags(value: unknown): Tag[] {
	return findTagTexts(value).flatMap(readTag);
}

/** Parses a tag's text; returns an empty array for any other text. */
export function readTag(text: string): Tag[] {
	const [, owner, settings, secret] = FORM.exec(text) ?? [];
	return owner && settings && secret ? [{ owner, settings, secret }] : [];
}

/** Where custom data is in an event (§2.5): at the top, in `args`, or in an object of its own in one of these. */
const PLACES = ['args', 'custom_data'];
const MAX_DEPTH = 2;

/** Returns the texts under {@link TAG_NAME} in an object and in its custom data. */
export function findTagTexts(value: unknown, depth = 0): string[] {
	if (!isObject(value) || depth > MAX_DEPTH) return [];
	const { [TAG_NAME]: own } = value;
	const inner = PLACES.flatMap((name) => findTagTexts(value[name], depth + 1));
	return typeof own === 'string' ? [own, ...inner] : inner;
}

/** Returns whether one of the candidates is the secret. Compares in constant time; the length of a secret is public. */
export function matchesSecret(candidates: readonly string[], secret: string): boolean {
	const expected = Buffer.from(secret);
	return candidates
		.map((candidate) => Buffer.from(candidate))
		.map((given) => given.length === expected.length && timingSafeEqual(given, expected))
		.includes(true);
}

/** Returns an object without its tag, or with a mask in its place. Copies only the objects that hold one. */
export function withoutTag(value: IDataObject, mask?: string, depth = 0): IDataObject {
	if (findTagTexts(value, depth).length === 0) return value;
	const { [TAG_NAME]: own, ...rest } = value;
	for (const name of PLACES) {
		const inner = rest[name];
		if (isObject(inner)) rest[name] = withoutTag(inner, mask, depth + 1);
	}
	return own === undefined || mask === undefined ? rest : { ...rest, [TAG_NAME]: mask };
}
