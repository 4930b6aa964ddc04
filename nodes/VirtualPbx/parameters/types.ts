import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { asText, isObject, isOn, isPathSegment } from '../util/json';
import type { Place } from './parameter';
import { Parameter, parameterError } from './parameter';

/** The remedy for a filter that is added, but empty. */
export const EMPTY_FILTER = 'Remove the filter, or enter a value.';

/** A parameter as the editor shows it, with its error texts. */
interface Definition extends INodeProperties {
	/** How to fix an invalid value. */
	remedy?: string;
}

/** Defines a required text, or a number as text. Read trimmed. */
export function defineText({ remedy, ...property }: Definition): Parameter<string> {
	const { displayName: label } = property;
	return new Parameter(property, (value, place) => {
		const text = trimmed(value);
		if (text) return text;
		throw parameterError(
			place,
			text === '' ? `'${label}' is empty` : `'${label}' must be text or a number`,
			remedy ?? `Fill in '${label}'.`,
		);
	});
}

/** Defines an optional text. Empty is read as undefined. */
export function defineOptionalText(property: INodeProperties): Parameter<string | undefined> {
	const { displayName: label } = property;
	return new Parameter(property, (value, place) => {
		const text = trimmed(value);
		if (text !== undefined) return text || undefined;
		const hint = `Correct '${label}', or leave it empty.`;
		throw parameterError(place, `'${label}' must be text or a number`, hint);
	});
}

/** Defines a parameter that is validated where it is used, or only displayed. */
export function defineRaw(property: INodeProperties): Parameter {
	return new Parameter(property, (value) => value);
}

/** Defines a choice. {@link assertChoices} checks the value. */
export function defineOptions<T extends string>(property: INodeProperties): Parameter<T> {
	return new Parameter(property, (value) => value as T);
}

/** Defines a choice for which an expression can return an unlisted text. */
export function defineOpenOptions(property: INodeProperties): Parameter<string> {
	const { convert } = defineText(property);
	return new Parameter(property, convert, { isOpen: true });
}

/** Defines a list of choices. An expression can return it as comma-separated text. */
export function defineMultiOptions<T extends string>({
	isOpen = false,
	...property
}: INodeProperties & { isOpen?: boolean }): Parameter<T[]> {
	return new Parameter(property, (value) => listOf(value) as T[], { isOpen });
}

/** Defines a switch, which an expression can set as text or number. Anything else means off. */
export function defineBoolean(property: INodeProperties): Parameter<boolean> {
	return new Parameter(property, isOn);
}

/** Defines a switch that throws for an expression without a result, rather than reading it as off. */
export function defineStrictBoolean(property: INodeProperties): Parameter<boolean> {
	const { displayName: label } = property;
	return new Parameter(property, (value, place) => {
		const text = trimmed(typeof value === 'boolean' ? String(value) : value)?.toLowerCase();
		if (text === 'true' || text === '1') return true;
		if (text === 'false' || text === '0') return false;
		throw parameterError(
			place,
			text === '' ? `'${label}' is empty` : `'${label}' must be true or false`,
			`Turn '${label}' on or off, or remove the field to keep the current value.`,
		);
	});
}

/** Constraints of a number besides the bounds that the editor shows. */
export interface NumberDefinition extends Definition {
	/** The hard upper bound, if the editor's is only a suggestion. */
	most?: number;
	isWhole?: boolean;
}

/** Defines a number, including as text, within the bounds that the editor shows. */
export function defineNumber(definition: NumberDefinition): Parameter<number> {
	const { remedy, most: given, isWhole = false, ...property } = definition;
	const { minValue: least = 0, maxValue = Infinity } = property.typeOptions ?? {};
	const most = given ?? maxValue;
	const { displayName: label } = property;
	const hint = remedy ?? `Correct '${label}' in this node.`;
	return new Parameter(property, (value, place) => {
		const number = numberIn(value);
		const isInside = Number.isFinite(number) && number >= least && number <= most;
		if (isInside && (Number.isInteger(number) || !isWhole)) return number;
		const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
		const kind = isWhole ? 'whole number' : 'number';
		throw parameterError(place, `'${label}' must be a ${kind} ${range}`, hint);
	});
}

/**
 * Defines a list of texts, read without duplicates: an array, a JSON array as text, or separated text, which can end
 * with a separator. Entries must not be empty; the whole text can be, if that means an empty list.
 */
export function defineTextList({
	separator,
	canBeEmpty = false,
	...property
}: INodeProperties & { separator: RegExp; canBeEmpty?: boolean }): Parameter<string[]> {
	return new Parameter(property, (value, place) => {
		if (canBeEmpty && value === '') return [];
		const list = typeof value === 'string' ? split(value, separator) : [value].flat();
		const entries = list.map(trimmed);
		if (entries.every(Boolean)) return [...new Set(entries as string[])];
		const wrong = entries.includes(undefined) ? "entry that isn't text or a number" : 'empty entry';
		throw parameterError(
			place,
			`'${property.displayName}' contains an ${wrong}`,
			`Fill it in or remove it. For an empty list, use the expression {{ [] }}.`,
		);
	});
}

/** Defines a JSON object, as text or as an object from an expression. */
export function defineJson(property: INodeProperties): Parameter<IDataObject> {
	return new Parameter(property, (value, place) => jsonObject(place, value, property.displayName));
}

/** Defines the choice of a PBX object, from a searchable list (see methods/listSearch) or by ID. */
export function defineLocator(
	displayName: string,
	name: string,
	searchListMethod: string,
	hint = 'Choose one from the list, or enter its ID. If you use an expression, check what it returns for this item.',
): Parameter<string> {
	const list = { searchListMethod, searchable: true };
	const property: INodeProperties = {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: `${displayName} to work with`,
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', typeOptions: list },
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 6a1f9c0e2b7d4835a4c1e0f9d8b7a653',
			},
		],
	};
	return new Parameter(property, (value, place) => {
		const id = asText(isObject(value) ? value.value : value)?.trim() ?? '';
		if (id !== '') return readId(displayName, id, place);
		throw parameterError(place, `'${displayName}' is empty`, hint);
	});
}

/** Reads an ID that becomes part of a path. Throws NodeOperationError naming the parameter if it can't be one. */
export function readId(displayName: string, id: string, place: Place): string {
	if (isPathSegment(id)) return id;
	throw parameterError(
		place,
		`'${displayName}' isn't an ID: ${id.slice(0, 100)}`,
		"An ID can't be '..', and has no slashes, braces, percent signs, or control characters. If you use an expression, check what it returns for this item.",
	);
}

/** Returns the entries of a list that an expression can return as comma-separated text. */
export function listOf(value: unknown): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(',');
	return entries.map((entry) => String(entry ?? '').trim()).filter(Boolean);
}

/** Returns a text or number as trimmed text, and a missing value as empty text; undefined for anything else. */
function trimmed(entry: unknown): string | undefined {
	return ['string', 'number'].includes(typeof (entry ?? ''))
		? String(entry ?? '').trim()
		: undefined;
}

function numberIn(value: unknown): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	return isText || typeof value === 'number' ? Number(value) : Number.NaN;
}

function split(text: string, separator: RegExp): unknown[] {
	const whole = text.trim();
	if (/^\[\s*(".*")?\s*\]$/s.test(whole))
		return jsonParse<unknown[]>(whole, { fallbackValue: [whole] });
	const entries = whole.split(separator);
	return entries.length > 1 && entries.at(-1)?.trim() === '' ? entries.slice(0, -1) : entries;
}

function jsonObject(place: Place, value: unknown, label: string): IDataObject {
	const parsed = typeof value === 'string' ? parse(value) : value;
	if (isObject(parsed) && !(parsed instanceof Error)) return parsed;
	const fault =
		parsed instanceof Error ? `isn't valid JSON: ${parsed.message}` : 'must be a JSON object';
	throw parameterError(
		place,
		`'${label}' ${fault}`,
		`Enter an object in braces, such as {"name": "value"}, or an expression that returns one.`,
	);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		return error;
	}
}
