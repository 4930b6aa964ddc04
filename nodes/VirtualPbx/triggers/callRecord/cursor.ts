import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { LegProfile } from '../../calls/legProfile';
import type { Stamp } from '../../pbx/cdrs/stamp';
import { isObject } from '../../util/json';
import { memoriesOf, nodeKey } from '../runtime/nodeRuntime';
import { RecordTriggerState } from '../runtime/recordTriggers';

/** What a poll leaves for the next one. n8n stores it, so it is plain JSON; times are Unix milliseconds. */
export interface Cursor {
	/** Whose records these are: another credential, login, account, or kind of event begins anew. */
	source: string;
	/** All that ended before is handled, late records aside. */
	until: number;
	/** Where the next window begins. */
	from: number;
	/** The handled records that the next window may hold again. */
	seen: SeenRecords;
	/** Calls and recordings that are not complete yet, by candidate. */
	pending: Record<string, Pending>;
	/** Set as long as nothing was read: calls that end after `until` count. */
	isUnread?: true;
	/** The PBX's time at the last reading, as far as its records prove it. */
	clock?: number | undefined;
	/** What n8n's clock said then. */
	polledAt?: number;
	/** Up to where nothing was left; further than `until` where the PBX has fallen silent. */
	readTo?: number;
	/** What the account's records have told. */
	profile?: LegProfile;
	stamp?: Stamp | undefined;
}

/** By key: when the record's leg ended at the latest, in Unix seconds, and how many records share the key. */
export type SeenRecords = Record<string, [endedAt: number, count: number]>;

/** What a candidate is waited for. */
export interface Pending {
	/** For how long, and how long it has not grown, in milliseconds between readings. */
	waitedMs: number;
	settledMs: number;
	legs: number;
	/** When its recording was last looked for. */
	triedAt?: number;
}

/** A cursor as it is stored: it says whose it is, and the one saved last counts. */
interface Stored extends Cursor {
	/** The workflow and the node: a copy of either inherits nothing. */
	owner: string;
	savedAt: number;
}

/** A beginning without any record handled. */
export function cursorAt(source: string, until: number, from = until): Cursor {
	return { source, until, from, seen: {}, pending: {} };
}

/** Where cursors lie in the workflow's static data, by the node's ID, so that they survive a renaming. */
const STORE = 'virtualPbxRecords';
/** Nodes that saved nothing for so long are no longer there. */
const GONE_MS = 31 * 86_400_000;
/** So long after a poll has left a cursor, a poll beside it may still have been given the one before. */
const HANDOVER_MS = 10_000;

/**
 * Finds the newest cursor of a trigger for this source. From 2.41 on, n8n writes copies of static data that may be old over new
 * ones (docs/internals/n8n.md), so what this process remembers counts, too; a durable cursor, which n8n stores with the items, alone.
 */
export function loadCursor(
	context: IPollFunctions,
	state: RecordTriggerState,
	{ source, isLater }: { source: string; isLater: boolean },
): Cursor | undefined {
	const inWorkflow = ownIn(storeOf(context)[state.nodeId], state);
	const remembered = ownIn(isLater ? state.latest : state.taken, state);
	const found = ownIn(durableOf(context), state) ?? newest(inWorkflow, remembered);
	state.taken = found;
	if (!isLater) state.latest = found;
	return found?.source === source ? (JSON.parse(JSON.stringify(found)) as Cursor) : undefined;
}

/**
 * Tells whether n8n is about to store a newer cursor than the durable one that it has given this poll: it runs polls of
 * several schedules side by side, each with what was stored when it began.
 */
export function isOvertaken(context: IPollFunctions, state: RecordTriggerState): boolean {
	const durableAt = ownIn(durableOf(context), state)?.savedAt ?? Infinity;
	const latestAt = ownIn(state.latest, state)?.savedAt ?? 0;
	return latestAt > durableAt && Date.now() - latestAt < HANDOVER_MS;
}

/**
 * Saves a cursor, and with it those of the other record triggers of the workflow that this process knows to be newer. n8n drops
 * items if the trigger was unpublished meanwhile; not in a publication, after which it stores no durable cursor without items.
 */
export function saveCursor(
	context: IPollFunctions,
	state: RecordTriggerState,
	cursor: Cursor,
	{ hasItems, isPublication }: { hasItems: boolean; isPublication: boolean },
): void {
	const lastAt = ownIn(state.latest, state)?.savedAt ?? 0;
	const stored: Stored = {
		...cursor,
		owner: ownerOf(state),
		savedAt: Math.max(Date.now(), lastAt + 1),
	};
	state.latest = stored;
	if (!hasItems || isPublication) state.taken = stored;

	const durable = durableOf(context);
	if (durable) {
		for (const name of Object.keys(durable)) if (!(name in stored)) delete durable[name];
		Object.assign(durable, stored);
		if (!isPublication) return;
	}
	context.getWorkflowStaticData('global')[STORE] = newestOf(context, state.workflowId);
}

/** The newest cursors of all record triggers of a workflow, by the node's ID. */
function newestOf(context: IPollFunctions, workflowId: string): IDataObject {
	const all: IDataObject = { ...storeOf(context) };
	for (const { nodeId, latest, ...other } of memoriesOf(RecordTriggerState))
		if (other.workflowId === workflowId && isObject(latest)) all[nodeId] = latest;
	const isThere = ([nodeId, value]: [string, unknown]) =>
		(ownIn(value, { workflowId, nodeId })?.savedAt ?? 0) > Date.now() - GONE_MS;
	return Object.fromEntries(Object.entries(all).filter(isThere));
}

function newest(one: Stored | undefined, other: Stored | undefined): Stored | undefined {
	return (one?.savedAt ?? 0) > (other?.savedAt ?? 0) ? one : (other ?? one);
}

type Owner = Pick<RecordTriggerState, 'workflowId' | 'nodeId'>;

function ownerOf({ workflowId, nodeId }: Owner): string {
	return nodeKey(workflowId, nodeId);
}

/** A stored cursor, if it belongs to a trigger. */
function ownIn(value: unknown, owner: Owner): Stored | undefined {
	const isOwn = isObject(value) && value.owner === ownerOf(owner) && Number(value.savedAt) > 0;
	return isOwn ? (value as unknown as Stored) : undefined;
}

function storeOf(context: IPollFunctions): IDataObject {
	const store = context.getWorkflowStaticData('global')[STORE];
	return isObject(store) ? store : {};
}

/** n8n observes static data that it saves with the workflow; a durable cursor is a plain copy. */
function durableOf(context: IPollFunctions): IDataObject | undefined {
	const data = context.getWorkflowStaticData('node');
	return '__dataChanged' in data ? undefined : data;
}
