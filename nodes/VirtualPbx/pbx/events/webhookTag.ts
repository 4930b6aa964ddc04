import type { IDataObject } from 'n8n-workflow';
import { createHmac, timingSafeEqual } from 'node:crypto';

import { asText, isObject } from '../../util/json';
import { loginIdOf } from '../credential';
import type { CredentialData } from '../types';

/**
 * The key of the tag in a webhook's `custom_data`: `settings.secret`. The PBX repeats it in each event (§2.5), which
 * proves that a delivery is genuine.
 */
export const TAG_NAME = 'n8n_webhook_secret';

/** The marks that an event trigger puts into its webhooks' `custom_data`. */
export interface Tag {
	/** A hash of the settings that the webhook was registered with. */
	settings: string;
	/** Proves that a delivery is from this webhook. */
	secret: string;
}

const FORM = /^([0-9a-f]{16})\.([0-9a-f]{64})$/;

/** Formats a tag as the text under {@link TAG_NAME}. */
export function writeTag({ settings, secret }: Tag): string {
	return [settings, secret].join('.');
}

/** Finds the tags in a delivery, a webhook, or custom data; see {@link findTagTexts}. */
export function findTags(value: unknown): Tag[] {
	return findTagTexts(value).flatMap(readTag);
}

/** Parses a tag's text; returns an empty array for any other text. */
export function readTag(text: string): Tag[] {
	const [, settings, secret] = FORM.exec(text) ?? [];
	return settings && secret ? [{ settings, secret }] : [];
}

/**
 * Returns the secret of a node's webhooks, made of the credential's random one: every n8n process knows it, and a copy
 * of the workflow or node has another. Undefined until the first login, which stores the random one.
 */
export function secretOf(credential: CredentialData, node: string): string | undefined {
	const stored = asText(credential.webhookSecret);
	if (!stored) return undefined;
	// Deliveries of another account's webhooks no longer belong to the node.
	return createHmac('sha256', stored)
		.update(JSON.stringify([loginIdOf(credential), node]))
		.digest('hex');
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
