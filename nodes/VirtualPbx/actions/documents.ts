import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection } from '../parameters/options';
import type { Parameter } from '../parameters/parameter';
import type { Scope } from '../pbx/documents';
import type { Operation } from './contract';
import { itemsOf, openScope } from './contract';

/** A resource whose objects have IDs: the typed client of it, and its noun. */
interface Resource {
	noun: string;
	of: (scope: Scope) => {
		get(id: string): Promise<{ original: IDataObject }>;
		delete(id: string): Promise<void>;
	};
}

/** GET `callflows/{id}` or `webhooks/{id}` (§4.2, §4.4). `show` returns the part that workflows can see. */
export function getOperation(
	{ noun, of }: Resource,
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
			const { original } = await of(await openScope(call)).get(id);
			return itemsOf([show(original)]);
		},
	};
}

/** DELETE `callflows/{id}` or `webhooks/{id}` (§4.2, §4.4). */
export function deleteOperation({ noun, of }: Resource, locator: Parameter<string>): Operation {
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
			await of(await openScope(call)).delete(id);
			return itemsOf([{ id, deleted: true }]);
		},
	};
}
