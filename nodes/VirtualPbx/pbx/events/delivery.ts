import type { IDataObject } from 'n8n-workflow';

import { isObject, isStructure, parseStructure } from '../../util/json';
import { fieldsOf } from './fields';
import { isFlattened, unflatten } from './form';
import { TAG_NAME, tagTextsIn } from './webhookTag';

/** Events are about 4 kB each. */
const MAX_BYTES = 1_048_576;
const MAX_DEPTH = 64;
const MAX_EVENTS = 100;
/** Enough for `{ data }` in a list in `{ data }`, and one more. */
const MAX_ENVELOPES = 3;
/** Limits for an envelope's fields, which are copied into each of several events. Few platforms send any. */
const MAX_ENVELOPE_FIELDS = 100;
const MAX_ENVELOPE_LENGTH = 16_384;

/** A delivery that doesn't start the workflow, and why. */
export interface DeliveryRejection {
	/** 200 if nothing is wrong with the delivery, 4xx if something is, 503 if a retry can succeed. */
	status: number;
	/** A sentence for readers of the PBX's log of delivery attempts. */
	reason: string;
}

/** A delivery's body, as text and as parsed by n8n. */
export interface Body {
	raw: string;
	parsed: unknown;
	isJson?: boolean;
}

/** A part of a delivery that might be an event. */
export interface Part {
	entry: unknown;
	/** The envelopes that it was in, without their `data`, outermost first; shared by all parts in them. */
	envelopes: readonly IDataObject[];
}

/** A delivery split into parts, before anything in it is trusted. */
export interface Delivery {
	/** At most one more than the limit. An unreadable body is a part itself; an oversized one yields its tags. */
	parts: Part[];
	/** Why the delivery can't be accepted, regardless of its sender. */
	rejection?: DeliveryRejection;
}

/**
 * Splits a delivery into single events (§6), whatever its content type: JSON, form-encoded, JSON in a form or in
 * text, one event, several in an array, or in a `{ data }` envelope. With `isJson`, n8n's parsed body is complete.
 * Anyone can send deliveries, so time and memory are linear in the body.
 */
export function readDelivery({ raw, parsed, isJson = false }: Body): Delivery {
	if (raw.length > MAX_BYTES) {
		// Searches the raw text: walking through n8n's parsed body would take as long as parsing it.
		const parts = tagTextsIn(raw).map((text) => ({ entry: { [TAG_NAME]: text }, envelopes: [] }));
		return { parts, rejection: { status: 413, reason: 'The delivery is larger than 1 MiB' } };
	}
	const given = isJson && isStructure(parsed) ? parsed : undefined;
	const body = given ?? decode(raw, parsed);
	if (body === undefined) {
		const rejection = { status: 400, reason: 'The body is neither JSON nor form data' };
		return { parts: [{ entry: parsed, envelopes: [] }], rejection };
	}
	const parts: Part[] = [];
	for (const part of partsOf(body)) if (parts.push(part) > MAX_EVENTS) break;
	const rejection = rejectionOf(body, parts);
	return rejection ? { parts, rejection } : { parts };
}

/** Returns a part's possible event, with the fields of its envelopes that it doesn't have itself. */
export function entryOf({ entry, envelopes }: Part): unknown {
	if (!isObject(entry)) return entry;
	return envelopes.reduceRight((inner, outer) => ({ ...outer, ...inner }), entry);
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

/** Yields possible events: the entries of arrays, and the content of `{ data }` envelopes. */
function* partsOf(
	body: unknown,
	envelopes: readonly IDataObject[] = [],
	isInList = false,
): Iterable<Part> {
	if (Array.isArray(body) && !isInList) {
		for (const entry of body) yield* partsOf(entry, envelopes, true);
		return;
	}
	const inner = isObject(body) && envelopes.length < MAX_ENVELOPES ? contentOf(body) : undefined;
	if (inner === undefined) yield { entry: body, envelopes };
	else {
		const fields = Object.fromEntries(Object.entries(body as IDataObject).filter(isBeside));
		yield* partsOf(inner, [...envelopes, fields]);
	}
}

const isBeside = ([name]: readonly [string, unknown]) => name !== 'data';

/** Plain names of fields that an event has, but no envelope. */
const EVENT_FIELDS = ['name', 'args', 'eventname', 'hookevent', 'callid'];

/** Returns the content of a `{ data }` envelope; undefined for an event and for anything else. */
function contentOf(body: IDataObject): object | undefined {
	const inner = typeof body.data === 'string' ? parseStructure(body.data) : body.data;
	if (!isStructure(inner)) return undefined;
	const fields = fieldsOf(body);
	return EVENT_FIELDS.some((name) => fields.has(name)) ? undefined : inner;
}

function rejectionOf(body: object, parts: readonly Part[]): DeliveryRejection | undefined {
	const flaw = findFlaw(body);
	if (flaw !== undefined) return { status: 400, reason: flaw };
	if (parts.length === 0) return { status: 400, reason: 'The delivery contains no event' };
	if (parts.length > MAX_EVENTS)
		return { status: 413, reason: `The delivery contains more than ${MAX_EVENTS} events` };
	const envelopes = parts.length > 1 ? new Set(parts.flatMap((part) => part.envelopes)) : [];
	return [...envelopes].some(isLargeEnvelope)
		? { status: 413, reason: 'Several events share an envelope of more than 100 fields or 16 KiB' }
		: undefined;
}

function isLargeEnvelope(fields: IDataObject): boolean {
	const isMany = Object.keys(fields).length > MAX_ENVELOPE_FIELDS;
	return isMany || JSON.stringify(fields).length > MAX_ENVELOPE_LENGTH;
}

/** Finds content that would break other code later. Not recursive, so that no depth can overflow the stack. */
function findFlaw(body: object): string | undefined {
	let level: object[] = [body];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_DEPTH) return `The delivery is nested deeper than ${MAX_DEPTH} levels`;
		if (level.some((one) => Object.hasOwn(one, '__proto__')))
			return 'The delivery contains the reserved key __proto__';
		level = level.flatMap((one) => Object.values(one).filter(isStructure));
	}
	return undefined;
}
