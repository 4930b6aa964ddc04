import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INode,
	INodeProperties,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { jsonParse, NodeOperationError } from 'n8n-workflow';

import { compareTexts, isObject, isOn } from '../util/json';

/** Where a value is read: the node and, in an operation, the item. */
export interface Place {
	context: { getNode(): INode };
	itemIndex?: number | undefined;
}

/** Where parameters are read: a node, one of its items, or a collection of either. */
export interface Scope extends Place {
	/** Returns a value with its expressions evaluated, or the default if unset. */
	get(name: string, byDefault: unknown): unknown;
}

/** One item of the action node. */
export interface ItemScope extends Scope {
	context: IExecuteFunctions;
	itemIndex: number;
}

/** The values that the user added to a collection. */
export interface AddedValues extends Scope {
	values: IDataObject;
}

/** Skips n8n's own validation, which needlessly searches all properties. */
const AS_IT_STANDS = { skipValidation: true };

export function itemScope(context: IExecuteFunctions, itemIndex: number): ItemScope {
	const get: Scope['get'] = (name, byDefault) =>
		context.getNodeParameter(name, itemIndex, byDefault as object, AS_IT_STANDS);
	return { context, itemIndex, get };
}

export function triggerScope(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): Scope {
	const get: Scope['get'] = (name, byDefault) =>
		(context as IHookFunctions).getNodeParameter(name, byDefault as object, AS_IT_STANDS);
	return { context, get };
}

/** Returns the scope of a collection. Null, such as from an expression without a result, counts as not added. */
export function addedIn(scope: Scope, collection: string): AddedValues {
	const values = scope.get(collection, {});
	return addedValues(scope, isObject(values) ? values : {});
}

/** Returns the scope of values that were already read. */
export function addedValues({ context, itemIndex }: Place, values: IDataObject): AddedValues {
	return { context, itemIndex, values, get: (name, byDefault) => values[name] ?? byDefault };
}

/** Creates the error for an invalid value: which parameter, as the node shows it, why, and what to do. */
export function parameterError(
	{ context, itemIndex }: Place,
	message: string,
	description: string,
): NodeOperationError {
	const item = itemIndex === undefined ? {} : { itemIndex };
	return new NodeOperationError(context.getNode(), message, { ...item, description });
}

/** One parameter: how the editor shows it, and how its value is read. */
export class Parameter<T = unknown> {
	/**
	 * `convert` throws a NodeOperationError that names the parameter. `isOpen`: an expression can return a choice that
	 * isn't listed, since the contract leaves them open (§2.2, §6).
	 */
	constructor(
		readonly property: INodeProperties,
		private readonly convert: (value: unknown, place: Place) => T,
		private readonly isOpen = false,
	) {}

	/** Reads the value, or the default if unset. Throws NodeOperationError, as the other readers do. */
	read(scope: Scope): T {
		const { name, default: byDefault } = this.property;
		return this.readValue(scope.get(name, byDefault), scope);
	}

	/** Reads the value if the user added it, even if its expression returns nothing. */
	readIfAdded(added: AddedValues): T | undefined {
		const { name } = this.property;
		return name in added.values ? this.readValue(added.values[name], added) : undefined;
	}

	/** Reads the value if the user added it and its expression doesn't return undefined. */
	readIfSet(added: AddedValues): T | undefined {
		return added.values[this.property.name] === undefined ? undefined : this.readIfAdded(added);
	}

	with(changes: Partial<INodeProperties>): Parameter<T> {
		return new Parameter({ ...this.property, ...changes }, this.convert, this.isOpen);
	}

	map<U>(convert: (value: T, place: Place) => U): Parameter<U> {
		const all = (value: unknown, place: Place) => convert(this.convert(value, place), place);
		return new Parameter(this.property, all, this.isOpen);
	}

	private readValue(value: unknown, place: Place): T {
		if (!this.isOpen) assertChoice(place, this.property, value);
		return this.convert(value, place);
	}
}

/** Throws NodeOperationError, listing the choices, if a value, or an entry of a list, isn't one of them. */
function assertChoice(place: Place, property: INodeProperties, value: unknown): void {
	const { type, options = [], displayName, required } = property;
	if (type !== 'options' && type !== 'multiOptions') return;
	if (value === undefined || (required === true && value === '')) return;
	const choices: unknown[] = options.flatMap((option) => ('value' in option ? [option.value] : []));
	const given = type === 'multiOptions' ? listOf(value) : [value];
	const wrong = given.find((one) => !choices.includes(one));
	if (wrong === undefined) return;
	throw parameterError(
		place,
		`"${typeof wrong === 'string' ? wrong : JSON.stringify(wrong)}" isn't a valid value for '${displayName}'`,
		`Use ${type === 'options' ? 'one' : 'one or more'} of ${choices.join(', ')}.`,
	);
}

/** Several parameters read as one value. */
export interface ParameterGroup<T> {
	parameters: readonly Parameter[];
	read(scope: ItemScope): T;
}

export function propertiesOf(parameters: readonly Parameter[]): INodeProperties[] {
	return parameters.map(({ property }) => property);
}

/** Names of the collections that several nodes share: label, name, and what their button adds. */
export const ADDITIONAL_FIELDS = ['Additional Fields', 'additionalFields', 'Field'] as const;
export const FILTERS = ['Filters', 'filters', 'Filter'] as const;
export const UPDATE_FIELDS = ['Update Fields', 'updateFields', 'Field'] as const;
export const OPTIONS = ['Options', 'options', 'Option'] as const;
export const DELIVERY_OPTIONS = ['Delivery Options', 'deliveryOptions', 'Option'] as const;

/** Defines a collection with its parameters sorted by name. Reading drops values that it doesn't offer. */
export function defineCollection(
	[displayName, name, one]: readonly [displayName: string, name: string, one: string],
	parameters: readonly Parameter[],
): Parameter<AddedValues> {
	const members = [...parameters].sort((a, b) =>
		compareTexts(a.property.displayName, b.property.displayName),
	);
	const options = propertiesOf(members);
	const offered = new Set(options.map((option) => option.name));
	return new Parameter<AddedValues>(
		{ displayName, name, type: 'collection', placeholder: `Add ${one}`, default: {}, options },
		(value, place) => {
			const values = Object.entries(isObject(value) ? value : {});
			return addedValues(place, Object.fromEntries(values.filter(([key]) => offered.has(key))));
		},
	);
}

/**
 * Returns the expression for a node's subtitle on the canvas: the display names of the values that an expression
 * returns.
 */
export function subtitleOf(names: Readonly<Record<string, string>>, chosen: string): string {
	return `={{ [${chosen}].flat().map((one) => (${JSON.stringify(names)})[one] ?? one).join(", ") }}`;
}

/** Returns the entries of a list that an expression can return as comma-separated text. */
function listOf(value: unknown): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(',');
	return entries.map((entry) => String(entry ?? '').trim()).filter(Boolean);
}

export const EMPTY_FILTER = 'Remove the filter, or enter a value.';

/** A parameter as the editor shows it, with its error texts. */
interface Definition extends INodeProperties {
	remedy?: string;
	/** Whether an expression can return a choice that isn't listed. */
	isOpen?: boolean;
}

/** Defines a required text, a number as text, or a choice that can be open. Read trimmed. */
export function defineText({ remedy, isOpen, ...property }: Definition): Parameter<string> {
	const { displayName: label } = property;
	return new Parameter(
		property,
		(value, place) => {
			const text = trimmed(value);
			if (text) return text;
			throw parameterError(
				place,
				text === '' ? `'${label}' is empty` : `'${label}' must be text or a number`,
				remedy ?? `Fill in '${label}'.`,
			);
		},
		isOpen,
	);
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

export function defineOptions<T extends string>(property: INodeProperties): Parameter<T> {
	return new Parameter(property, (value) => value as T);
}

/** Defines a list of choices. An expression can return it as comma-separated text. */
export function defineMultiOptions<T extends string>({
	isOpen,
	...property
}: Definition): Parameter<T[]> {
	return new Parameter(property, (value) => listOf(value) as T[], isOpen);
}

/** Defines a switch, which an expression can set as text or number. Anything else means off. */
export function defineBoolean(property: INodeProperties): Parameter<boolean> {
	return new Parameter(property, isOn);
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
