import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { account } from './account';
import { call } from './call';
import { callflow } from './callflow';
import { cdr } from './cdr';
import type { Operation, Resource } from './contract';
import { recording } from './recording';
import { routing } from './routing';
import { webhook } from './webhook';

/** What the action node offers, in display order. Properties, dispatch and docs are all derived from it. */
export const RESOURCES: readonly Resource[] = [
	account,
	call,
	cdr,
	callflow,
	recording,
	routing,
	webhook,
];

/** The resource of a fresh node. n8n leaves defaults out of saved workflows, so it must stay. */
export const DEFAULT_RESOURCE = 'call';

/** Derives the action node's inputs from the registry: the selectors, and every operation's fields where they belong. */
export function buildProperties(resources: readonly Resource[]): INodeProperties[] {
	return [
		resourceSelector(resources),
		...resources.map(operationSelector),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((operation) => scopedFields(resource, operation)),
		),
	];
}

function resourceSelector(resources: readonly Resource[]): INodeProperties {
	const options: INodePropertyOptions[] = resources.map(({ value, name, description }) => ({
		value,
		name,
		description,
	}));
	const selector: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options,
		default: '',
	};
	return { ...selector, default: DEFAULT_RESOURCE };
}

function operationSelector(resource: Resource): INodeProperties {
	const selector: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options: resource.operations.map(({ value, name, action, description, hint }) => ({
			value,
			name,
			action,
			description,
			...(hint !== undefined && { builderHint: { propertyHint: hint } }),
		})),
		default: '',
	};
	return { ...selector, default: resource.defaultOperation };
}

function scopedFields(resource: Resource, operation: Operation): INodeProperties[] {
	return operation.fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			// These first: at the first choice that comes from an expression n8n looks no further, and shows the field.
			show: {
				resource: [resource.value],
				operation: [operation.value],
				...field.displayOptions?.show,
			},
		},
	}));
}
