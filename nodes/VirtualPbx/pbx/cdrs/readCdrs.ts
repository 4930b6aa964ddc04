import type { IDataObject } from 'n8n-workflow';

import { gregorianNow, unixToGregorian } from '../../util/time';
import type { Pbx } from '../client';
import { readList } from '../documents';
import { PbxError } from '../errors/pbxError';
import { canonical } from './cdr';
import { cdrText, cdrTime, cdrStamp, markStampedAtBegin } from './cdrFields';
import type { Stamp } from './stamp';
import { isStock, probeStamp, stampIn } from './stamp';

/** A time range in Gregorian seconds (§4.3); an open end is undefined. */
export interface Range {
	from?: number | undefined;
	to?: number | undefined;
}

/** A search for CDRs (§4.3). */
export interface CdrQuery extends Range {
	/** Query parameters as sent: `filter_<field>` → value. */
	filters?: IDataObject | undefined;
	/** Excludes records before they count toward the limit; by default, keeps all. */
	keep?: ((record: IDataObject) => boolean) | undefined;
	accountId?: string | undefined;
	/** Reads longer ranges in windows of this length, in seconds; by default, reads any range at once. */
	windowSeconds?: number | undefined;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Window lengths to try after a refusal, by status: too long for the PBX (seen in the field), or too slow. */
const SHORTER: Record<string, number[]> = {
	400: [7 * DAY, DAY, 6 * HOUR, HOUR],
	504: [7 * DAY, DAY],
};

/** Records, and the meaning of their TIMESTAMP; undefined if nothing shows it. */
export interface TimedCdrs {
	records: IDataObject[];
	stamp: Stamp | undefined;
}

/**
 * Reads CDRs (GET `cdrs`, §4.3). Reads a long range in windows, merged without duplicates and sorted newest first; a
 * range read at once keeps the PBX's order. Splits a refused window (400, 504) into weeks, days, and so on, down to
 * hours. Afterward, `cdrTime` returns when each leg ended, as far as the records show. Throws PbxError, including for
 * an incomplete list.
 */
export async function readCdrs(pbx: Pbx, query: CdrQuery, limit?: number): Promise<IDataObject[]> {
	const { windows, stamp } = await readWindows(pbx, query, limit);
	return joined(windows, stamp ?? stampOfStock(windows), limit);
}

/**
 * Reads CDRs as {@link readCdrs} does, for callers that need exact times: if neither the records nor `known` show
 * what TIMESTAMP means, asks the PBX once more.
 */
export async function readTimedCdrs(
	pbx: Pbx,
	query: CdrQuery,
	{ limit, known }: { limit?: number | undefined; known?: Stamp | undefined } = {},
): Promise<TimedCdrs> {
	const { windows, stamp: told } = await readWindows(pbx, query, limit, known);
	const read = async (range: Range) => await readWindow(pbx, query, range, undefined);
	const all = windows.flatMap(({ records }) => records);
	const stamp = told ?? (await probeStamp(all, read).catch(() => undefined));
	return { records: joined(windows, stamp ?? stampOfStock(windows), limit), stamp };
}

/** Reads a range window by window, newest first, until the limit is reached. */
async function readWindows(pbx: Pbx, query: CdrQuery, limit = Infinity, known?: Stamp) {
	const left = splitRange(query, query.windowSeconds ?? 0, gregorianNow());
	const windows: Window[] = [];
	let stamp: Stamp | undefined;
	let count = 0;
	for (let range = left.shift(); range !== undefined && count < limit; range = left.shift()) {
		const isOnly = windows.length === 0 && left.length === 0;
		try {
			const all = await readWindow(pbx, query, range, isOnly ? limit : undefined);
			const newer = windows.at(-1);
			stamp ??= stampIn(all, range, known);
			const records = newer ? dropDoubles(newer, { range, all }) : all;
			windows.push({ range, all, records });
			count += records.length;
		} catch (error) {
			left.unshift(...shorterRanges(range, error, gregorianNow()));
		}
	}
	return { windows, stamp };
}

function stampOfStock(windows: readonly Window[]): Stamp | undefined {
	return windows.some(({ records }) => records.some(isStock)) ? 'begin' : undefined;
}

/** Merges the records of all windows, and marks those whose TIMESTAMP is the beginning. */
function joined(windows: readonly Window[], stamp: Stamp | undefined, limit?: number) {
	const all = windows.flatMap(({ records }) => records);
	if (stamp === 'begin') all.forEach(markStampedAtBegin);
	const sorted = windows.length > 1 ? newestFirst(all) : all;
	return limit === undefined ? sorted : sorted.slice(0, limit);
}

async function readWindow(
	pbx: Pbx,
	query: CdrQuery,
	range: Range,
	limit: number | undefined,
): Promise<IDataObject[]> {
	const { accountId, filters, keep = () => true } = query;
	const request = {
		path: ['cdrs'],
		accountId,
		query: { created_from: range.from, created_to: range.to, ...filters },
	};
	const isWanted = (entry: IDataObject) => isRecord(entry) && keep(entry);
	return await readList(pbx, request, limit, isWanted);
}

/** Splits a refused window into shorter ones. Rethrows the error if that isn't possible or doesn't help. */
function shorterRanges(range: Range, error: unknown, now: number): Range[] {
	const lengths = error instanceof PbxError ? SHORTER[String(error.status)] : undefined;
	for (const seconds of lengths ?? []) {
		const parts = splitRange(range, seconds, now);
		if (parts.length > 1) return parts;
	}
	throw error;
}

/** Excludes non-objects, which `readList` wraps as an object with one field. */
function isRecord(entry: IDataObject): boolean {
	return !('value' in entry) || Object.keys(entry).length > 1;
}

function newestFirst(records: IDataObject[]): IDataObject[] {
	return records
		.map((record) => ({ record, time: cdrTime(record) ?? 0 }))
		.sort((a, b) => b.time - a.time)
		.map(({ record }) => record);
}

/** The overlap of two windows, in seconds: the contract doesn't say whether a range includes its bounds (§4.3). */
const WINDOW_OVERLAP = 2;

/**
 * Splits a range into windows, newest first, of at most `seconds` including the overlap; 0 doesn't split. Keeps the
 * outer bounds as they are, even open ones. `now`, in Gregorian seconds, is used for an open end.
 */
function splitRange(range: Range, seconds: number, now: number): Range[] {
	const { from, to = Math.max(now, range.from ?? 0) } = range;
	if (from === undefined || seconds <= WINDOW_OVERLAP || to - from <= seconds)
		return [{ from, to: range.to }];
	const windows: Range[] = [];
	let start = from;
	for (; start + seconds < to; start += seconds - WINDOW_OVERLAP) {
		windows.push({ from: start, to: start + seconds });
	}
	windows.push({ from: start, to: range.to });
	return windows.reverse();
}

/** A window's range, and all that the PBX returned for it. */
interface Given {
	range: Range;
	all: IDataObject[];
}

/** A window, and its records minus those that the newer adjacent window also returned. */
interface Window extends Given {
	records: IDataObject[];
}

/**
 * Removes records that the newer adjacent window also returned. Counts records that are equal in every field, so that
 * none is lost. Compares only records whose TIMESTAMP isn't clearly inside its own window.
 */
function dropDoubles(newer: Given, older: Given): IDataObject[] {
	const suspects = new Set<string | undefined>();
	for (const { all, range } of [newer, older]) {
		for (const record of all) {
			if (!isInside(record, range)) suspects.add(cdrText(record, 'TIMESTAMP'));
		}
	}
	if (suspects.size === 0) return older.all;

	const isSuspect = (record: IDataObject) => suspects.has(cdrText(record, 'TIMESTAMP'));
	const given = new Map<string, number>();
	for (const record of newer.all.filter(isSuspect)) {
		const key = canonical(record);
		given.set(key, (given.get(key) ?? 0) + 1);
	}
	return older.all.filter((record) => {
		if (!isSuspect(record)) return true;
		const key = canonical(record);
		const left = given.get(key) ?? 0;
		if (left > 0) given.set(key, left - 1);
		return left === 0;
	});
}

function isInside(record: IDataObject, { from = -Infinity, to = Infinity }: Range): boolean {
	const time = cdrStamp(record);
	if (time === undefined) return false;
	const seconds = unixToGregorian(time / 1000);
	return seconds > from + WINDOW_OVERLAP && seconds < to - WINDOW_OVERLAP;
}
