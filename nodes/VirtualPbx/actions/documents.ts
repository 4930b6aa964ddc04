import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection } from '../parameters/options';
import type { Parameter } from '../parameters/parameter';
import type { Operation } from './operation';
import { itemsOf } from './operation';

/** A resource whose objects have IDs. */
type Noun = 'callflow' | 'webhook';

/**
 * Defines the operation Get: GET `callflows/{id}` or `webhooks/{id}` (§4.2, §4.4). `show` returns the part that workflows
 * can see.
 */
export function defineGet(
	noun: Noun,
	locator: Parameter<string>,
	texts: Pick<Operation, 'description' | 'output'>,
	show = (document: IDataObject) => document,
): Operation {
	return {
		value: 'get',
		name: 'Get',
		action: `Get ${noun}`,
		...texts,
		kind: 'read',
		parameters: [locator, defineOptionsCollection()],
		async execute(call) {
			const id = locator.read(call);
			const { original } = await (await call.pbx())[`${noun}s`].get(id);
			return itemsOf([show(original)]);
		},
	};
}

/** Defines the operation Delete: DELETE `callflows/{id}` or `webhooks/{id}` (§4.2, §4.4). */
export function defineDelete(noun: Noun, locator: Parameter<string>): Operation {
	return {
		value: 'delete',
		name: 'Delete',
		action: `Delete ${noun}`,
		description: `Delete a ${noun} permanently`,
		kind: 'write',
		parameters: [locator, defineOptionsCollection()],
		output: 'deleted (true) and the id',
		async execute(call) {
			const id = locator.read(call);
			await (await call.pbx())[`${noun}s`].delete(id);
			return itemsOf([{ id, deleted: true }]);
		},
	};
}
