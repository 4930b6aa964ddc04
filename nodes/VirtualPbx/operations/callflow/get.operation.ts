import { optionsField } from '../../fields/options';
import { callflowLocator, readCallflowId } from '../../fields/locators';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { CALLFLOW, readDocument } from '../../transport/documents';

/** GET `callflows/{id}` (§4.2). */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get callflow',
	description: 'Get one callflow with its flow',
	kind: 'read',
	fields: [callflowLocator, optionsField()],
	output: 'The callflow: id, name, numbers, patterns, flow, and other fields that the PBX returns',
	async execute(call) {
		const id = readCallflowId(call);
		return itemsOf([await readDocument(await openScope(call), CALLFLOW, id)]);
	},
};
