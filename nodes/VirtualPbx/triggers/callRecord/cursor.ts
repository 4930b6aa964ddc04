import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { LegProfile } from '../../calls/legProfile';
import type { Cdr } from '../../pbx/cdrs/cdr';
import { isObject } from '../../util/json';
import { DAY_MS } from '../../util/time';
import { memoriesOf, nodeKey } from '../runtime/nodeRuntime';
import { RecordTriggerState } from './recordTriggerState';

/** State that a poll leaves for the next one. n8n stores it, so it is plain JSON. Times are Unix milliseconds. */
export interface Cursor {
	/** The source of the records. Another credential, login, account, or kind of event starts over. */
	source: string;
	/** Everything that ended before this time is handled, except late records. */
	until: number;
	/** Where the next window begins. */
	from: number;
	/** Handled records that the next window can contain again. */
	seen: SeenRecords;
	/** Incomplete calls and recordings, by candidate. */
	pending: Record<string, Pending>;
	/** Set until the first reading: calls that end after `until` are new. */
	isUnread?: true;
	/** The PBX's time at the last reading, as far as its records prove it. */
	clock?: number | undefined;
	/** n8n's clock at that time. */
	polledAt?: number;
	/** How far everything has been read. Beyond `until` if the PBX has gone silent. */
	readTo?: number;
	/** Which calls have a first leg, as far as the account's records have shown. */
	profile?: LegProfile;
}

/** By key: when the record's leg ended at the latest, in Unix seconds, and how many records share the key. */
export type SeenRecords = Record<string, [endedAt: number, count: number]>;

/** How long a candidate has been waiting. */
export interface Pending {
	/** In total, and without growing, in milliseconds between readings. */
	waitedMs: number;
	settledMs: number;
	legs: number;
	/** When its recording was last looked for. */
	triedAt?: number;
}

/** A cursor as stored, with its owner. The one saved last counts. */
interface Stored extends Cursor {
	/** The workflow and the node, so that copies of either inherit nothing. */
	owner: string;
	savedAt: number;
}

/** Returns a new cursor without handled records. */
export function cursorAt(source: string, until: number, from = until): Cursor {
	return { source, until, from, seen: {}, pending: {} };
}

/** The key of the cursors in the workflow's static data, which are keyed by node ID to survive renaming. */
const STORE = 'virtualPbxRecords';
/** After this time without saving, a node is considered deleted. */
const GONE_MS = 31 * DAY_MS;
/** How long after a poll leaves a cursor a concurrent poll might still have received the previous one. */
const HANDOVER_MS = 10_000;

/**
 * Finds a trigger's newest cursor for this source. From 2.41 on, n8n can overwrite new static data with old copies
 * (docs/internals/n8n.md), so this process's own memory counts, too: for a scheduled poll, its newest cursor; else the
 * newest whose items n8n has surely taken. A durable cursor, which n8n stores with the items, counts alone.
 */
export function loadCursor(
	context: IPollFunctions,
	state: RecordTriggerState,
	{ source, isScheduled }: { source: string; isScheduled: boolean },
): Cursor | undefined {
	const inWorkflow = ownIn(storeOf(context)[state.nodeId], state);
	const remembered = ownIn(isScheduled ? state.latest : state.taken, state);
	const found = ownIn(durableOf(context), state) ?? newest(inWorkflow, remembered);
	state.taken = found;
	if (!isScheduled) state.latest = found;
	return found?.source === source ? (JSON.parse(JSON.stringify(found)) as Cursor) : undefined;
}

/**
 * Returns whether n8n is about to store a newer cursor than the durable one it gave this poll: n8n runs polls of
 * several schedules in parallel, each with the data stored when it began.
 */
export function isOvertaken(context: IPollFunctions, state: RecordTriggerState): boolean {
	const durableAt = ownIn(durableOf(context), state)?.savedAt ?? Infinity;
	const latestAt = ownIn(state.latest, state)?.savedAt ?? 0;
	return latestAt > durableAt && Date.now() - latestAt < HANDOVER_MS;
}

/**
 * Saves a cursor, along with those of the workflow's other record triggers that this process knows to be newer. If the
 * poll has items, n8n can still drop them, so the cursor counts as taken only from the next poll on. A publication's
 * items are safe, but n8n stores its durable cursor only with items, so the workflow keeps a copy.
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

/** Returns the newest cursors of all record triggers of a workflow, by node ID. */
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

/** Returns a stored cursor if it belongs to the trigger. */
function ownIn(value: unknown, owner: Owner): Stored | undefined {
	const isOwn = isObject(value) && value.owner === ownerOf(owner) && Number(value.savedAt) > 0;
	return isOwn ? (value as unknown as Stored) : undefined;
}

function storeOf(context: IPollFunctions): IDataObject {
	const store = context.getWorkflowStaticData('global')[STORE];
	return isObject(store) ? store : {};
}

/** n8n wraps static data that it saves with the workflow in a proxy; a durable cursor is a plain copy. */
function durableOf(context: IPollFunctions): IDataObject | undefined {
	const data = context.getWorkflowStaticData('node');
	return '__dataChanged' in data ? undefined : data;
}

const MINUTE_MS = 60_000;
/** The lowest cap on the time between two polls, whatever their interval. */
const MIN_PAUSE_MS = 5 * MINUTE_MS;
/** The longest pause that n8n can make after a failed poll. */
const MAX_PAUSE_MS = 60 * MINUTE_MS;
/** Ignores smaller clock corrections. */
const JUMP_MS = MINUTE_MS;

/** The time of one reading, in Unix milliseconds. n8n's clock can jump, and the PBX's can differ. */
export interface PollTime {
	/** By the PBX's clock as far as its records prove it, else by n8n's. */
	now: number;
	/** The waiting time since the last reading, capped by the polling interval. */
	passedMs: number;
}

/** Reads n8n's clock. Caps clock jumps and long pauses at twice the polling interval. */
export function pollTimeOf({ polledAt }: Cursor, intervalMs = MAX_PAUSE_MS): PollTime {
	const now = Date.now();
	const most = Math.max(2 * intervalMs, MIN_PAUSE_MS);
	return { now, passedMs: Math.min(Math.max(now - (polledAt ?? now), 0), most) };
}

/**
 * Returns the PBX's time as far as its records prove it: the newest record's, or the last reading's plus the time
 * since, never ahead of n8n's clock. So a poll with a wrong clock skips no record: it is off by at most half the
 * overlap, which the next window covers. Undefined without any record.
 */
export function provenTime(
	{ clock = -Infinity }: Pick<Cursor, 'clock'>,
	{ now, passedMs }: PollTime,
	{ records, overlapMs }: { records: readonly Cdr[]; overlapMs: number },
): number | undefined {
	const stepped = clock + Math.min(passedMs, overlapMs / 2);
	const proven = records.reduce((last, one) => Math.max(last, one.stampedAt ?? last), stepped);
	return proven === -Infinity ? undefined : Math.min(proven, now);
}

/** Returns how far n8n's clock has gone back since the last poll, in milliseconds; 0 if less than a minute. */
export function setBackMs({ polledAt = 0, clock, until }: Cursor, now: number): number {
	const last = clock === undefined ? Math.max(polledAt, until) : polledAt;
	return last - now > JUMP_MS ? last - now : 0;
}

/**
 * Corrects a cursor that no record proves and that is in the future, since n8n's clock was ahead when it was created.
 * Other cursors follow the PBX's records, whatever n8n's clock says.
 */
export function corrected(cursor: Cursor, now: number, overlapMs: number): Cursor {
	if (cursor.clock !== undefined || cursor.until <= now + JUMP_MS) return cursor;
	return { ...cursor, until: now, from: Math.min(cursor.from, now - overlapMs) };
}
