import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INode,
	INodeProperties,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { compareTexts, isObject } from '../util/json';

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

/**
 * Returns a node's parameters as JSON, to detect changes; undefined if an expression can return a different value each
 * time.
 */
export function fixedParameters({ parameters }: INode): string | undefined {
	const text = JSON.stringify(parameters);
	return text.includes('"=') ? undefined : text;
}

/** Returns where an operation reads its parameters for one item. */
export function itemScope(context: IExecuteFunctions, itemIndex: number): ItemScope {
	const get: Scope['get'] = (name, byDefault) =>
		context.getNodeParameter(name, itemIndex, byDefault as object, AS_IT_STANDS);
	return { context, itemIndex, get };
}

/** Returns where a trigger reads its parameters. */
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

/** Adds non-empty parameters outside a collection to its values. */
export function withFilledIn(
	{ values, ...place }: AddedValues,
	scope: Scope,
	parameters: readonly Parameter[],
): AddedValues {
	const filledIn = parameters
		.map(({ property: { name } }) => [name, scope.get(name, '')] as const)
		.filter(([, value]) => value !== '');
	return addedValues(place, { ...values, ...Object.fromEntries(filledIn) } as IDataObject);
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

/** How to check a parameter's choices. */
interface Choices {
	/** Whether an expression can return unlisted values, since the contract leaves them open (§2.2, §6). */
	isOpen?: boolean;
	/** The parameters of a collection. */
	members?: readonly Parameter[];
}

/** One parameter: how the editor shows it, and how its value is read. */
export class Parameter<T = unknown> {
	/** `convert` throws a NodeOperationError that names the parameter. */
	constructor(
		readonly property: INodeProperties,
		readonly convert: (value: unknown, place: Place) => T,
		readonly choices: Choices = {},
	) {}

	/** Reads the value, or the default if unset. */
	read(scope: Scope): T {
		const { name, default: byDefault } = this.property;
		return this.convert(scope.get(name, byDefault), scope);
	}

	/** Reads the value if the user added it, even if its expression returns nothing. */
	readIfAdded(added: AddedValues): T | undefined {
		const { name } = this.property;
		return name in added.values ? this.convert(added.values[name], added) : undefined;
	}

	/** Reads the value if the user added it and its expression doesn't return undefined. */
	readIfSet(added: AddedValues): T | undefined {
		return added.values[this.property.name] === undefined ? undefined : this.readIfAdded(added);
	}

	/** Returns a copy with changed properties. */
	with(changes: Partial<INodeProperties>): Parameter<T> {
		return new Parameter({ ...this.property, ...changes }, this.convert, this.choices);
	}

	/** Returns a copy that converts the value further. */
	map<U>(convert: (value: T, place: Place) => U): Parameter<U> {
		return new Parameter(
			this.property,
			(value, place) => convert(this.convert(value, place), place),
			this.choices,
		);
	}
}

/** Several parameters read as one value. */
export interface ParameterGroup<T> {
	parameters: readonly Parameter[];
	read(scope: ItemScope): T;
}

/** Returns the properties for a node's description. */
export function propertiesOf(parameters: readonly Parameter[]): INodeProperties[] {
	return parameters.map(({ property }) => property);
}

/** Names of the collections that several nodes share: label, name, and what their button adds. */
export const ADDITIONAL_FIELDS = ['Additional Fields', 'additionalFields', 'Field'] as const;
export const FILTERS = ['Filters', 'filters', 'Filter'] as const;
export const UPDATE_FIELDS = ['Update Fields', 'updateFields', 'Field'] as const;
export const OPTIONS = ['Options', 'options', 'Option'] as const;

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
		{ members },
	);
}
