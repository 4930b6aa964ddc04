import type { INodeProperties } from 'n8n-workflow';

import { readFields, refusal } from '../../fields/inputs';
import { callflowLocator, readCallflowId } from '../../fields/locators';
import {
	optionsField,
	readAccountId,
	readReplaceAll,
	replaceAllOption,
} from '../../fields/options';
import { CALLFLOW, replaceDocument } from '../../transport/documents';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { flowPart, updateCallflow } from './callflows';
import { newCallflow } from './create.operation';
import {
	callflowFakeNumber,
	callflowName,
	callflowNumbers,
	callflowPatterns,
	readCallflowValues,
} from './fields';
import { flowFields, readFlow } from './flow';

const updateFields: INodeProperties = {
	displayName: 'Update Fields',
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [callflowFakeNumber, callflowName, callflowNumbers, callflowPatterns],
};

/** GET, then POST `callflows/{id}` (§4.2); with Replace All only POST. */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update callflow',
	description: 'Change fields of a callflow and keep all others',
	kind: 'write',
	fields: [callflowLocator, updateFields, ...flowFields(true), optionsField(replaceAllOption)],
	output: 'The callflow after the change',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const id = readCallflowId(at);
		const values = readCallflowValues(at, readFields(at, 'updateFields'));
		const door = await pbx();
		const flow = readFlow(at, 'keep', door.platform);
		const work = { pbx: door, accountId: readAccountId(context, itemIndex), itemIndex };
		if (readReplaceAll(at)) {
			if (flow.kind === 'keep')
				throw refusal(
					at,
					'Flow is missing',
					'Replace All does not keep the old flow. Choose a Flow.',
				);
			const document = { ...newCallflow(at, values), ...flowPart(flow, id) };
			return itemsOf([await replaceDocument(work, CALLFLOW, id, document)]);
		}
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
