import type { IDataObject } from 'n8n-workflow';

import { isObject, isStructure, parseStructure } from '../values/json';

/** `Call-ID`, `call_id` and `callId` are one name. */
export function plainName(name: string): string {
	return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** Fields of an event by plain name, whatever the case and the separators the platform writes them with. */
export type Fields = ReadonlyMap<string, unknown>;

/** Indexes an object's own fields by plain name; of several spellings of one name the first counts. */
export function fieldsOf(source: object): Fields {
	const fields = new Map<string, unknown>();
	for (const [name, value] of Object.entries(source)) {
		const plain = plainName(name);
		if (!fields.has(plain)) fields.set(plain, value);
	}
	return fields;
}

/** A field as trimmed text; undefined when it is absent, empty, or no text or number. */
export function textField(fields: Fields, name: string): string | undefined {
	const value = fields.get(plainName(name));
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	return text === '' ? undefined : text;
}

/** A field as a number of seconds: §6 sends them as strings; undefined when it is none, or negative. */
export function secondsField(fields: Fields, name: string): number | undefined {
	const text = textField(fields, name);
	if (text === undefined) return undefined;
	const seconds = Number(text);
	return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** Builds the object that a form stands for: `args[Call-ID]=1` is `{ args: { 'Call-ID': '1' } }`; the last of a name counts. */
export function unflatten(pairs: Iterable<readonly [string, unknown]>): IDataObject {
	const root: Record<string, unknown> = {};
	for (const [name, value] of pairs) put(root, pathOf(name), value);
	return root as IDataObject;
}

/** Tells whether an object holds form names that are not taken apart yet. */
function isFlattened(value: object): boolean {
	return Object.keys(value).some((name) => /^[^[\]]+\[[^[\]]*\]/.test(name));
}

function pathOf(name: string): string[] {
	const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
	if (!match) return [name];
	const inner = [...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part ?? '');
	return [match[1] ?? '', ...inner].slice(0, 16);
}

function put(root: Record<string, unknown>, path: string[], value: unknown): void {
	let place = root;
	path.forEach((part, index) => {
		if (index === path.length - 1) {
			setOwn(place, part, value);
			return;
		}
		const next = Object.hasOwn(place, part) ? place[part] : undefined;
		const child =
			typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : {};
		setOwn(place, part, child);
		place = child;
	});
}

/** Sets an own field even where its name is `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}

/** Events are about 4 kB each. */
const MAX_BYTES = 1_048_576;
const MAX_DEPTH = 64;

/** A delivery that starts nothing, and why. */
export interface Rejection {
	/** 200 where there is nothing wrong with it, else below 500. */
	status: number;
	/** A sentence for whoever reads the PBX's log of delivery attempts. */
	reason: string;
}

/** The body of a delivery, as text and as n8n has parsed it. */
export interface Body {
	raw: string;
	parsed: unknown;
	isJson?: boolean;
}

/** The events of one delivery before they are looked at, or why there are none. */
export type Entries = { entries: unknown[] } | { refusal: Rejection };

/**
 * Takes a delivery apart into single events (§6), whatever its content type: JSON, form-encoded, JSON in a form or in text,
 * one event, several in an array, or in a `{ data }` envelope. With `isJson`, what n8n has parsed is all.
 */
export function readEntries({ raw, parsed, isJson = false }: Body): Entries {
	if (raw.length > MAX_BYTES) return reject(413, 'The delivery is larger than 1 MiB');
	const body = isJson && typeof parsed === 'object' && parsed ? parsed : decode(raw, parsed);
	if (body === undefined) return reject(400, 'The body is neither JSON nor form data');
	const flaw = findFlaw(body);
	if (flaw) return reject(400, flaw);

	const entries = unwrapped(body);
	return entries.length === 0 ? reject(400, 'The delivery contains no event') : { entries };
}

function reject(status: number, reason: string): Entries {
	return { refusal: { status, reason } };
}

function decode(raw: string, parsed: unknown): object | undefined {
	const fromText = parseStructure(raw);
	if (fromText !== undefined) return fromText;
	if (Array.isArray(parsed)) return parsed;
	if (isObject(parsed)) return Object.keys(parsed).length === 0 ? undefined : structured(parsed);
	return raw.includes('=') ? structured(Object.fromEntries(new URLSearchParams(raw))) : undefined;
}

function structured(body: object): object {
	return isFlattened(body) ? unflatten(Object.entries(body)) : body;
}

/** The objects that may be events: arrays taken apart, and the envelope `{ data }` opened, whose other fields go into the event. */
function unwrapped(body: unknown, depth = 0): unknown[] {
	if (Array.isArray(body))
		return depth === 0 ? body.flatMap((entry) => unwrapped(entry, 1)) : [body];
	if (!isObject(body) || depth > 1) return [body];
	const fields = fieldsOf(body);
	const isEvent = ['name', 'args', 'eventname', 'hookevent', 'callid'].some((name) =>
		fields.has(name),
	);
	const inner = typeof body.data === 'string' ? parseStructure(body.data) : body.data;
	if (isEvent || typeof inner !== 'object' || inner === null) return [body];
	const around = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'data'));
	return unwrapped(inner, Array.isArray(inner) ? 0 : depth + 1).map((entry) =>
		isObject(entry) ? { ...around, ...entry } : entry,
	);
}

/** Looks for what would harm whoever works with the data later; without recursion, so that no depth can break it. */
function findFlaw(body: object): string | undefined {
	let objects: object[] = [body];
	for (let depth = 0; objects.length > 0; depth++) {
		if (depth > MAX_DEPTH) return `The delivery is nested deeper than ${MAX_DEPTH} levels`;
		if (objects.some((one) => Object.hasOwn(one, '__proto__')))
			return 'The delivery contains the reserved key __proto__';
		objects = objects.flatMap((one) => Object.values(one) as unknown[]).filter(isStructure);
	}
	return undefined;
}
