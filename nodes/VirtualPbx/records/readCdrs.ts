import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { readList } from '../transport/list';
import type { Pbx } from '../transport/pbx';
import { gregorianNow, unixToGregorian } from '../values/time';
import { cdrText, cdrTime } from './cdr';
import { canonical } from './recordKey';

/** A search for CDRs (§4.3). */
export interface CdrQuery extends Range {
	/** Query parameters as they are sent: `filter_<field>` → value. */
	filters?: IDataObject | undefined;
	/** Leaves records out before they count; all are kept by default. */
	keep?: ((record: IDataObject) => boolean) | undefined;
	accountId?: string | undefined;
	itemIndex?: number | undefined;
	/** Longer ranges are read in windows of this length, in seconds; 0 reads any range at once. */
	windowSeconds: number;
}

const HOUR = 3600;

/** How a range is split further where the PBX refuses it, in seconds. */
const SMALLER = [168 * HOUR, 24 * HOUR, 6 * HOUR, HOUR, HOUR / 12];
/** The ways by the status of the refusal; what takes too long (504) is not cut below days. */
const SPLITS: Record<string, number[]> = { 400: SMALLER, 413: SMALLER, 504: SMALLER.slice(0, 2) };

/**
 * Reads CDRs (GET `cdrs`, §4.3). A long range is read in windows, newest first, and joined without doubles; then the
 * records are sorted by time, newest first. A range read at once keeps the order that the PBX gives.
 * A window that the PBX refuses (400, 413, 504) is tried again in weeks, a week in days, and so on to five minutes.
 *
 * @param limit how many records at most; undefined for all
 * @throws NodeApiError from the transport; the PBX's refusal when it refuses the smallest window, too
 */
export async function readCdrs(pbx: Pbx, query: CdrQuery, limit?: number): Promise<IDataObject[]> {
	const windows = splitRange(
		{ from: query.from, to: query.to },
		query.windowSeconds,
		gregorianNow(),
	);
	let all: IDataObject[] = [];
	let reads = 0;
	for await (const { records } of readWindows(pbx, query, windows, limit)) {
		all = all.length === 0 ? records : all.concat(records);
		reads++;
		if (limit !== undefined && all.length >= limit) break;
	}
	if (reads > 1) all = newestFirst(all);
	return limit === undefined ? all : all.slice(0, limit);
}

/**
 * Reads windows one after the other, each without what the one before it gave, too. A window that the PBX refuses is
 * split as {@link readCdrs} says.
 *
 * @param windows newest first, neighbours overlapping by {@link SEAM}
 * @param limit how many records at most where a single window is read
 * @throws NodeApiError as {@link readCdrs}
 * @yields each window with its records
 */
export async function* readWindows(
	pbx: Pbx,
	query: Omit<CdrQuery, 'windowSeconds'>,
	windows: readonly Range[],
	limit?: number,
): AsyncGenerator<Windowed> {
	const left = [...windows];
	let newer: Windowed | undefined;
	for (let range = left.shift(); range !== undefined; range = left.shift()) {
		const isSole = newer === undefined && left.length === 0;
		const outcome = await readWindow(pbx, query, range, isSole ? limit : undefined);
		if ('error' in outcome) {
			left.unshift(...smaller(range, outcome.error, gregorianNow()));
			continue;
		}
		const window: Windowed = { range, records: outcome.records };
		yield newer ? { range, records: dropDoubles(newer, window) } : window;
		newer = window;
	}
}

async function readWindow(
	pbx: Pbx,
	query: Omit<CdrQuery, 'windowSeconds'>,
	range: Range,
	limit: number | undefined,
): Promise<{ records: IDataObject[] } | { error: unknown }> {
	const request = {
		path: ['cdrs'],
		accountId: query.accountId,
		itemIndex: query.itemIndex,
		query: {
			...(range.from === undefined ? {} : { created_from: range.from }),
			...(range.to === undefined ? {} : { created_to: range.to }),
			...query.filters,
		},
	};
	const { keep = () => true } = query;
	const isWanted = (entry: IDataObject) => isRecord(entry) && keep(entry);
	try {
		return { records: await readList(pbx, request, limit, isWanted) };
	} catch (error) {
		return { error };
	}
}

/** Splits a refused window into shorter ones; throws the refusal where there are none, or it is of another kind. */
function smaller(range: Range, error: unknown, now: number): Range[] {
	const lengths = error instanceof NodeApiError ? SPLITS[String(error.httpCode)] : undefined;
	for (const seconds of lengths ?? []) {
		const parts = splitRange(range, seconds, now);
		if (parts.length > 1) return parts;
	}
	throw error;
}

/** Leaves out what is no object: `readList` gives it as the only field of one. */
function isRecord(entry: IDataObject): boolean {
	return !('value' in entry) || Object.keys(entry).length > 1;
}

function newestFirst(records: IDataObject[]): IDataObject[] {
	return records
		.map((record) => ({ record, time: cdrTime(record) ?? 0 }))
		.sort((a, b) => b.time - a.time)
		.map(({ record }) => record);
}

/** A range of time in Gregorian seconds (§4.3); an open end is undefined. */
export interface Range {
	from?: number | undefined;
	to?: number | undefined;
}

/**
 * How long two neighbouring windows overlap, in seconds. Whether the bounds of a range belong to it is not stated
 * (§4.3): with an overlap nothing falls between two windows either way.
 */
export const SEAM = 2;

/**
 * Splits a range into windows, newest first.
 *
 * @param range the bounds that the windows share stay as they are, also when they are open
 * @param seconds length of a window at most, the overlap included; 0 does not split
 * @param now Gregorian seconds that stand for an open end
 */
export function splitRange(range: Range, seconds: number, now: number): Range[] {
	const { from, to = Math.max(now, range.from ?? 0) } = range;
	if (from === undefined || seconds <= SEAM || to - from <= seconds) return [range];
	const windows: Range[] = [];
	let start = from;
	for (; start + seconds < to; start += seconds - SEAM) {
		windows.push({ from: start, to: start + seconds });
	}
	windows.push({ from: start, to: range.to });
	return windows.reverse();
}

/**
 * Splits a range into windows that double in length, newest first.
 *
 * @param shortest seconds of the newest window, at least some minutes
 * @param longest seconds of a window at most
 */
export function growingWindows(
	{ from, to }: Required<Record<'from' | 'to', number>>,
	shortest: number,
	longest: number,
): Array<{ from: number; to: number }> {
	const windows: Array<{ from: number; to: number }> = [];
	let end = to;
	for (
		let length = Math.min(shortest, longest);
		end - length > from;
		length = Math.min(length * 2, longest)
	) {
		windows.push({ from: end - length, to: end });
		end += SEAM - length;
	}
	windows.push({ from, to: end });
	return windows;
}

/**
 * Removes from a window's records those that the newer window beside it gave, too. Records that are alike in every field
 * are counted, so that none of them is lost: doubles are as many as both windows have.
 *
 * Only records that may lie on the seam are compared: those whose TIMESTAMP is not clearly inside their own window.
 * That holds also where the PBX filters by another time than TIMESTAMP.
 *
 * @returns the older window's records without doubles
 */
export function dropDoubles(newer: Windowed, older: Windowed): IDataObject[] {
	const suspects = new Set<string | undefined>();
	for (const { records, range } of [newer, older]) {
		for (const record of records) {
			if (!isInside(record, range)) suspects.add(cdrText(record, 'TIMESTAMP'));
		}
	}
	if (suspects.size === 0) return older.records;

	const given = new Map<string, number>();
	for (const record of newer.records) {
		if (!suspects.has(cdrText(record, 'TIMESTAMP'))) continue;
		const key = canonical(record);
		given.set(key, (given.get(key) ?? 0) + 1);
	}
	return older.records.filter((record) => {
		if (!suspects.has(cdrText(record, 'TIMESTAMP'))) return true;
		const key = canonical(record);
		const left = given.get(key) ?? 0;
		if (left > 0) given.set(key, left - 1);
		return left === 0;
	});
}

/** What a window gave. */
export interface Windowed {
	range: Range;
	records: IDataObject[];
}

function isInside(record: IDataObject, { from = -Infinity, to = Infinity }: Range): boolean {
	const time = cdrTime(record);
	if (time === undefined) return false;
	const seconds = unixToGregorian(time / 1000);
	return seconds > from + SEAM && seconds < to - SEAM;
}
