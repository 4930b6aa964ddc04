import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Place } from '../../parameters/parameter';
import { parameterError } from '../../parameters/parameter';
import { formatIn, inFormat } from '../../pbx/callflows/format';
import { pivotData, pivotRootOf, withPivotRoot } from '../../pbx/callflows/pivotModule';
import type { Result } from '../../pbx/client';
import type { Change, Scope } from '../../pbx/documents';
import {
	CALLFLOW,
	changeDocument,
	changedDocument,
	createdBy,
	createdId,
	readDocument,
	scopeOf,
	wholeDocument,
} from '../../pbx/documents';
import { isObject } from '../../util/json';
import { findByNumber, inStoredForm } from './byNumber';
import type { FlowInput } from './parameters';

/**
 * Changes a callflow without losing anything of it; a pivot form keeps what it doesn't set of a pivot node, and numbers
 * keep the form in which the PBX stores them.
 */
export async function updateCallflow(
	work: Scope,
	id: string,
	values: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	const change = await inFormatOf(flow, { work, id }, async (format, isNamed) =>
		changeDocument(work, CALLFLOW, id, (current) => {
			const own = isNamed ? undefined : formatOfRoot(current.flow);
			const next = flowOf(flow, { id, format: own ?? format }, current.flow);
			return { ...values, ...inStoredForm(values, current), flow: next };
		}),
	);
	return await changedDocument(work, CALLFLOW, { id, change });
}

function formatOfRoot(flow: unknown): string | undefined {
	const root = pivotRootOf(flow);
	return root && formatIn({ module: root.module, data: root.data });
}

/** How a new pivot node asks, where the form doesn't say otherwise. */
const USUAL = { method: 'GET', req_timeout: '5' };

/** The flow of a callflow whose ID is known; undefined when it stays as it is. */
function flowOf(
	{ json, pivot }: FlowInput,
	{ id, format }: { id: string; format: string | undefined },
	current?: unknown,
): IDataObject | undefined {
	if (!pivot) return json;
	const old = pivotRootOf(current)?.data;
	const kept = isObject(old) ? old : {};
	return withPivotRoot(current, { ...USUAL, ...kept, ...pivotData({ ...pivot, format }, id) });
}

/** Runs a write in the response format that the user or the PBX names; a flow without a pivot form needs none. */
async function inFormatOf(
	{ pivot }: FlowInput,
	{ work, id }: { work: Scope; id?: string },
	write: (format: string | undefined, isNamed: boolean) => Promise<Change>,
): Promise<Change> {
	if (!pivot) return await write(undefined, true);
	return await inFormat(work, { format: pivot.format, callflowId: id }, write);
}

/** Makes a callflow's document (§4.2) of the fields that are given; throws NodeOperationError when nothing would lead to it. */
export function newCallflow(at: Place, values: IDataObject): IDataObject {
	const document: IDataObject = { numbers: [], patterns: [], fakenumber: false, ...values };
	if ([document.numbers, document.patterns].some((list) => Array.isArray(list) && list.length > 0))
		return document;
	throw parameterError(
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
	const change = await inFormatOf(flow, { work }, async (format) => {
		const sent = { ...document, flow: flowOf(flow, { id: NO_ID_YET, format }) };
		return { ...(await put(work, sent)), sent };
	});
	const answer = createdBy(CALLFLOW, withTakenNumber(change));

	const id = createdId(answer) ?? (await findId(work, document, flow));
	if (!flow.pivot) return await wholeDocument(work, CALLFLOW, { id, answer, sent: change.sent });
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
	return await completeWithId(work, { id, document, flow });
}

/**
 * Creates below the account, as real platforms do (§4.2 note 2: two paths are shown). 404 and 405 say that nothing was
 * created; then the path of the table follows, which knows only the login's own account.
 */
async function put(work: Scope, data: IDataObject): Promise<Result> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...scopeOf(work) } as const;
	const first = await work.pbx.trySend(request);
	if (!isUnknown(first) || !(await isOwnAccount(work))) return first;
	const second = await work.pbx.trySend({ ...request, outsideAccount: true });
	return isUnknown(second) ? first : second;
}

function isUnknown(result: Result): boolean {
	return !result.ok && [404, 405].includes(result.failure.status ?? 0);
}

async function isOwnAccount({ pbx, accountId }: Scope): Promise<boolean> {
	if (accountId === undefined) return true;
	const login = await pbx.login().catch(() => undefined);
	return login?.accountId === accountId;
}

/** Says what to do about a number that another callflow has. */
function withTakenNumber(result: Result): Result {
	if (result.ok) return result;
	const { complaints = [] } = result.failure;
	if (!complaints.some(({ field, rule }) => rule === 'unique' && /numbers$/.test(field)))
		return result;
	const { error } = result;
	error.description = `A number can belong to one callflow only. Change the callflow that has it with Update, or remove the number there first. ${error.description ?? ''}`;
	return result;
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

async function completeWithId(
	work: Scope,
	{ id, document, flow }: { id: string; document: IDataObject; flow: FlowInput },
): Promise<IDataObject> {
	const request = { path: [CALLFLOW.path, id], ...scopeOf(work) };
	const change = await inFormatOf(flow, { work, id }, async (format) => {
		const sent = { ...document, flow: flowOf(flow, { id, format }) };
		return { ...(await work.pbx.trySend({ method: 'POST', data: sent, ...request })), sent };
	});
	if (change.ok) return await changedDocument(work, CALLFLOW, { id, change });

	const undo = await work.pbx.trySend({ method: 'DELETE', evenWhenCancelled: true, ...request });
	const result = undo.ok
		? 'The new callflow was removed again.'
		: `The callflow ${id} was created without its final address and could not be removed. Remove it manually.`;
	change.error.description = [change.error.description, result].filter(Boolean).join(' ');
	throw change.error;
}
