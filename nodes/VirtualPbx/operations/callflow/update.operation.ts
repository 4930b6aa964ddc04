import type { INodeProperties } from 'n8n-workflow';

import { readFields, refusal } from '../../fields/inputs';
import { callflowLocator, readCallflowId } from '../../fields/locators';
import { optionsField, readAccountId } from '../../fields/options';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { updateCallflow } from './callflows';
import {
	callflowFakeNumber,
	callflowName,
	callflowNumbers,
	callflowPatterns,
	readCallflowValues,
} from './fields';
import { flowFields, pivotFields, readFlow } from './flow';

const updateFields: INodeProperties = {
	displayName: 'Update Fields',
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [callflowFakeNumber, callflowName, callflowNumbers, callflowPatterns, ...pivotFields],
};

/** GET, then POST `callflows/{id}` (§4.2). */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update callflow',
	description: 'Change fields of a callflow and keep all others',
	kind: 'write',
	fields: [callflowLocator, updateFields, ...flowFields(true), optionsField()],
	output: 'The callflow after the change',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const id = readCallflowId(at);
		const values = readCallflowValues(at, readFields(at, 'updateFields'));
		const opened = await pbx();
		const flow = readFlow(at, { fallback: 'keep', collection: 'updateFields' }, opened.platform);
		const work = { pbx: opened, accountId: readAccountId(context, itemIndex), itemIndex };
		if (flow.kind === 'keep' && Object.keys(values).length === 0) {
			throw refusal(
				at,
				'There is nothing to update',
				'Add a field under Update Fields, or choose a Flow.',
			);
		}
		return itemsOf([await updateCallflow(work, id, values, flow)]);
	},
};
