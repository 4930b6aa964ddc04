import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection } from '../parameters/options';
import type { Parameter } from '../parameters/parameter';
import type { DocumentKind } from '../pbx/documents';
import { deleteDocument, readDocument } from '../pbx/documents';
import type { Operation } from './contract';
import { itemsOf, openScope } from './contract';

/** GET `callflows/{id}` or `webhooks/{id}` (§4.2, §4.4). `show` returns the part that workflows can see. */
export function getOperation(
	kind: DocumentKind,
	locator: Parameter<string>,
	texts: Pick<Operation, 'description' | 'output'>,
	show = (document: IDataObject) => document,
): Operation {
	return {
		value: 'get',
		name: 'Get',
		action: `Get ${kind.noun}`,
		...texts,
		kind: 'read',
		parameters: [locator, defineOptionsCollection()],
		async execute(call) {
			const id = locator.read(call);
			return itemsOf([show(await readDocument(await openScope(call), kind, id))]);
		},
	};
}

/** DELETE `callflows/{id}` or `webhooks/{id}` (§4.2, §4.4). */
export function deleteOperation(kind: DocumentKind, locator: Parameter<string>): Operation {
	return {
		value: 'delete',
		name: 'Delete',
		action: `Delete ${kind.noun}`,
		description: `Delete a ${kind.noun} permanently`,
		kind: 'write',
		parameters: [locator, defineOptionsCollection()],
		output: 'deleted (true) and the id',
		async execute(call) {
			const id = locator.read(call);
			return itemsOf([await deleteDocument(await openScope(call), kind, id)]);
		},
	};
}
