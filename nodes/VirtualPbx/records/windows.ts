import type { IDataObject } from 'n8n-workflow';

import { cdrText, cdrTime } from '../values/cdr';
import { unixToGregorian } from '../values/time';
import { canonical } from './recordKey';

/** A range of time in Gregorian seconds (§4.3); an open end is undefined. */
export interface Range {
	from?: number | undefined;
	to?: number | undefined;
}

/**
 * How long two neighbouring windows overlap, in seconds. Whether the bounds of a range belong to it is not stated
 * (§4.3): with an overlap nothing falls between two windows either way.
 */
const SEAM = 2;

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
