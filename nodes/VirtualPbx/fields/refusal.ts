import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Where a parameter is read: the node's context and the item. */
export interface Reading {
	context: IExecuteFunctions;
	itemIndex: number;
}

/**
 * Makes the error for a parameter that cannot be used; nothing has been sent yet.
 *
 * @param message names the parameter as the node shows it and says what is wrong
 * @param description what to do
 */
export function refusal(at: Reading, message: string, description: string): NodeOperationError {
	return new NodeOperationError(at.context.getNode(), message, {
		itemIndex: at.itemIndex,
		description,
	});
}
