import type { IDataObject } from 'n8n-workflow';

import { isObject, withoutUndefined } from '../../util/json';
import type { ListOptions } from '../documents';
import { Documents, idIn, readList } from '../documents';
import { adviseOnField, PbxError } from '../errors/pbxError';
import type { Requester } from '../types';
import type { Callflow, CallflowInput, WholeCallflow } from './callflow';
import { findByNumber, inStoredForm, readCallflow } from './callflow';
import type { FlowChange } from './changeFlow';
import { changeFlow, getWhole } from './changeFlow';
import { isUsable, pivotRootOf, usableFormat, withPivotRoot } from './flow';

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
		byNumber: async (number, limit) =>
			(await findByNumber(pbx, number, { limit })).map(readCallflow),
		get: async (id) => readCallflow(await documents.get(id)),
		getWhole: async (id) => await getWhole(documents, id),
		create: async (callflow) => readCallflow(await createCallflow(tools, callflow)),
		update: async (id, changes) => readCallflow(await updateCallflow(tools, id, changes)),
		changeFlow: async (id, change, fresh) => await changeFlow(tools, { id, fresh }, change),
		inFormat: async (given, write) => await inFormat(pbx, given, write),
		delete: async (id) => await documents.delete(id),
	};
}

/** The means of a write to an account's callflows. */
export interface CallflowTools {
	pbx: Requester;
	documents: Documents;
}

/** Updates a callflow and keeps everything else: unset fields of a pivot module, and the stored form of numbers. */
async function updateCallflow(
	tools: CallflowTools,
	id: string,
	input: CallflowInput,
): Promise<IDataObject> {
	const { documents } = tools;
	const written = await withFormat(tools, input, async (format) =>
		documents.change(id, (current) => {
			const own = input.pivot?.format ?? usableFormat(pivotRootOf(current.flow)?.data) ?? format;
			const flow = flowOf(tools.pbx, input, { id, format: own }, current.flow);
			const values = callflowFields(input);
			return { ...values, ...inStoredForm(values, current), flow };
		}),
	);
	return await documents.complete(id, written);
}

function callflowFields({ name, numbers, patterns }: CallflowInput): IDataObject {
	return withoutUndefined({ name, numbers, patterns });
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
async function createCallflow(tools: CallflowTools, input: CallflowInput): Promise<IDataObject> {
	const { pbx, documents } = tools;
	const document = { numbers: [], patterns: [], fakenumber: false, ...callflowFields(input) };
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
	const found = await findByNumber(pbx, number, { limit: 2 }).catch(() => []);
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

/**
 * Runs a write whose pivot module has a response format (`req_format`, §2.2): the given one, or else the platform's. If
 * the PBX rejects the platform's and lists those that it accepts, retries once with one of them. Throws PbxError.
 */
async function inFormat<T>(
	{ dialect, platform }: Pick<Requester, 'dialect' | 'platform'>,
	given: string | undefined,
	write: (format: string) => Promise<T>,
): Promise<T> {
	const ofPlatform = dialect.responseFormat(platform);
	const writing = write(given ?? ofPlatform).catch(async (error: unknown) => {
		const accepted = given === undefined ? acceptedFormat(error, platform) : undefined;
		if (accepted === undefined || accepted === ofPlatform) throw error;
		return await write(accepted);
	});
	return await writing.catch((error: unknown) => {
		const isAddress = ({ field }: { field: string }) => /(?:^|[._])voice_url$/.test(field);
		throw adviseOnField(error, isAddress, dialect.rejectedAddress);
	});
}

/** Chooses one of the formats that an error lists; undefined if the error isn't about the format. */
function acceptedFormat(error: unknown, platform: string): string | undefined {
	if (!(error instanceof PbxError) || error.status !== 400) return undefined;
	const { complaints = [] } = error.details;
	const choices = complaints
		.filter(({ field }) => /(?:^|[._])req_format$/.test(field))
		.flatMap((complaint) => complaint.choices ?? [])
		.filter(isUsable);
	const isNamed = (choice: string) => platform.toLowerCase().startsWith(choice.toLowerCase());
	return choices.find(isNamed) ?? choices[0];
}
