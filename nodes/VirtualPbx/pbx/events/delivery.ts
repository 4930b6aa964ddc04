import type { IDataObject } from 'n8n-workflow';
import { createHmac, timingSafeEqual } from 'node:crypto';

import { findFlaw, isObject, isStructure, parseStructure, asText } from '../../util/json';
import { loginIdOf } from '../credential';
import type { CredentialData } from '../types';
import { SAMPLE_FIELDS } from './table';

/** A delivery that doesn't start the workflow, and why. */
export interface DeliveryRejection {
	/** 200 if nothing is wrong with the delivery, 4xx if something is, 503 if a retry can succeed. */
	status: number;
	/** A sentence for readers of the PBX's log of delivery attempts. */
	reason: string;
}

export interface Body {
	/** Without a byte order mark. */
	text: string;
	/** As n8n parsed it; undefined if n8n doesn't know its content type. */
	parsed: unknown;
	/** Whether n8n parsed it as JSON. */
	isJson: boolean;
}

/**
 * Reads a delivery, before anything in it is trusted: one event (§6) as JSON or as a form, whatever its content type.
 * Anyone can send deliveries, so time and memory are linear in the body.
 */
export function readDelivery({
	text,
	parsed,
	isJson,
}: Body): { entry: IDataObject } | { rejection: DeliveryRejection } {
	const json = isJson && isStructure(parsed) ? parsed : parseStructure(text);
	const entry = json ?? formIn(text);
	if (!isObject(entry)) return refuse('The body is neither a JSON object nor form data');
	const flaw = findFlaw(entry);
	return flaw === undefined ? { entry } : refuse(flaw);
}

function refuse(reason: string): { rejection: DeliveryRejection } {
	return { rejection: { status: 400, reason } };
}

function formIn(text: string): IDataObject | undefined {
	return text.includes('=') ? unflatten(new URLSearchParams(text)) : undefined;
}

/**
 * Builds the object behind a form: `args[Call-ID]=1` is `{ args: { 'Call-ID': '1' } }`. If a name repeats, the last
 * counts.
 */
function unflatten(pairs: Iterable<readonly [string, unknown]>): IDataObject {
	const root: Record<string, unknown> = {};
	for (const [name, value] of pairs) put(root, pathOf(name), value);
	return root as IDataObject;
}

const MAX_PATH = 16;

function pathOf(name: string): string[] {
	const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
	if (!match) return [name];
	const path = [match[1] ?? ''];
	// Lazily, since a name can have thousands of brackets.
	for (const [, part = ''] of (match[2] ?? '').matchAll(/\[([^[\]]*)\]/g))
		if (path.push(part) === MAX_PATH) break;
	return path;
}

function put(root: Record<string, unknown>, path: string[], value: unknown): void {
	let place = root;
	path.forEach((part, index) => {
		if (index === path.length - 1) {
			setOwn(place, part, value);
			return;
		}
		const next = Object.hasOwn(place, part) ? place[part] : undefined;
		const child = isObject(next) ? (next as Record<string, unknown>) : {};
		setOwn(place, part, child);
		place = child;
	});
}

/** Sets an own field, even one named `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}

/** Fields beside an event's own, at a level where the PBX can also put custom data (§2.5). */
const ENVELOPE = [
	'name',
	'args',
	'data',
	'type',
	'action',
	'hook_event',
	'custom_data',
	'__proto__',
];

/** Keys of `Custom-Channel-Vars` (§6). In the flat form, some of them are fields. */
const VARIABLES = [
	'Account-Billing',
	'Account-ID',
	'Authorizing-ID',
	'Authorizing-Type',
	'Bridge-ID',
	'Callmgr-Node',
	'Channel-Authorized',
	'Fetch-ID',
	'Global-Resource',
	'Inception',
	'Originator-Type',
	'Owner-ID',
	'Realm',
	'Reseller-Billing',
	'Reseller-ID',
	'Username',
];

/** Fields that only the flat form has. */
const FLAT = [
	'call_forwarded',
	'custom_application_vars',
	'emergency_resource_used',
	'is_internal_leg',
	'local_resource_id',
	'local_resource_used',
];

/** Plain names by the two usual spellings, `Call-ID` and `call_id`, of every known field in or around an event. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map(
	[...ENVELOPE, ...VARIABLES, ...FLAT, ...SAMPLE_FIELDS].flatMap((name) => {
		const snakeCase = name.toLowerCase().replace(/-/g, '_');
		return [name, snakeCase].map((spelling) => [spelling, stripped(name)] as const);
	}),
);

const RESERVED = new Set(PLAIN_NAMES.values());

function stripped(name: string): string {
	return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** Returns the same text for all spellings of a name: `Call-ID`, `call_id`, and `callId`. */
export function plainName(name: string): string {
	return PLAIN_NAMES.get(name) ?? stripped(name);
}

/** Returns whether custom data under this name, or path of names, could overwrite a field of the event. */
export function isReservedName(name: string): boolean {
	const [first = ''] = name.split(/[[.]/, 1);
	return RESERVED.has(plainName(first)) || RESERVED.has(plainName(name));
}

/** An event's fields by plain name, whatever case and separators the platform uses. */
export type Fields = ReadonlyMap<string, unknown>;

/** Indexes an object's own fields by plain name. If a name has several spellings, the first counts. */
export function fieldsOf(source: object): Fields {
	const fields = new Map<string, unknown>();
	for (const name of Object.keys(source)) {
		const plain = plainName(name);
		if (!fields.has(plain)) fields.set(plain, (source as IDataObject)[name]);
	}
	return fields;
}

/** Returns a field as trimmed text; undefined if it's absent, empty, or neither text nor number. */
export function textField(fields: Fields, name: string): string | undefined {
	const value = fields.get(plainName(name));
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	return text === '' ? undefined : text;
}

/** Returns a field by its name as {@link textField} does. */
export type ReadText = (name: string) => string | undefined;

/** Creates a reader of fields that takes the first place with a text. */
export function textReader(first: Fields, second?: Fields): ReadText {
	return (name) => textField(first, name) ?? (second && textField(second, name));
}

/** Returns an object, or the object in a JSON text; undefined for anything else. */
export function objectOf(value: unknown): IDataObject | undefined {
	const object = typeof value === 'string' ? parseStructure(value) : value;
	return isObject(object) ? object : undefined;
}

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
