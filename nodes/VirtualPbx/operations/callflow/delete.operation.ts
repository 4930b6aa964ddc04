import { optionsField } from '../../fields/options';
import { callflowLocator, readCallflowId } from '../../fields/locators';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
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
	async execute(call) {
		const id = readCallflowId(call);
		return itemsOf([await deleteDocument(await openScope(call), CALLFLOW, id)]);
	},
};
