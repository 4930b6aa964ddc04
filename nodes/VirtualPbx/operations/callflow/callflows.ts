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
	documentOf,
	readDocument,
	scopeOf,
	updateDocument,
	wholeDocument,
} from '../../transport/documents';
import { readList } from '../../transport/list';
import type { Pbx, Result } from '../../transport/pbx';
import { CONCURRENT_READS, mapInOrder } from '../../values/mapInOrder';
import { asText } from '../../values/json';
import type { FlowInput } from './flow';

/**
 * Finds the callflows that have a number (§4.2 note 3). A PBX may ignore the filter, or list entries without numbers, so its
 * result is checked here; it may find too little, so a number not found is looked for in the whole list.
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

/** Changes a callflow without losing anything of it; a pivot form keeps what it does not set of a pivot node. */
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

/** The `flow` field for a callflow whose ID is known; an empty object when the flow stays as it is. */
function flowPart(flow: FlowInput, id: string, current?: unknown): { flow?: IDataObject } {
	if (flow.kind === 'keep') return {};
	return {
		flow: flow.kind === 'json' ? flow.flow : withPivotRoot(current, pivotData(flow.pivot, id)),
	};
}

/**
 * Makes a callflow's document of the fields that the user named, with every field of §4.2; throws NodeOperationError when
 * nothing would lead to it.
 */
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
	const data = { ...document, ...flowPart(flow, NO_ID_YET) };
	const answer = createdBy(CALLFLOW, await put(work, data));

	const id = createdId(answer) ?? (await findId(work, document));
	if (flow.kind !== 'pivot') {
		return id === undefined
			? { ...data, ...documentOf(answer) }
			: await wholeDocument(work, CALLFLOW, { id, answer, sent: data });
	}
	if (id === undefined) throw withoutId(work);
	return await completeWithId(work, id, { ...document, ...flowPart(flow, id) });
}

/**
 * The contract's table creates outside the account; one other place shows a path below it (§4.2 note 2). The second is
 * used for another account, and where the PBX does not know the first: 404 and 405 say that nothing was created.
 */
async function put(work: Scope, data: IDataObject): Promise<Result> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...scopeOf(work) } as const;
	const isOwn = work.accountId === undefined || (await isOwnAccount(work.pbx, work.accountId));
	if (!isOwn) return await work.pbx.trySend(request);
	const first = await work.pbx.trySend({ ...request, outsideAccount: true });
	const isUnknown = !first.ok && [404, 405].includes(first.failure.status ?? 0);
	return isUnknown ? await work.pbx.trySend(request) : first;
}

/** What the login says (§5.2); where it does not work now, the request itself says why. */
async function isOwnAccount(pbx: Pbx, accountId: string): Promise<boolean> {
	const login = await pbx.login().catch(() => undefined);
	return login?.accountId === accountId;
}

/** Looks for the new callflow by its number; what goes wrong here must not look like a failed creation. */
async function findId(work: Scope, { numbers }: IDataObject): Promise<string | undefined> {
	const [number] = numbers as string[];
	if (number === undefined) return undefined;
	const found = await findByNumber(work, number, 2).catch(() => []);
	return found.length === 1 ? createdId(found[0]) : undefined;
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

function withoutId({ pbx, itemIndex }: Scope): NodeOperationError {
	return new NodeOperationError(
		pbx.node,
		'The callflow was created, but the PBX did not return its ID',
		{
			itemIndex,
			description:
				'Its address for the web service lacks the ID. Find the callflow with Get Many and complete it with Update.',
		},
	);
}
