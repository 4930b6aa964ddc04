import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { isObject } from '../../util/json';
import { DAY_MS, HOUR_MS } from '../../util/time';
import { memoriesOf, nodeKey, runtimeOf } from '../runtime/nodeRuntime';

/** A record as far as progress keeps it. */
export interface SeenRecord {
	key: string;
	/** The latest time when its leg can have ended, in Unix milliseconds. */
	latest: number;
}

/** One potential start of the workflow, as far as progress keeps it. */
export interface Start {
	/** The same in every reading, and unlike any other of the node. */
	id: string;
	/** The open execution that it belongs to. */
	openId?: string | undefined;
	/** Its records that aren't handled yet, oldest first. */
	records: readonly SeenRecord[];
	/** The earliest time when the first of them can have ended, in Unix milliseconds. */
	firstAt: number;
	/** Whether other legs of the same call were handled before. */
	isLate: boolean;
}

/** By key: when the record's leg ended at the latest, in Unix seconds, and how many records share the key. */
export type SeenRecords = Record<string, [endedAt: number, count: number]>;

/** An execution that was started, or is to be started again, and whose end isn't known. */
export interface OpenStart {
	/** Counts from 1. Each attempt has a deduplication key of its own. */
	attempt: number;
	/** The keys of the records that it is about. */
	records: string[];
	/** The earliest time when one of their legs can have ended. */
	at: number;
	isLate?: true;
}

/** How long a candidate has been waiting, in milliseconds of this process. Safe to lose. */
export interface Pending {
	since: number;
	changedAt: number;
	legs: number;
	/** When its recording was last looked for. */
	triedAt: number;
}

/** A trigger's progress as n8n stores it. Times are Unix milliseconds by the PBX's clock. */
interface Stored {
	owner: string;
	/** The source of the records. Another credential, login, account, or kind of event starts over. */
	source: string;
	/** Orders copies of the same node's progress. */
	savedAt: number;
	/** Where the next reading begins. Everything before has started the workflow, or never will. */
	from: number;
	/** The time of the newest record read. */
	newest: number;
	/** Calls that ended before aren't new. */
	since: number;
	/** Handled records that the next reading can return again. */
	seen: SeenRecords;
	open: Record<string, OpenStart>;
}

/** The key of all progress in the workflow's static data, by node ID to survive renaming. */
const STORE = 'virtualPbxRecords';
/** After this time without saving, a node is considered deleted. */
const GONE_MS = 31 * DAY_MS;
/** How far the clocks of n8n and the PBX can differ. */
export const CLOCK_ERROR_MS = 2 * DAY_MS;

/**
 * How far a trigger has come. Lives in this process, across publications; n8n's static data is a copy, which n8n saves
 * only when it publishes, unpublishes, or starts an execution. If that copy is old or gone, calls are started again
 * under the same keys, and n8n drops the duplicates.
 */
export class Progress implements Omit<Stored, 'owner'> {
	savedAt = 0;
	readonly open: Record<string, OpenStart> = {};
	/** Executions under way in this process, and retries that wait: the customer that they hold. */
	readonly running = new Map<string, string | undefined>();
	readonly retries = new Map<string, { at: number; customer: string | undefined }>();
	readonly pending = new Map<string, Pending>();
	seen: SeenRecords = {};

	constructor(
		readonly source: string,
		public newest: number,
		public from: number,
		public since = -Infinity,
	) {}

	static of({ source, newest, from, since, ...stored }: Stored): Progress {
		const progress = new Progress(source, newest, from, since ?? undefined);
		const { savedAt, seen, open } = stored;
		return Object.assign(progress, { savedAt, seen, open });
	}

	/** Records of open executions that aren't under way: they are to be started again. */
	get reopened(): Map<string, string[]> {
		const ids = new Map<string, string[]>();
		for (const [id, { records }] of Object.entries(this.open)) {
			if (this.running.has(id)) continue;
			for (const key of records) ids.set(key, [...(ids.get(key) ?? []), id]);
		}
		return ids;
	}

	/** Enters an execution before it starts, unless it is entered already, and returns it. */
	enter(id: string, starts: readonly Start[]): OpenStart {
		const known = this.open[id];
		if (known) return known;
		const records = starts.flatMap((start) => start.records);
		this.markSeen(records);
		const { isLate } = starts[0] ?? {};
		return (this.open[id] = {
			attempt: 1,
			records: records.map(({ key }) => key),
			at: Math.min(...starts.map(({ firstAt }) => firstAt)),
			...(isLate && { isLate: true }),
		});
	}

	markSeen(records: readonly SeenRecord[]): void {
		for (const { key, latest } of records) {
			const [endedAt, count] = this.seen[key] ?? [0, 0];
			this.seen[key] = [Math.max(endedAt, Math.floor(latest / 1000)), count + 1];
		}
	}

	/**
	 * Moves on after a reading: to the newest record, but never past a candidate that hasn't started, nor past n8n's
	 * clock, since a record can be dated in the future. After two days without records, moves on without them.
	 */
	advance(
		records: ReadonlyArray<{ stampedAt: number | undefined }>,
		unstarted: readonly Start[],
		{ to, isLast, lookBackMs }: { to: number; isLast: boolean; lookBackMs: number },
	): void {
		const now = Date.now();
		for (const { stampedAt } of records)
			if (stampedAt !== undefined) this.newest = Math.max(this.newest, Math.min(stampedAt, now));
		const quiet = Math.min(now - CLOCK_ERROR_MS, this.newest + HOUR_MS);
		if (isLast) this.newest = Math.max(this.newest, quiet);

		const found = new Set(unstarted.flatMap(({ id, openId = id }) => [id, openId]));
		for (const [id, { at }] of Object.entries(this.open)) {
			const isGone = !found.has(id) && at <= to - lookBackMs;
			if (isGone && !this.running.has(id)) this.finish(id);
		}
		for (const id of this.pending.keys()) if (!found.has(id)) this.pending.delete(id);
		const held = [
			...unstarted.map(({ firstAt }) => firstAt),
			...Object.entries(this.open).flatMap(([id, { at }]) => (this.running.has(id) ? [] : at)),
		];
		const reached = held.reduce((least, at) => Math.min(least, at), this.newest);
		this.from = Math.max(this.from, reached - lookBackMs);
		const isNear = ([endedAt]: [number, number]) => endedAt * 1000 >= this.from - lookBackMs;
		const seen = Object.entries(this.seen).filter(([, one]) => isNear(one));
		this.seen = Object.fromEntries(seen);
	}

	finish(id: string): void {
		delete this.open[id];
		this.retries.delete(id);
	}

	toJSON(): Omit<Stored, 'owner'> {
		const { source, savedAt, from, newest, since, seen, open } = this;
		return { source, savedAt, from, newest, since, seen, open };
	}
}

class RecordMemory {
	workflowId = '';
	nodeId = '';
	progress?: Progress;
	text = '';
}

type Owner = Pick<ITriggerFunctions, 'getNode' | 'getWorkflow' | 'getWorkflowStaticData'>;

function memoryOf(context: Owner): RecordMemory {
	const runtime = runtimeOf(context);
	const { workflowId, nodeId } = runtime;
	return Object.assign(runtime.memory(RecordMemory), { workflowId, nodeId });
}

/** Returns a trigger's progress: this process's, or the stored one if that is newer. */
export function loadProgress(context: Owner): Progress | undefined {
	const memory = memoryOf(context);
	const stored = storedIn(storeOf(context)[memory.nodeId], memory);
	if (stored && stored.savedAt > (memory.progress?.savedAt ?? 0))
		memory.progress = Progress.of(stored);
	return memory.progress;
}

/**
 * Puts the progress into the static data, which n8n saves with the next execution. It saves the workflow's whole data
 * as this publication knows it, so includes what this process knows of the workflow's other record triggers.
 */
export function saveProgress(context: Owner, progress: Progress): void {
	const memory = memoryOf(context);
	progress.savedAt = Math.max(Date.now(), progress.savedAt + 1);
	memory.progress = progress;
	const owner = nodeKey(memory.workflowId, memory.nodeId);
	memory.text = JSON.stringify({ owner, ...progress.toJSON() });
	const own = memoriesOf(RecordMemory).filter(
		({ workflowId, text }) => workflowId === memory.workflowId && text !== '',
	);
	const texts = Object.fromEntries(own.map(({ nodeId, text }) => [nodeId, text]));
	const others = Object.entries(storeOf(context)).filter(([nodeId, text]) => {
		if (nodeId in texts) return false;
		const stored = storedIn(text, { workflowId: memory.workflowId, nodeId });
		return stored !== undefined && stored.savedAt > Date.now() - GONE_MS;
	});
	context.getWorkflowStaticData('global')[STORE] = { ...Object.fromEntries(others), ...texts };
}

/** Reads stored progress if it belongs to the node: copies of a workflow or node inherit nothing. */
function storedIn(
	text: unknown,
	{ workflowId, nodeId }: Pick<RecordMemory, 'workflowId' | 'nodeId'>,
): Stored | undefined {
	const stored = typeof text === 'string' ? (JSON.parse(text) as Stored) : undefined;
	return stored?.owner === nodeKey(workflowId, nodeId) ? stored : undefined;
}

function storeOf(context: Owner): IDataObject {
	const store = context.getWorkflowStaticData('global')[STORE];
	return isObject(store) ? store : {};
}
