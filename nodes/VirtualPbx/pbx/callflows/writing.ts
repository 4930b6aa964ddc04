import type { IDataObject } from 'n8n-workflow';

import { isObject, withoutUndefined } from '../../util/json';
import type { Requester } from '../types';
import type { Documents } from '../documents';
import { idIn } from '../documents';
import { adviseOnField, PbxError } from '../errors/pbxError';
import { findByNumber, inStoredForm } from './byNumber';
import type { CallflowInput } from './callflow';
import { inFormat, usableFormat } from './format';
import { pivotRootOf, withPivotRoot } from './pivotModule';

/** The means of a write to an account's callflows. */
export interface CallflowTools {
	pbx: Requester;
	documents: Documents;
}

/** Updates a callflow and keeps everything else: unset fields of a pivot module, and the stored form of numbers. */
export async function updateCallflow(
	tools: CallflowTools,
	id: string,
	input: CallflowInput,
): Promise<IDataObject> {
	const { documents } = tools;
	const written = await withFormat(tools, input, async (format) =>
		documents.change(id, (current) => {
			const own = input.pivot?.format ?? usableFormat(pivotRootOf(current.flow)?.data) ?? format;
			const flow = flowOf(tools.pbx, input, { id, format: own }, current.flow);
			const values = fieldsToSend(input);
			return { ...values, ...inStoredForm(values, current), flow };
		}),
	);
	return await documents.complete(id, written);
}

function fieldsToSend({ name, numbers, patterns, fakenumber }: CallflowInput): IDataObject {
	return withoutUndefined({ name, numbers, patterns, fakenumber });
}

/** Returns the flow of an existing callflow; undefined to leave it unchanged. */
function flowOf(
	{ dialect }: Requester,
	{ flow, pivot }: CallflowInput,
	{ id, format }: { id: string; format: string | undefined },
	current?: unknown,
): IDataObject | undefined {
	if (!pivot) return flow;
	const old = pivotRootOf(current)?.data;
	const kept = isObject(old) ? old : {};
	const data = dialect.pivotData({ ...pivot, format }, id);
	return withPivotRoot(current, { ...dialect.usualPivot, ...kept, ...data });
}

/** Runs a write in its pivot module's response format. Flows that aren't a pivot have none. */
async function withFormat<T>(
	{ pbx }: CallflowTools,
	{ pivot }: CallflowInput,
	write: (format: string | undefined) => Promise<T>,
): Promise<T> {
	return pivot ? await inFormat(pbx, pivot.format, write) : await write(undefined);
}

/** Placeholder for the ID in the pivot address until the PBX assigns one. */
const NO_ID_YET = 'pending';

/**
 * Creates a callflow (§4.2). A pivot module contains the callflow's ID, which the PBX assigns: so creates it, completes
 * it with a second request, and deletes it if that fails.
 */
export async function createCallflow(
	tools: CallflowTools,
	input: CallflowInput,
): Promise<IDataObject> {
	const { pbx, documents } = tools;
	const document = { numbers: [], patterns: [], fakenumber: false, ...fieldsToSend(input) };
	const write = async (format: string | undefined) => {
		const sent = { ...document, flow: flowOf(pbx, input, { id: NO_ID_YET, format }) };
		return { response: await putCallflow(pbx, sent), sent };
	};
	let used: string | undefined;
	const writing = withFormat(tools, input, async (format) => await write((used = format)));
	const written = await writing.catch((error: unknown) =>
		documents.failCreation(withTakenNumber(error)),
	);
	const id = idIn(written.response) ?? (await findNew(tools, input));
	if (!input.pivot) return await documents.complete(id, written);
	if (id === undefined) {
		throw new PbxError({
			kind: 'unexpected',
			reason: "The callflow was created, but the PBX didn't return its ID",
			hint: 'The URL of its web service lacks the ID. Find the callflow with Get Many, and complete it with Update.',
		});
	}
	const sent = { ...document, flow: flowOf(pbx, input, { id, format: used }) };
	const completed = await documents.replace(id, sent).catch(async (error: unknown) => {
		throw await undone(documents, id, error);
	});
	return await documents.complete(id, completed);
}

/** Removes a callflow that couldn't be completed, and adds to the error whether that worked. */
async function undone(documents: Documents, id: string, error: unknown): Promise<unknown> {
	const after = await documents.delete(id, { evenWhenCancelled: true }).then(
		() => 'The new callflow was removed again.',
		() =>
			`The callflow ${id} was created without its final address and couldn't be removed. Remove it manually.`,
	);
	return error instanceof PbxError ? error.advise({ after }) : error;
}

/** Adds a hint to the error for a number that another callflow uses. */
function withTakenNumber(error: unknown): unknown {
	return adviseOnField(
		error,
		({ field, rule }) => rule === 'unique' && /numbers$/.test(field),
		'A number can belong to one callflow only. Change the callflow that has it with Update, or remove the number there first.',
	);
}

/** Finds the ID of a new callflow by its number. Best effort: a failure here must not look like a failed creation. */
async function findNew(
	{ pbx, documents }: CallflowTools,
	{ numbers: [number] = [], pivot }: CallflowInput,
): Promise<string | undefined> {
	if (number === undefined) return undefined;
	const found = await findByNumber(pbx, number, 2).catch(() => []);
	const id = found.length === 1 ? idIn(found[0]) : undefined;
	if (id === undefined || !pivot) return id;
	// An older callflow's address has a real ID.
	const { flow } = await documents.get(id).catch((): IDataObject => ({}));
	return JSON.stringify(flow ?? null).includes(`callflow_id=${NO_ID_YET}`) ? id : undefined;
}

/**
 * Creates below the account, as real platforms do (§4.2 note 2 shows two paths). After 404 or 405, which mean that
 * nothing was created, tries the path in the contract's table, which knows only the login's own account.
 */
async function putCallflow(pbx: Requester, data: IDataObject): Promise<unknown> {
	const request = { method: 'PUT', path: ['callflows'], data } as const;
	return await pbx.send(request).catch(async (first: unknown) => {
		const { createsOutsideAccount } = pbx.dialect;
		if (!createsOutsideAccount || !isUnknown(first) || !(await isOwnAccount(pbx))) throw first;
		const second = pbx.send({ ...request, outsideAccount: true });
		return await second.catch((error: unknown) => {
			throw isUnknown(error) ? first : error;
		});
	});
}

function isUnknown(error: unknown): boolean {
	return error instanceof PbxError && error.isUnknownPath;
}

async function isOwnAccount({ account, accountId }: Requester): Promise<boolean> {
	if (accountId === undefined) return true;
	const login = await account.get().catch(() => undefined);
	return login?.accountId === accountId;
}
