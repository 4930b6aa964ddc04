import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';
import { jsonParse, NodeOperationError } from 'n8n-workflow';

import { isObject } from '../util/json';

/** Where a parameter is read: the node's context and the item. */
export interface ItemContext {
	context: IExecuteFunctions;
	itemIndex: number;
}

/** Reads a parameter of the item as it stands; with a default, since n8n leaves defaults out of saved workflows. */
export function readParameter(at: ItemContext, name: string, byDefault: unknown): unknown {
	return at.context.getNodeParameter(name, at.itemIndex, byDefault as object);
}

/** How a parameter of each of many items is read: without n8n's own check, which goes through all fields, for nothing. */
export const AS_IT_STANDS = { skipValidation: true };

/** Where a value is read: the node and, in an operation, the item. */
export interface Place {
	context: { getNode(): INode };
	itemIndex?: number;
}

/** Makes the error for a value that cannot be used: which one, as the node shows it, and what is wrong; then what to do. */
export function refusal(
	{ context, itemIndex }: Place,
	message: string,
	description: string,
): NodeOperationError {
	const item = itemIndex === undefined ? {} : { itemIndex };
	return new NodeOperationError(context.getNode(), message, { ...item, description });
}

/** Reads a text or number that is not empty, trimmed; throws NodeOperationError that names the field. */
export function readText(
	at: ItemContext,
	value: unknown,
	label: string,
	hint = `Fill in ${label}.`,
): string {
	const text = asEntry(value);
	if (text) return text;
	throw refusal(at, `${label} is ${text === '' ? 'empty' : 'not text or a number'}`, hint);
}

/** Reads a text that may be left empty, trimmed; undefined then. Throws NodeOperationError that names the field for what is no text. */
export function readOptionalText(place: Place, value: unknown, label: string): string | undefined {
	const text = asEntry(value);
	if (text !== undefined) return text || undefined;
	throw refusal(place, `${label} is not text or a number`, `Correct ${label}, or leave it empty.`);
}

/**
 * Reads a switch that an expression may also set as text or number; throws NodeOperationError that names the field for
 * anything that is neither on nor off, such as a value that an expression didn't find.
 */
export function readSwitch(at: ItemContext, value: unknown, label: string): boolean {
	const text = asEntry(typeof value === 'boolean' ? String(value) : value)?.toLowerCase();
	if (text === 'true' || text === '1') return true;
	if (text === 'false' || text === '0') return false;
	throw refusal(
		at,
		text === '' ? `${label} is empty` : `${label} must be true or false`,
		`Turn ${label} on or off, or remove the field to keep the current value.`,
	);
}

/** Reads an entry of a Filters collection, undefined if not added; an empty one is refused, or everything would be given. */
export function readFilter(
	at: ItemContext,
	filters: IDataObject,
	name: string,
	label: string,
): string | undefined {
	return name in filters ? readText(at, filters[name], label, EMPTY_FILTER) : undefined;
}

/** What a number must be; the bounds belong to it. */
interface NumberRule {
	least: number;
	most?: number;
	isWhole?: boolean;
	remedy?: string;
}

/** Reads a number, or the text of one; throws NodeOperationError that names the field and its bounds. */
export function readNumber(
	place: Place,
	value: unknown,
	label: string,
	{
		least,
		most = Infinity,
		isWhole = false,
		remedy = `Correct ${label} in this node.`,
	}: NumberRule,
): number {
	const number = numberIn(value);
	const isInside = Number.isFinite(number) && number >= least && number <= most;
	if (isInside && (Number.isInteger(number) || !isWhole)) return number;
	const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
	throw refusal(place, `${label} must be a ${isWhole ? 'whole ' : ''}number ${range}`, remedy);
}

function numberIn(value: unknown): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	return isText || typeof value === 'number' ? Number(value) : Number.NaN;
}

/** The entries of a list that an expression may also give as text with commas. */
export function listOf(value: unknown): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(',');
	return entries.map((entry) => String(entry ?? '').trim()).filter(Boolean);
}

/** What to do about a filter that is added, but empty. */
export const EMPTY_FILTER = 'Remove the filter, or enter a value.';

/**
 * Reads a list of texts without doubles: an array, a JSON array as text, or text with a separator, also one at its end.
 * Throws NodeOperationError when an entry is empty, or no text or number.
 */
export function readTextList(
	at: ItemContext,
	value: unknown,
	label: string,
	separator: RegExp,
): string[] {
	const list = typeof value === 'string' ? split(value, separator) : [value].flat();
	const entries = list.map(asEntry);
	if (entries.every(Boolean)) return [...new Set(entries as string[])];
	throw refusal(
		at,
		`${label} contains an ${entries.includes(undefined) ? 'entry that is not text or a number' : 'empty entry'}`,
		`Fill it in or remove it. For an empty list, use the expression {{ [] }}.`,
	);
}

function split(text: string, separator: RegExp): unknown[] {
	const trimmed = text.trim();
	if (/^\[\s*(".*")?\s*\]$/s.test(trimmed))
		return jsonParse<unknown[]>(trimmed, { fallbackValue: [trimmed] });
	const entries = trimmed.split(separator);
	return entries.length > 1 && entries.at(-1)?.trim() === '' ? entries.slice(0, -1) : entries;
}

/** A text or number as text, trimmed, and nothing as an empty one; undefined for anything else. */
function asEntry(entry: unknown): string | undefined {
	return ['string', 'number'].includes(typeof (entry ?? ''))
		? String(entry ?? '').trim()
		: undefined;
}

/** Reads a JSON field: text, or an object from an expression. Throws NodeOperationError when it is no JSON object. */
export function readJsonObject(place: Place, value: unknown, label: string): IDataObject {
	const parsed = typeof value === 'string' ? parse(value) : value;
	if (isObject(parsed) && !(parsed instanceof Error)) return parsed;
	const fault =
		parsed instanceof Error ? `is not valid JSON: ${parsed.message}` : 'must be a JSON object';
	throw refusal(
		place,
		`${label} ${fault}`,
		`Enter an object in braces, such as {"name": "value"}, or an expression that returns one.`,
	);
}

/**
 * Reads custom data of a webhook (§2.5). Real platforms take only texts as values, so numbers and booleans become texts;
 * objects and lists stay, since the contract allows them: the PBX judges. Throws NodeOperationError when it's no object.
 */
export function readCustomData(place: Place, value: unknown): IDataObject {
	const data = readJsonObject(place, value, 'Custom Data (JSON)');
	const asSent = Object.entries(data).map(([name, one]) => [
		name,
		['number', 'boolean'].includes(typeof one) ? String(one) : one,
	]);
	return Object.fromEntries(asSent) as IDataObject;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		return error;
	}
}

/** Reads the fields that the user named, as they stand: those of a collection, and filled-in ones at the top level. */
export function readFields(
	at: ItemContext,
	collection: string,
	topLevel: readonly string[] = [],
): IDataObject {
	const added = readParameter(at, collection, {});
	const filledIn = topLevel
		.map((name) => [name, readParameter(at, name, '')] as const)
		.filter(([, value]) => value !== '');
	return { ...(isObject(added) ? added : {}), ...Object.fromEntries(filledIn) } as IDataObject;
}
