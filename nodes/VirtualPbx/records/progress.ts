import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';

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
