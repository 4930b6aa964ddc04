import type { IDataObject } from 'n8n-workflow';

import { pivotData, withPivotRoot } from '../../pivot/module';
import type { Scope } from '../../transport/documents';
import { CALLFLOW, readDocument, scopeOf, updateDocument } from '../../transport/documents';
import { readList } from '../../transport/list';
import { CONCURRENT_READS, mapInOrder } from '../../values/mapInOrder';
import { asText } from '../../values/json';
import type { FlowInput } from './flow';

/**
 * Finds the callflows that have a number (§4.2 note 3). The filter is not trusted: a PBX may ignore it, so its result is
 * checked here, and it may find too little (callflows with that number only), so a number not found is looked for in
 * the whole list. Where the filtered list lacks the numbers, each entry is read.
 *
 * @param limit how many at most; undefined for all
 */
export async function findByNumber(
	work: Scope,
	number: string,
	limit?: number,
): Promise<IDataObject[]> {
	const request = { path: [CALLFLOW.path], ...scopeOf(work) };
	const query = { filter_numbers: number };
	const listed = await readList(
		work.pbx,
		{ ...request, query },
		undefined,
		({ numbers }) => numbers === undefined || has(numbers, number),
	);
	const entries = await mapInOrder(listed.length, CONCURRENT_READS, async (index) => {
		const entry = listed[index] ?? {};
		return entry.numbers === undefined ? await complete(work, entry) : entry;
	});
	const found = entries.filter(({ numbers }) => has(numbers, number));
	if (found.length > 0) return found.slice(0, limit);
	return await readList(work.pbx, request, limit, ({ numbers }) => has(numbers, number));
}

async function complete(work: Scope, entry: IDataObject): Promise<IDataObject> {
	const id = asText(entry.id);
	return id === undefined ? entry : { ...entry, ...(await readDocument(work, CALLFLOW, id)) };
}

function has(numbers: unknown, number: string): boolean {
	const list: unknown[] = Array.isArray(numbers) ? numbers : [numbers];
	return list.some((entry) => asText(entry)?.trim() === number);
}

/**
 * Changes a callflow without losing anything of it.
 *
 * @param values the fields to set
 * @param flow the flow to set; a pivot form keeps what it does not set of a pivot node
 */
export async function updateCallflow(
	work: Scope,
	id: string,
	values: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	return await updateDocument(work, CALLFLOW, id, (current) => ({
		...values,
		...flowPart(flow, id, current.flow),
	}));
}

/**
 * Gives the `flow` field for a callflow whose ID is known.
 *
 * @param current the flow as it is, if there is one
 * @returns an empty object when the flow stays
 */
export function flowPart(flow: FlowInput, id: string, current?: unknown): { flow?: IDataObject } {
	if (flow.kind === 'keep') return {};
	return {
		flow: flow.kind === 'json' ? flow.flow : withPivotRoot(current, pivotData(flow.pivot, id)),
	};
}
