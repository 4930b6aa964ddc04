import type { INodeProperties } from 'n8n-workflow';

import { asText, isObject } from '../values/json';
import type { ItemContext } from './inputs';
import { AS_IT_STANDS, refusal } from './inputs';

/** A field to choose one object of the PBX, from a list with search (see operations/listSearch) or by its ID. */
function locatorField(displayName: string, name: string, search: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: `${displayName} to work with`,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: search, searchable: true },
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
export function readLocator(at: ItemContext, { name, displayName }: INodeProperties): string {
	const value: unknown = at.context.getNodeParameter(name, at.itemIndex, '', AS_IT_STANDS);
	const id = asText(isObject(value) ? value.value : value)?.trim() ?? '';
	if (id !== '') return id;
	throw refusal(
		at,
		`${displayName} is empty`,
		`Choose one from the list, or enter its ID. If it comes from an expression, check what the expression returns for this item.`,
	);
}

/** The callflow to work with: from the list, or by ID (§2.2). */
export const callflowLocator = locatorField('Callflow', 'callflowId', 'searchCallflows');

/** The webhook to work with: from the list, or by ID (§2.5). */
export const webhookLocator = locatorField('Webhook', 'webhookId', 'searchWebhooks');
