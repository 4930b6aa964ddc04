import type { IDataObject } from 'n8n-workflow';

import type { Place } from '../../parameters/parameter';
import { parameterError } from '../../parameters/parameter';
import { formatIn, inFormat } from '../../pbx/callflows/format';
import { pivotRootOf, withPivotRoot } from '../../pbx/callflows/pivotModule';
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
import { putCallflow } from '../../pbx/callflows/callflows';
import { PbxError } from '../../pbx/errors/pbxError';
import { isObject } from '../../util/json';
import { findByNumber, inStoredForm } from '../../pbx/callflows/byNumber';
import type { Dialect } from '../../pbx/dialects/dialect';
import type { FlowInput } from './parameters';

/** Updates a callflow and keeps everything else: unset fields of a pivot node, and the stored format of numbers. */
export async function updateCallflow(
	work: Scope,
	id: string,
	values: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	const change = await inFormatOf(flow, { work, id }, async (format, isNamed) =>
		changeDocument(work, CALLFLOW, id, (current) => {
			const own = isNamed ? undefined : formatOfRoot(current.flow);
			const place = { id, format: own ?? format, dialect: work.pbx.dialect };
			const next = flowOf(flow, place, current.flow);
			return { ...values, ...inStoredForm(values, current), flow: next };
		}),
	);
	return await wholeDocument(work, CALLFLOW, { id, ...change });
}

function formatOfRoot(flow: unknown): string | undefined {
	const root = pivotRootOf(flow);
	return root && formatIn({ module: root.module, data: root.data });
}

/** Returns the flow of an existing callflow; undefined to leave it unchanged. */
function flowOf(
	{ json, pivot }: FlowInput,
	{ id, format, dialect }: { id: string; format: string | undefined; dialect: Dialect },
	current?: unknown,
): IDataObject | undefined {
	if (!pivot) return json;
	const old = pivotRootOf(current)?.data;
	const kept = isObject(old) ? old : {};
	const data = dialect.pivotData({ ...pivot, format }, id);
	return withPivotRoot(current, { ...dialect.usualPivot, ...kept, ...data });
}

/** Runs a write with the response format that the user or the PBX specifies. Flows without a pivot form need none. */
async function inFormatOf(
	{ pivot }: FlowInput,
	{ work, id }: { work: Scope; id?: string },
	write: (format: string | undefined, isNamed: boolean) => Promise<Change>,
): Promise<Change> {
	if (!pivot) return await write(undefined, true);
	return await inFormat(work, { format: pivot.format, callflowId: id }, write);
}

/**
 * Builds a callflow's document (§4.2) from the given fields. Throws NodeOperationError if no number or pattern would
 * lead to it.
 */
export function newCallflow(at: Place, values: IDataObject): IDataObject {
	const document: IDataObject = { numbers: [], patterns: [], fakenumber: false, ...values };
	if ([document.numbers, document.patterns].some((list) => Array.isArray(list) && list.length > 0))
		return document;
	throw parameterError(
		at,
		"'Numbers' is empty",
		'Enter at least one number, or a pattern, that leads to the callflow.',
	);
}

/** Placeholder for the ID in the pivot address until the PBX assigns one. */
const NO_ID_YET = 'pending';

/**
 * Creates a callflow (§4.2). A pivot flow contains the callflow's ID, which the PBX assigns: so creates it, completes
 * it with a second request, and deletes it if that fails.
 */
export async function createCallflow(
	work: Scope,
	document: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	const creation = inFormatOf(flow, { work }, async (format) => {
		const { dialect } = work.pbx;
		const sent = { ...document, flow: flowOf(flow, { id: NO_ID_YET, format, dialect }) };
		return { answer: await putCallflow(work, sent), sent };
	});
	const { answer, sent } = await creation.catch((error: unknown) =>
		failCreation(CALLFLOW, withTakenNumber(error)),
	);
	const id = createdId(answer) ?? (await findId(work, document, flow));
	if (!flow.pivot) return await wholeDocument(work, CALLFLOW, { id, answer, sent });
	if (id === undefined) {
		throw new PbxError({
			kind: 'unexpected',
			reason: "The callflow was created, but the PBX didn't return its ID",
			hint: 'The URL of its web service lacks the ID. Find the callflow with Get Many, and complete it with Update.',
		});
	}
	return await completeWithId(work, { id, document, flow });
}

/** Adds a hint to the error for a number that another callflow uses. */
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

/** Finds the new callflow by its number. Best effort: a failure here must not look like a failed creation. */
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
	// An older callflow's address has a real ID.
	const { flow } = await readDocument(work, CALLFLOW, id).catch((): IDataObject => ({}));
	return JSON.stringify(flow ?? null).includes(`callflow_id=${NO_ID_YET}`) ? id : undefined;
}

async function completeWithId(
	work: Scope,
	{ id, document, flow }: { id: string; document: IDataObject; flow: FlowInput },
): Promise<IDataObject> {
	const request = { path: [CALLFLOW.path, id], ...scopeOf(work) };
	const completing = inFormatOf(flow, { work, id }, async (format) => {
		const sent = { ...document, flow: flowOf(flow, { id, format, dialect: work.pbx.dialect }) };
		return { answer: await work.pbx.send({ method: 'POST', data: sent, ...request }), sent };
	});
	const change = await completing.catch(async (error: unknown) => {
		const undo = work.pbx.send({ method: 'DELETE', evenWhenCancelled: true, ...request });
		const after = await undo.then(
			() => 'The new callflow was removed again.',
			() =>
				`The callflow ${id} was created without its final address and couldn't be removed. Remove it manually.`,
		);
		throw error instanceof PbxError ? error.advise({ after }) : error;
	});
	return await wholeDocument(work, CALLFLOW, { id, ...change });
}
