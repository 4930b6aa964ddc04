import type { IDataObject } from 'n8n-workflow';

import type { Requester } from '../types';
import { Documents } from '../documents';
import type { ListOptions } from '../pages';
import { readList } from '../pages';
import { findByNumber } from './byNumber';
import type { Callflow, CallflowInput, WholeCallflow } from './callflow';
import { readCallflow } from './callflow';
import type { FlowChange } from './changeFlow';
import { changeFlow, getWhole } from './changeFlow';
import { inFormat } from './format';
import { createCallflow, updateCallflow } from './writing';

/** The callflows of an account (§4.2). All methods throw PbxError. */
export interface Callflows {
	list(options?: ListOptions<Callflow>): Promise<Callflow[]>;
	/** Finds callflows with a number, in any form that the PBX stores. */
	byNumber(number: string, limit?: number): Promise<Callflow[]>;
	get(id: string): Promise<Callflow>;
	/** Reads a callflow to change its flow. Throws if the PBX hides it. */
	getWhole(id: string): Promise<WholeCallflow>;
	/** Creates a callflow, and removes it again if it can't be completed with its own ID. */
	create(callflow: CallflowInput): Promise<Callflow>;
	/** Changes fields and keeps all others, even those of a pivot module. */
	update(id: string, changes: CallflowInput): Promise<Callflow>;
	/** Changes a flow that others might change at the same time; see `changeFlow`. */
	changeFlow(id: string, change: FlowChange, fresh?: WholeCallflow): Promise<void>;
	/** Runs a write in the given response format, or else in the platform's; see `inFormat`. */
	inFormat<T>(given: string | undefined, write: (format: string) => Promise<T>): Promise<T>;
	delete(id: string): Promise<void>;
}

/** Returns the callflows of an account. No network access. */
export function callflowsOf(pbx: Requester): Callflows {
	const documents = new Documents(pbx, 'callflow');
	const tools = { pbx, documents };
	return {
		async list({ limit, keep = () => true } = {}) {
			const isKept = (entry: IDataObject) => keep(readCallflow(entry));
			const listed = await readList(pbx, { path: ['callflows'] }, { limit, keep: isKept });
			return listed.map(readCallflow);
		},
		byNumber: async (number, limit) => (await findByNumber(pbx, number, limit)).map(readCallflow),
		get: async (id) => readCallflow(await documents.get(id)),
		getWhole: async (id) => await getWhole(documents, id),
		create: async (callflow) => readCallflow(await createCallflow(tools, callflow)),
		update: async (id, changes) => readCallflow(await updateCallflow(tools, id, changes)),
		changeFlow: async (id, change, fresh) => await changeFlow(tools, { id, fresh }, change),
		inFormat: async (given, write) => await inFormat(pbx, given, write),
		delete: async (id) => await documents.delete(id),
	};
}
