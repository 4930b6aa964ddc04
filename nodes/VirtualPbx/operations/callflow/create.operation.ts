import type { INodeProperties } from 'n8n-workflow';

import { optionsField, readAccountId } from '../../fields/account';
import {
	callflowFakeNumber,
	callflowName,
	callflowNumbers,
	callflowPatterns,
	readCallflowValues,
} from '../../fields/callflow';
import { readFields } from '../../fields/collection';
import { flowFields, readFlow } from '../../fields/flow';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { createCallflow, newCallflow } from './createCallflow';

const additionalFields: INodeProperties = {
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [callflowFakeNumber, callflowPatterns],
};

/** PUT `callflows` (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create callflow',
	description: 'Create a callflow for numbers that no other callflow has',
	kind: 'write',
	fields: [callflowName, callflowNumbers, ...flowFields(false), additionalFields, optionsField()],
	output: 'The new callflow with its id',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const values = readCallflowValues(at, readFields(at, 'additionalFields', ['name', 'numbers']));
		const document = newCallflow(at, values);
		const door = await pbx();
		const flow = readFlow(at, 'pivot', door.platform);
		const work = { pbx: door, accountId: readAccountId(context, itemIndex), itemIndex };
		return itemsOf([await createCallflow(work, document, flow)]);
	},
};
