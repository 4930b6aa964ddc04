import { optionsField, readAccountId } from '../../fields/options';
import { callflowLocator, readCallflowId } from '../../fields/locators';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { CALLFLOW, deleteDocument } from '../../transport/documents';

/** DELETE `callflows/{id}` (§4.2). */
export const deleteCallflow: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete callflow',
	description: 'Delete a callflow permanently',
	kind: 'write',
	fields: [callflowLocator, optionsField()],
	output: 'deleted (true) and the id',
	async execute({ context, itemIndex, pbx }) {
		const id = readCallflowId({ context, itemIndex });
		const accountId = readAccountId(context, itemIndex);
		return itemsOf([
			await deleteDocument({ pbx: await pbx(), accountId, itemIndex }, CALLFLOW, id),
		]);
	},
};
