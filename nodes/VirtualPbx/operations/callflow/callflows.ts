import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ItemContext } from '../../fields/inputs';
import { refusal } from '../../fields/inputs';
import { pivotData, withPivotRoot } from '../../pivot/module';
import type { Scope } from '../../transport/documents';
import {
	CALLFLOW,
	createdBy,
	createdId,
	readDocument,
	readList,
	scopeOf,
	updateDocument,
	wholeDocument,
} from '../../transport/documents';
import type { Result } from '../../transport/pbx';
import { asText } from '../../values/json';
import type { FlowInput } from './fields';

/** Finds the callflows with a number (§4.2 note 3); a PBX may ignore the filter, or find too little by it. */
export async function findByNumber(
	work: Scope,
	number: string,
	limit?: number,
): Promise<IDataObject[]> {
	const request = { path: [CALLFLOW.path], ...scopeOf(work) };
	const has = ({ numbers }: IDataObject) =>
		[numbers].flat().some((entry) => asText(entry)?.trim() === number);
	const filtered = { ...request, query: { filter_numbers: number } };
	const found = await readList(work.pbx, filtered, limit, has);
	return found.length > 0 ? found : await readList(work.pbx, request, limit, has);
}

/** Changes a callflow without losing anything of it; a pivot form keeps what it does not set of a pivot node. */
export async function updateCallflow(
	work: Scope,
	id: string,
	values: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	return await updateDocument(work, CALLFLOW, id, (current) => ({
		...values,
		flow: flowOf(flow, id, current.flow),
	}));
}

/** The flow of a callflow whose ID is known; undefined when it stays as it is. */
function flowOf(
	{ json, pivot }: FlowInput,
	id: string,
	current?: unknown,
): IDataObject | undefined {
	return pivot ? withPivotRoot(current, pivotData(pivot, id)) : json;
}

/** Makes a callflow's document (§4.2) of the fields that are given; throws NodeOperationError when nothing would lead to it. */
export function newCallflow(at: ItemContext, values: IDataObject): IDataObject {
	const document: IDataObject = { numbers: [], patterns: [], fakenumber: false, ...values };
	if ([document.numbers, document.patterns].some((list) => Array.isArray(list) && list.length > 0))
		return document;
	throw refusal(
		at,
		'Numbers is empty',
		'Enter at least one number, or a pattern, that leads to the callflow.',
	);
}

/** Stands for the ID in the pivot address until the PBX has given one. */
const NO_ID_YET = 'pending';

/**
 * Creates a callflow (§4.2). A pivot flow carries the callflow's ID, which only the PBX gives: then the callflow is
 * created, completed by a second request, and removed again when that fails.
 */
export async function createCallflow(
	work: Scope,
	document: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	const data = { ...document, flow: flowOf(flow, NO_ID_YET) };
	const answer = createdBy(CALLFLOW, await put(work, data));

	const id = createdId(answer) ?? (await findId(work, document, flow));
	if (!flow.pivot) return await wholeDocument(work, CALLFLOW, { id, answer, sent: data });
	if (id === undefined) {
		throw new NodeOperationError(
			work.pbx.node,
			'The callflow was created, but the PBX did not return its ID',
			{
				itemIndex: work.itemIndex,
				description:
					'Its address for the web service lacks the ID. Find the callflow with Get Many and complete it with Update.',
			},
		);
	}
	return await completeWithId(work, id, { ...document, flow: flowOf(flow, id) });
}

/**
 * The contract's table creates outside the account; one other place shows a path below it (§4.2 note 2). The second is
 * used for a named account, and where the PBX does not know the first: 404 and 405 say that nothing was created.
 */
async function put(work: Scope, data: IDataObject): Promise<Result> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...scopeOf(work) } as const;
	if (work.accountId !== undefined) return await work.pbx.trySend(request);
	const first = await work.pbx.trySend({ ...request, outsideAccount: true });
	const isUnknown = !first.ok && [404, 405].includes(first.failure.status ?? 0);
	return isUnknown ? await work.pbx.trySend(request) : first;
}

/** Looks for the new callflow by its number; what goes wrong here must not look like a failed creation. */
async function findId(
	work: Scope,
	{ numbers }: IDataObject,
	{ pivot }: FlowInput,
): Promise<string | undefined> {
	const [number] = numbers as string[];
	if (number === undefined) return undefined;
	const found = await findByNumber(work, number, 2).catch(() => []);
	const id = found.length === 1 ? createdId(found[0]) : undefined;
	if (id === undefined || !pivot) return id;
	// An older callflow has an address of its own.
	const { flow } = await readDocument(work, CALLFLOW, id).catch((): IDataObject => ({}));
	return JSON.stringify(flow ?? null).includes(`callflow_id=${NO_ID_YET}`) ? id : undefined;
}

async function completeWithId(work: Scope, id: string, data: IDataObject): Promise<IDataObject> {
	const request = { path: [CALLFLOW.path, id], ...scopeOf(work) };
	const outcome = await work.pbx.trySend({ method: 'POST', data, ...request });
	if (outcome.ok)
		return await wholeDocument(work, CALLFLOW, { id, answer: outcome.body, sent: data });

	const undo = await work.pbx.trySend({ method: 'DELETE', evenWhenCancelled: true, ...request });
	const result = undo.ok
		? 'The new callflow was removed again.'
		: `The callflow ${id} was created without its final address and could not be removed. Remove it manually.`;
	outcome.error.description = [outcome.error.description, result].filter(Boolean).join(' ');
	throw outcome.error;
}
