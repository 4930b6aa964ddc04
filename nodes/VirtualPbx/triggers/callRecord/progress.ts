import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { asText, isObject } from '../../values/json';

/** What a poll leaves for the next one; kept in the workflow's static data, so it is plain JSON. */
export interface Progress {
	version: 1;
	/** Whose records these are; another credential, account or kind of event begins anew. */
	source: string;
	/** Unix milliseconds: all records that were there before are handled, late ones of the overlap aside. */
	watermark: number;
	/** Unix milliseconds: start of the last window; windows never begin before it. */
	from: number;
	/** The handled records that the next window may hold again. */
	seen: SeenRecords;
	/** Calls and recordings that are not complete yet, by unit id. */
	waiting: Record<string, Waiting>;
	/** What was learned of the account's calls; absent before the first call. */
	habit?: Habit;
}

/** Whether the calls of an account have a record of the leg that began them: some exchanges record outbound legs only. */
export interface Habit {
	/** Unix milliseconds at which a call was last seen with its first leg; absent when none ever was. */
	wholeAt?: number;
	/** How many calls went without one since, up to a few. */
	alone: number;
}

/** Stable key → Unix seconds of the record (0 when unknown), a colon, and the full keys of all records that share it. */
export type SeenRecords = Record<string, string>;

/** When a unit was first seen and last grew (Unix milliseconds), and how many records it had then. */
export type Waiting = [firstSeen: number, lastChange: number, records: number];

/** Reads the progress out of static data; undefined before the first poll, or when it belongs to another source. */
export function readProgress(data: IDataObject, source: string): Progress | undefined {
	const copy = JSON.parse(JSON.stringify(data)) as IDataObject;
	const { version, watermark, from, seen, waiting } = copy;
	const isUsable =
		version === 1 &&
		copy.source === source &&
		typeof watermark === 'number' &&
		typeof from === 'number' &&
		isObject(seen) &&
		isObject(waiting);
	return isUsable ? (copy as unknown as Progress) : undefined;
}

/** A beginning without any record handled. */
export function beginAt(source: string, watermark: number, from: number): Progress {
	return { version: 1, source, watermark, from, seen: {}, waiting: {} };
}

/** What a poll finds of earlier ones. */
export interface Kept {
	/** Undefined before the first poll that worked, and for another source. */
	progress: Progress | undefined;
	/** Unix milliseconds of the first poll that was tried: from then on calls count. */
	firstTried: number | undefined;
	/** How many times something was kept; the copy with more is the newer one. */
	times: number;
	/** Unix milliseconds at which something was last kept. */
	keptAt: number;
}

/** Where the copies by node ID lie in the workflow's static data, which Code nodes use, too. */
const REGISTER = 'virtualPbxRecords';
/** Nodes whose last poll was so long before one of this node are no longer there. */
const GONE_MS = 30 * 86_400_000;
const MAX_NODES = 50;
const TRY_MS = 86_400_000;

/**
 * Reads what earlier polls of this node have kept. n8n keeps the static data of a node by the node's name, and by its ID
 * only with durable cursors, so there is a copy by ID beside it: it survives a renaming. Each copy says whose it is, so
 * that a node under an old name, and a copy of the workflow, inherit nothing; what an earlier version has left under the
 * name, which does not say so, is taken over.
 *
 * @param source whose records they are, see `Progress`
 */
export function readKept(context: IPollFunctions, source: string): Kept {
	const byName = context.getWorkflowStaticData('node');
	const byId = registerOf(context)[context.getNode().id];
	const copies = [byName, isObject(byId) && isStale(byId, byName) ? undefined : byId].filter(
		isObject,
	);
	const own = copies.filter(({ owner }) => owner === ownerOf(context));
	const unsigned = copies.filter(({ owner }) => owner === undefined);
	const [newest = {}] = (own.length > 0 ? own : unsigned).sort((a, b) => timesOf(b) - timesOf(a));
	const firstTried = Number(newest.source === source ? newest.firstTried : undefined);
	return {
		progress: readProgress(newest, source),
		firstTried: Number.isFinite(firstTried) ? firstTried : undefined,
		times: timesOf(newest),
		keptAt: Number(newest.keptAt ?? Date.now()),
	};
}

/**
 * Keeps the progress, or, before there is any, when the first poll was tried.
 *
 * @param kept what was read in this poll; counts on
 */
export function keep(
	context: IPollFunctions,
	kept: Kept,
	state: Progress | { source: string; firstTried: number },
): void {
	const keptAt = Date.now();
	const owner = ownerOf(context);
	kept.times++;
	const entry = { version: 1, ...state, owner, times: kept.times, keptAt } as IDataObject;
	const data = context.getWorkflowStaticData('node');
	for (const name of Object.keys(data)) if (!(name in entry)) delete data[name];
	Object.assign(data, entry);
	// n8n stores no cursor of the poll by which it activates a workflow, but saves the workflow then.
	const isTry = 'firstTried' in state;
	if (!isWatched(data) && !isTry) return;

	const others = Object.entries(registerOf(context))
		.filter(([id]) => id !== context.getNode().id)
		.filter(([, other]) => isObject(other) && Number(other.keptAt) > kept.keptAt - GONE_MS)
		.slice(1 - MAX_NODES);
	context.getWorkflowStaticData('global')[REGISTER] = {
		...Object.fromEntries(others),
		[context.getNode().id]: entry,
	};
}

/**
 * n8n watches static data that it saves with the workflow. With durable cursors it hands out a copy, which it stores by the
 * node's ID together with the items: a copy of ours elsewhere would only be in the way.
 */
function isWatched(data: IDataObject): boolean {
	return '__dataChanged' in data;
}

/** A try that durable cursors have left behind: after so long it is of an earlier activation. */
function isStale(byId: IDataObject, byName: IDataObject): boolean {
	const isOnlyTry = byId.firstTried !== undefined && byId.watermark === undefined;
	return isOnlyTry && !isWatched(byName) && Date.now() - Number(byId.keptAt) > TRY_MS;
}

function registerOf(context: IPollFunctions): IDataObject {
	const register = context.getWorkflowStaticData('global')[REGISTER];
	return isObject(register) ? register : {};
}

function ownerOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

function timesOf({ times }: IDataObject): number {
	return Number(asText(times) ?? 0) || 0;
}
