import type { IDataObject } from 'n8n-workflow';

import { isObject, withoutUndefined, asText } from '../../util/json';
import { bareNumber } from '../../util/party';
import type { ListOptions } from '../documents';
import { Documents, idIn, mergeDocument, readList } from '../documents';
import { adviseOnField, PbxError } from '../errors/pbxError';
import type { Callflow, CallflowInput, Requester, WholeCallflow } from '../types';
import type { FlowChange } from './changeFlow';
import { changeFlow } from './changeFlow';
import { isUsable, pivotData, pivotRootOf, usableFormat, withPivotRoot } from './flow';

function readCallflow(document: IDataObject): Callflow {
	const { name, numbers, patterns, flow } = document;
	const texts = (list: unknown) => [list].flat().flatMap((one) => asText(one)?.trim() ?? []);
	return {
		id: idIn(document),
		name: asText(name),
		numbers: texts(numbers),
		patterns: texts(patterns),
		flow: isObject(flow) ? flow : undefined,
		original: document,
	};
}

/** At least this many digits: platforms add a plus sign. Shorter numbers, such as extensions, are stored as is. */
const FEWEST_DIGITS = 8;

/** Returns the digits of a number that platforms can store in a different form; undefined for other texts. */
function digitsOf(number: string): string | undefined {
	const bare = bareNumber(number);
	return /^\d+$/.test(bare) && bare.length >= FEWEST_DIGITS ? bare : undefined;
}

/** Returns whether two texts are one number, such as `+12125550123` and `1 (212) 555-0123`. */
function areSame(one: string, other: string): boolean {
	return (digitsOf(one) ?? one.trim()) === (digitsOf(other) ?? other.trim());
}

/**
 * Finds the callflows with a number (§4.2 note 3), in any form that the PBX stores: its filter compares exact texts, and
 * a Kazoo's finds only callflows that have a single number. So reads the whole list if the filter finds nothing. Checks
 * what the filter finds, since a PBX can ignore it.
 */
export async function findByNumber(
	pbx: Requester,
	number: string,
	{ limit, isOptional = false }: { limit?: number | undefined; isOptional?: boolean } = {},
): Promise<Callflow[]> {
	const keep = (entry: IDataObject) =>
		readCallflow(entry).numbers.some((one) => areSame(one, number));
	const digits = digitsOf(number);
	const forms = digits === undefined ? [number] : [number, `+${digits}`, digits];
	const queries = [...new Set(forms)].map((form) => ({ filter_numbers: form }));
	for (const query of [...queries, pbx.dialect.longList]) {
		const found = await readList(pbx, { path: ['callflows'], isOptional, query }, { limit, keep });
		if (found.length > 0) return found.map(readCallflow);
	}
	return [];
}

/** Returns numbers to write, each in the form that the callflow already has. */
function inStoredForm(
	numbers: readonly string[] | undefined,
	stored: readonly string[],
): string[] | undefined {
	if (numbers === undefined) return undefined;
	// No call reaches a number with punctuation.
	const usable = stored.filter((one) => !numbers.includes(one) && !/[\s().-]/.test(one));
	const kept = numbers.map((one) =>
		stored.includes(one) ? one : (usable.find((other) => areSame(other, one)) ?? one),
	);
	return [...new Set(kept)];
}

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
			const passes = (entry: IDataObject) => keep(readCallflow(entry));
			const listed = await readList(pbx, { path: ['callflows'] }, { limit, keep: passes });
			return listed.map(readCallflow);
		},
		byNumber: async (number, limit) => await findByNumber(pbx, number, { limit }),
		get: async (id) => readCallflow(await documents.get(id)),
		getWhole: async (id) => await getWhole(documents, id),
		create: async (callflow) => readCallflow(await createCallflow(tools, callflow)),
		update: async (id, changes) => readCallflow(await updateCallflow(tools, id, changes)),
		async changeFlow(id, change, fresh) {
			const read = async () => await getWhole(documents, id, true);
			const write = async ({ original }: WholeCallflow, flow: IDataObject) => {
				await documents.replace(id, mergeDocument(original, { flow }));
				return await read();
			};
			const { signal } = pbx;
			await changeFlow(fresh ?? (await getWhole(documents, id)), change, { read, write, signal });
		},
		inFormat: async (given, write) => await inFormat(pbx, given, write),
		delete: async (id) => await documents.delete(id),
	};
}

/**
 * Reads a callflow (GET `callflows/{id}`, §4.2). Throws even if only its flow is hidden, since it couldn't be
 * preserved.
 */
async function getWhole(
	documents: Documents,
	id: string,
	isChanged = false,
): Promise<WholeCallflow> {
	const callflow = readCallflow(await documents.get(id));
	const { flow } = callflow;
	if (flow) return { ...callflow, flow };
	throw new PbxError({
		kind: 'unexpected',
		reason: `The PBX doesn't show the flow of callflow ${id}`,
		hint: isChanged
			? 'Check the flow at the PBX: this node had changed it before.'
			: "Nothing was changed. Set 'Connect' to 'Manually', and enter the address in the PBX.",
	});
}

interface CallflowTools {
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
			const kept = input.pivot?.format ?? usableFormat(pivotRootOf(current.flow)?.data);
			const flow = flowOf(tools.pbx, input, { id, format: kept ?? format }, current.flow);
			const numbers = inStoredForm(input.numbers, readCallflow(current).numbers);
			return { ...callflowFields(input), numbers, flow };
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
	const data = pivotData(dialect, { ...pivot, format }, id);
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
	const id = found.length === 1 ? found[0]?.id : undefined;
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
	// A platform such as `kazoos` has the family's one format (seen in the field).
	const ofPlatform = /^kazoo/i.test(platform) ? 'kazoo' : platform;
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
