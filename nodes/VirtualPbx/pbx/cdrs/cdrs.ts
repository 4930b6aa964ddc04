import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { gregorianNow, unixToGregorian } from '../../util/time';
import type { Requester, Dialect } from '../types';
import { PbxError } from '../errors/pbxError';
import { readPages } from '../documents';
import type { CdrSource, Range } from './cdr';
import { Cdr } from './cdr';

/** A search for CDRs (§4.3). */
export interface CdrQuery extends Range {
	/**
	 * Values that fields must have, by the contract's name or the platform's. The PBX supports some only within a range
	 * (§4.3.3). Fields by which the platform doesn't filter are compared here.
	 */
	fields?: Record<string, string> | undefined;
	/** Excludes records before they count toward the limit; by default, keeps all. */
	keep?: ((record: Cdr) => boolean) | undefined;
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

/**
 * The call records of an account (GET `cdrs`, §4.3). All methods throw PbxError, including for an incomplete list, and
 * for a field that the platform's records don't have.
 */
export interface Cdrs {
	/**
	 * Reads records. Reads a long range in windows, merged without duplicates and sorted newest first; a range read at
	 * once keeps the PBX's order.
	 */
	list(query: CdrQuery, options?: { limit?: number | undefined }): Promise<Cdr[]>;
	/** Streams records, window by window, newest first, with only one window in memory. */
	stream(query: CdrQuery, limit?: number): AsyncGenerator<Cdr>;
	/**
	 * Reads the legs of one call by its Bridge-ID (§2.4), with or without the address in it, even if the PBX ignores the
	 * filter: if that finds nothing, reads all records of the range.
	 */
	ofCall(bridgeId: string, range: Range): Promise<Cdr[]>;
	/** Reads a record that the PBX sent earlier, such as an input item. */
	read(original: IDataObject): Cdr;
}

type CdrRequester = Pick<Requester, 'dialect' | 'send'> & CdrSource;

/** Returns the call records of a client. No network access. */
export function cdrsOf(pbx: CdrRequester): Cdrs {
	const cdrs: Cdrs = {
		async list(query, { limit } = {}) {
			const windows: Window[] = [];
			for await (const window of readWindows(pbx, query, limit)) windows.push(window);
			const all = windows.flatMap(({ records }) => records);
			const records = windows.length > 1 ? newestFirst(all) : all;
			return limit === undefined ? records : records.slice(0, limit);
		},
		async *stream(query, limit = Infinity) {
			let left = limit;
			for await (const { records } of readWindows(pbx, query, limit)) {
				yield* records.slice(0, left);
				left -= records.length;
			}
		},
		async ofCall(bridgeId, range) {
			const keep = (record: Cdr) => isSameBridge(record.bridgeId ?? '', bridgeId);
			const fields = { bridge_id: bridgeId };
			const records = await cdrs.list({ ...range, keep, fields });
			return records.length > 0 ? records : await cdrs.list({ ...range, keep });
		},
		read: (original) => new Cdr(original, pbx),
	};
	return cdrs;
}

/** Compares Bridge-IDs of the form `<id>@<address>` (§2.4). If either lacks the address, compares only the ID. */
function isSameBridge(one: string, other: string): boolean {
	const isWhole = one.includes('@') && other.includes('@');
	return isWhole ? one === other : one.split('@')[0] === other.split('@')[0];
}

/**
 * Reads a range window by window, newest first, until the limit is reached. Splits a refused window (400, 504) into
 * weeks, days, and so on, down to hours.
 */
async function* readWindows(
	pbx: CdrRequester,
	query: CdrQuery,
	limit = Infinity,
): AsyncGenerator<Window> {
	const left = splitRange(query, query.windowSeconds ?? 0, gregorianNow());
	let newer: Window | undefined;
	let count = 0;
	for (let range = left.shift(); range !== undefined && count < limit; range = left.shift()) {
		const isOnly = newer === undefined && left.length === 0;
		try {
			const all = await readWindow(pbx, query, range, isOnly ? limit : undefined);
			const records = newer ? dropDuplicates(newer, { range, all }) : all;
			newer = { range, all, records };
		} catch (error) {
			left.unshift(...shorterRanges(range, error, gregorianNow()));
			continue;
		}
		count += newer.records.length;
		yield newer;
	}
}

async function readWindow(
	pbx: CdrRequester,
	{ fields = {}, keep }: CdrQuery,
	range: Range,
	limit = Infinity,
): Promise<Cdr[]> {
	const { sent, passes } = splitFilters(fields, pbx.dialect);
	const request = {
		path: ['cdrs'],
		query: { created_from: range.from, created_to: range.to, ...sent },
	};
	const records: Cdr[] = [];
	for await (const page of readPages(pbx, request)) {
		for (const entry of page) {
			if (!isRecord(entry) || !passes(entry)) continue;
			const record = new Cdr(entry, pbx);
			if (!keep || keep(record)) records.push(record);
		}
		if (records.length >= limit) return records.slice(0, limit);
	}
	return records;
}

/**
 * Splits filters into those that the platform applies, under its own names, and a check for the others. Throws PbxError
 * for a field that its records don't have: the PBX would return an empty list.
 */
function splitFilters(fields: Record<string, string>, { name, cdrFields }: Dialect) {
	const sent: IDataObject = {};
	const compared: Array<[string, string]> = [];
	for (const [field, value] of Object.entries(fields)) {
		const by = filterBy(field, cdrFields);
		if (by === undefined)
			throw new PbxError({
				kind: 'unsent',
				reason: `Call records of ${name} have no field "${field}"`,
				hint: "Use a field that Get Many returns with 'Simplify' off, or one of custom_channel_vars, with a dot.",
			});
		if ('filter' in by) sent[`filter_${by.filter}`] = value;
		else compared.push([by.listed, value]);
	}
	const passes = (entry: IDataObject) =>
		compared.every(([field, value]) => [entry[field]].flat().map(asText).includes(value));
	return { sent, passes };
}

/** Fields of the objects that a record can hold. Kazoo stores their names as `owner_id`, not as `Owner-ID`. */
const VARIABLES = /^custom_(?:application_vars|channel_vars|sip_headers)\.[\w-]/;

/** Returns the name to filter by, or to compare in the list; undefined if records have no such field. */
function filterBy(
	field: string,
	{ stored, listed, renamed }: Dialect['cdrFields'],
): { filter: string } | { listed: string } | undefined {
	const name = field.toLowerCase();
	if (Object.hasOwn(renamed, name)) return { filter: renamed[name] ?? name };
	if (stored === undefined) return { filter: field };
	if (VARIABLES.test(name)) return { filter: name.replaceAll('-', '_') };
	if (stored.includes(name)) return { filter: name };
	return listed.includes(name) ? { listed: name } : undefined;
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

/** Excludes non-objects, which `readPages` wraps as an object with one field. */
function isRecord(entry: IDataObject): boolean {
	return !('value' in entry) || Object.keys(entry).length > 1;
}

function newestFirst(records: Cdr[]): Cdr[] {
	return records
		.map((record) => ({ record, time: record.endedAt ?? 0 }))
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
	all: Cdr[];
}

/** A window, and its records minus those that the newer one also returned. */
interface Window extends Given {
	records: Cdr[];
}

/**
 * Removes records that the newer adjacent window also returned. Counts records that are equal in every field, so that
 * none is lost. Compares only records whose TIMESTAMP isn't clearly inside its own window.
 */
function dropDuplicates(newer: Given, older: Given): Cdr[] {
	const suspects = new Set<string | undefined>();
	for (const { all, range } of [newer, older]) {
		for (const record of all) {
			if (!isInside(record, range)) suspects.add(record.timestamp);
		}
	}
	if (suspects.size === 0) return older.all;

	const isSuspect = (record: Cdr) => suspects.has(record.timestamp);
	const given = new Map<string, number>();
	for (const record of newer.all.filter(isSuspect)) {
		const key = record.canonical;
		given.set(key, (given.get(key) ?? 0) + 1);
	}
	return older.all.filter((record) => {
		if (!isSuspect(record)) return true;
		const key = record.canonical;
		const left = given.get(key) ?? 0;
		if (left > 0) given.set(key, left - 1);
		return left === 0;
	});
}

function isInside(record: Cdr, { from = -Infinity, to = Infinity }: Range): boolean {
	const time = record.stampedAt;
	if (time === undefined) return false;
	const seconds = unixToGregorian(time / 1000);
	return seconds > from + WINDOW_OVERLAP && seconds < to - WINDOW_OVERLAP;
}
