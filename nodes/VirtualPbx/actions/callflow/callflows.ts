import type { IDataObject } from 'n8n-workflow';

import type { ItemContext } from '../../parameters/inputs';
import { refusal } from '../../parameters/inputs';
import { formatIn, inFormat } from '../../pbx/callflows/format';
import { pivotData, pivotRootOf, withPivotRoot } from '../../pbx/callflows/pivotModule';
import type { Change, Scope } from '../../pbx/documents';
import {
	CALLFLOW,
	changeDocument,
	createdId,
	failCreation,
	readDocument,
	scopeOf,
	wholeDocument,
} from '../../pbx/documents';
import { PbxError } from '../../pbx/errors/pbxError';
import { isObject } from '../../util/json';
import { findByNumber, inStoredForm } from './byNumber';
import type { FlowInput } from './fields';

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
	return await wholeDocument(work, CALLFLOW, { id, ...change });
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
	const creation = inFormatOf(flow, { work }, async (format) => {
		const sent = { ...document, flow: flowOf(flow, { id: NO_ID_YET, format }) };
		return { answer: await put(work, sent), sent };
	});
	const { answer, sent } = await creation.catch((error: unknown) =>
		failCreation(CALLFLOW, withTakenNumber(error)),
	);
	const id = createdId(answer) ?? (await findId(work, document, flow));
	if (!flow.pivot) return await wholeDocument(work, CALLFLOW, { id, answer, sent });
	if (id === undefined) {
		throw new PbxError({
			kind: 'unexpected',
			reason: 'The callflow was created, but the PBX did not return its ID',
			hint: 'Its address for the web service lacks the ID. Find the callflow with Get Many and complete it with Update.',
		});
	}
	return await completeWithId(work, { id, document, flow });
}

/**
 * Creates below the account, as real platforms do (§4.2 note 2: two paths are shown). 404 and 405 say that nothing was
 * created; then the path of the table follows, which knows only the login's own account.
 */
async function put(work: Scope, data: IDataObject): Promise<unknown> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...scopeOf(work) } as const;
	return await work.pbx.send(request).catch(async (first: unknown) => {
		if (!isUnknown(first) || !(await isOwnAccount(work))) throw first;
		const second = work.pbx.send({ ...request, outsideAccount: true });
		return await second.catch((error: unknown) => {
			throw isUnknown(error) ? first : error;
		});
	});
}

function isUnknown(error: unknown): boolean {
	return error instanceof PbxError && [404, 405].includes(error.status ?? 0);
}

async function isOwnAccount({ pbx, accountId }: Scope): Promise<boolean> {
	if (accountId === undefined) return true;
	const login = await pbx.login().catch(() => undefined);
	return login?.accountId === accountId;
}

/** Says what to do about a number that another callflow has. */
function withTakenNumber(error: unknown): unknown {
	const { complaints = [] } = error instanceof PbxError ? error.details : {};
	const isTaken = complaints.some(({ field, rule }) => rule === 'unique' && /numbers$/.test(field));
	if (error instanceof PbxError && isTaken)
		error.advise({
			before:
				'A number can belong to one callflow only. Change the callflow that has it with Update, or remove the number there first.',
		});
	return error;
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
	const completing = inFormatOf(flow, { work, id }, async (format) => {
		const sent = { ...document, flow: flowOf(flow, { id, format }) };
		return { answer: await work.pbx.send({ method: 'POST', data: sent, ...request }), sent };
	});
	const change = await completing.catch(async (error: unknown) => {
		const undo = work.pbx.send({ method: 'DELETE', evenWhenCancelled: true, ...request });
		const after = await undo.then(
			() => 'The new callflow was removed again.',
			() =>
				`The callflow ${id} was created without its final address and could not be removed. Remove it manually.`,
		);
		throw error instanceof PbxError ? error.advise({ after }) : error;
	});
	return await wholeDocument(work, CALLFLOW, { id, ...change });
}
