import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Return All and Limit, as every list operation has them. */
export const returnAllFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/**
 * Reads Return All and Limit.
 *
 * @returns how many results at most; undefined for all
 * @throws NodeOperationError when Limit is no whole number from 1 on
 */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number | undefined {
	const all = context.getNodeParameter('returnAll', itemIndex, false) as unknown;
	if (all === true || all === 'true') return undefined;
	const limit = Number(context.getNodeParameter('limit', itemIndex, 50));
	if (Number.isInteger(limit) && limit >= 1) return limit;
	throw new NodeOperationError(context.getNode(), 'Limit must be a whole number from 1 on', {
		itemIndex,
		description: 'Correct the parameter Limit, or switch on Return All.',
	});
}
