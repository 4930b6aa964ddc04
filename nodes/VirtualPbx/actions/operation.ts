import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { defineOptionsCollection } from '../parameters/options';
import type { ItemScope, Parameter } from '../parameters/parameter';
import type { Pbx } from '../pbx/client';

/** One output item, before the router pairs it with its input item. */
export interface OperationItem {
	json: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** The input of an operation for one item. */
export interface OperationCall extends ItemScope {
	/** Opens the PBX on first use, in the account that the item's options select. All items share its login. */
	pbx: () => Promise<Pbx>;
}

/** One operation of the action node, with everything about it in one file. */
export interface Operation {
	/** Stored in workflows: never rename it. */
	value: string;
	/** In the operation list, in Title Case. */
	name: string;
	/** In the node panel, in sentence case. */
	action: string;
	description: string;
	/** Guidance for AI agents on when to choose it, in a sentence or two. */
	hint?: string;
	/** `read` runs for several items in parallel, `write` for one item at a time, in order. */
	kind: 'read' | 'write';
	/** The operation's own parameters. The registry adds display options. */
	parameters: readonly Parameter[];
	/** Describes one output item, without a final period. For the reference. */
	output: string;
	/**
	 * Runs the operation for one input item. Throws PbxError or NodeOperationError, to which the router adds the item.
	 */
	execute(call: OperationCall): Promise<OperationItem[]>;
}

/** A resource of the action node with its operations, in alphabetical display order. */
export interface Resource {
	/** Stored in workflows: never rename it. */
	value: string;
	name: string;
	description: string;
	/** Needs neither the PBX nor a credential. */
	isOffline?: boolean;
	operations: readonly Operation[];
	/** The operation preselected in a new node. Never change it: n8n omits it from saved workflows. */
	defaultOperation: string;
}

/** Converts in place: lists can be long. */
export function toItemsInPlace<T>(list: T[], make: (one: T) => IDataObject): OperationItem[] {
	const items = list as unknown as OperationItem[];
	list.forEach((one, index) => void (items[index] = { json: make(one) }));
	return items;
}

export function itemsOf(objects: IDataObject[]): OperationItem[] {
	return objects.map((json) => ({ json }));
}

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
