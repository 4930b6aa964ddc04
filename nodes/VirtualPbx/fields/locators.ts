import type { INodeProperties } from 'n8n-workflow';

import { asText, isObject } from '../values/json';
import type { ItemContext } from './inputs';
import { AS_IT_STANDS, refusal } from './inputs';

/** What tells one resource locator from another. */
export interface LocatorKind {
	displayName: string;
	/** Parameter name, stored in workflows. */
	name: string;
	description: string;
	/** Name of the list search, see operations/listSearch. */
	search: string;
}

/** A field to choose one object of the PBX: from a list with search, or by its ID. */
function locatorField(kind: LocatorKind): INodeProperties {
	return {
		displayName: kind.displayName,
		name: kind.name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: kind.description,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: kind.search, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 6a1f9c0e2b7d4835a4c1e0f9d8b7a653',
			},
		],
	};
}

/** Reads the ID of a resource locator, trimmed; throws NodeOperationError when it is empty. */
function readLocator(at: ItemContext, kind: LocatorKind): string {
	const value: unknown = at.context.getNodeParameter(kind.name, at.itemIndex, '', AS_IT_STANDS);
	const id = asText(isObject(value) ? value.value : value)?.trim() ?? '';
	if (id !== '') return id;
	throw refusal(
		at,
		`${kind.displayName} is empty`,
		`Choose one from the list, or enter its ID. If it comes from an expression, check what the expression returns for this item.`,
	);
}

const CALLFLOW: LocatorKind = {
	displayName: 'Callflow',
	name: 'callflowId',
	description: 'Callflow to work with',
	search: 'searchCallflows',
};

/** The callflow to work with: from the list, or by ID (§2.2). */
export const callflowLocator = locatorField(CALLFLOW);

/** Reads the callflow's ID; throws NodeOperationError when it is empty. */
export function readCallflowId(at: ItemContext): string {
	return readLocator(at, CALLFLOW);
}

const WEBHOOK: LocatorKind = {
	displayName: 'Webhook',
	name: 'webhookId',
	description: 'Webhook to work with',
	search: 'searchWebhooks',
};

/** The webhook to work with: from the list, or by ID (§2.5). */
export const webhookLocator = locatorField(WEBHOOK);

/** Reads the webhook's ID; throws NodeOperationError when it is empty. */
export function readWebhookId(at: ItemContext): string {
	return readLocator(at, WEBHOOK);
}
