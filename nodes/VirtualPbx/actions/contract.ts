import type { IBinaryData, IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../parameters/inputs';
import { readAccountId } from '../parameters/options';
import type { Pbx } from '../pbx/client';
import type { Scope } from '../pbx/documents';

/** One output item, before the router pairs it with its input item. */
export interface OperationItem {
	json: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** What an operation gets for one input item. */
export interface OperationCall extends ItemContext {
	/** The PBX; opened at the first use and shared by all items. */
	pbx: () => Promise<Pbx>;
}

/** One operation of the action node: everything about it in one object, in one file. */
export interface Operation {
	/** Stored in workflows: never rename it. */
	value: string;
	/** In the operation list, in Title Case. */
	name: string;
	/** In the node panel, in sentence case. */
	action: string;
	description: string;
	/** What n8n's AI has to know to choose it, in a sentence or two. */
	hint?: string;
	/** `read` runs for several items at once, `write` for one item after the other, in order. */
	kind: 'read' | 'write';
	/** The operation's own inputs; where they show is added by the registry. */
	fields: INodeProperties[];
	/** What one output item holds, in a sentence without a full stop; for the reference. */
	output: string;
	/** Does the work for one input item; throws PbxError or NodeOperationError, to which the router adds the item. */
	execute(call: OperationCall): Promise<OperationItem[]>;
}

/** A resource of the action node with its operations, in display order (alphabetical). */
export interface Resource {
	/** Stored in workflows: never rename it. */
	value: string;
	name: string;
	description: string;
	/** It works without the PBX, and so without a credential. */
	isOffline?: boolean;
	operations: readonly Operation[];
	/** The operation that a fresh node shows. */
	defaultOperation: string;
}

/** Opens the PBX for one item, in the account that its options name. */
export async function openScope(call: OperationCall): Promise<Scope> {
	return { pbx: await call.pbx(), accountId: readAccountId(call) };
}

/** Makes items in the array where their makings lie: there may be very many. */
export function inPlace<T>(list: T[], make: (one: T) => IDataObject): OperationItem[] {
	const items = list as unknown as OperationItem[];
	list.forEach((one, index) => void (items[index] = { json: make(one) }));
	return items;
}

/** Wraps JSON objects as output items. */
export function itemsOf(objects: IDataObject[]): OperationItem[] {
	return objects.map((json) => ({ json }));
}
