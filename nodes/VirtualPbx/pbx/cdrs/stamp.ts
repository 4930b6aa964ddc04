import type { IDataObject } from 'n8n-workflow';

import { GREGORIAN_OFFSET, numberToUnixMs, unixToGregorian } from '../../util/time';
import { recordKey } from './cdr';
import { cdrDuration, cdrStamp, cdrTalk } from './cdrFields';

/** When a call ended or when it began: what a PBX means by TIMESTAMP (§2.4), which differs in the field. */
export type Stamp = 'begin' | 'end';

/** A range in Gregorian seconds, as `created_from` and `created_to` ask for it (§4.3); an open end is undefined. */
interface Asked {
	from?: number | undefined;
	to?: number | undefined;
}

/** How far times that mean the same may lie apart, in seconds. */
const TOLERANCE = 2;
/** How much longer than its talk a call may last, in seconds: it has rung before. */
const RINGING = 300;
/** Shorter calls tell nothing: their beginning and their end are too close. */
const LEAST_SECONDS = 10;
/** So many records tell enough. */
const MOST_RECORDS = 200;

/**
 * Finds what TIMESTAMP means by the records of a range. Another time of the same record tells it: REC_FILE or `iso_8601`
 * may say when the call ended or began. So does the range, which means when the record was made: a call may have begun
 * before it, and its record is never made before the call is over. What is known is not looked for again, only corrected by
 * the range. Undefined where nothing tells.
 */
export function stampIn(
	records: readonly IDataObject[],
	asked: Asked,
	known?: Stamp,
): Stamp | undefined {
	if (known) return majority(stampsByRange(records, asked)) ?? known;
	const long = records.filter((record) => cdrDuration(record) >= LEAST_SECONDS);
	const byTimes = long.slice(0, MOST_RECORDS).flatMap(stampsByTimes);
	return majority(byTimes) ?? majority(stampsByRange(records, asked));
}

function majority(stamps: readonly Stamp[]): Stamp | undefined {
	const begins = stamps.filter((stamp) => stamp === 'begin').length;
	if (2 * begins === stamps.length) return undefined;
	return 2 * begins > stamps.length ? 'begin' : 'end';
}

/** By the other times of a record: one as long after TIMESTAMP as the call lasted is its end, one before it its beginning. */
function stampsByTimes(record: IDataObject): Stamp[] {
	const stamp = cdrStamp(record);
	if (stamp === undefined) return [];
	const lengths = [cdrDuration(record), cdrTalk(record) ?? 0];
	const isLength = (seconds: number) =>
		lengths.some((length) => length >= LEAST_SECONDS && Math.abs(seconds - length) <= TOLERANCE);
	return Object.values(record).flatMap((value): Stamp[] => {
		const time = timeIn(value);
		const seconds = time === undefined ? 0 : (time - stamp) / 1000;
		if (isLength(seconds)) return ['begin'];
		return isLength(-seconds) ? ['end'] : [];
	});
}

const DATED = /(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)[-_.T ](\d\d)[-_.:]?(\d\d)[-_.:]?(\d\d)/;

/** A time in UTC within a field, as a number or as a date and a time of day; undefined where there is none. */
function timeIn(value: unknown): number | undefined {
	const time = numberToUnixMs(value);
	if (time !== undefined || typeof value !== 'string') return time;
	const [, ...parts] = DATED.exec(value) ?? [];
	const [year = 0, month = 1, day = 1, hour, minute, second] = parts.map(Number);
	return parts.length === 0 ? undefined : Date.UTC(year, month - 1, day, hour, minute, second);
}

/** By the range: nothing where the PBX does not keep to it. */
function stampsByRange(records: readonly IDataObject[], { from, to }: Asked): Stamp[] {
	const [first, last] = [from ?? -Infinity, to ?? Infinity];
	const stamps: Stamp[] = [];
	for (const record of records) {
		const { begin, end } = boundsOf(record);
		if (begin === undefined || end === undefined) continue;
		if (end + RINGING < first || begin > last + TOLERANCE) return [];
		if (begin < first - TOLERANCE) stamps.push('begin');
		else if (end > last + TOLERANCE) stamps.push('end');
	}
	return stamps;
}

/** When the call of a record began at the earliest and ended at the latest if TIMESTAMP is its beginning. */
function boundsOf(record: IDataObject): { begin?: number; end?: number } {
	const stamp = cdrStamp(record);
	if (stamp === undefined) return {};
	const begin = unixToGregorian(Math.floor(stamp / 1000));
	return { begin, end: begin + cdrDuration(record) };
}

/** The shortest call that is worth a request. */
const LEAST_PROBED = 60;

/**
 * Asks the PBX what TIMESTAMP means: whether the longest call is found where it would have ended if it had begun then, and
 * not where it would have ended otherwise. `read` reads a range; undefined where no call is long enough.
 */
export async function probeStamp(
	records: readonly IDataObject[],
	read: (range: Required<Asked>) => Promise<IDataObject[]>,
): Promise<Stamp | undefined> {
	let longest: IDataObject = {};
	for (const record of records)
		if (cdrStamp(record) !== undefined && cdrDuration(record) > cdrDuration(longest))
			longest = record;
	const { begin = -GREGORIAN_OFFSET, end = begin } = boundsOf(longest);
	if (end - begin < LEAST_PROBED) return undefined;
	const key = recordKey(longest);
	const middle = Math.ceil((begin + end) / 2);
	const isFound = async (from: number, to: number) =>
		(await read({ from, to })).some((record) => recordKey(record) === key);
	if (!(await isFound(middle, Math.ceil(end) + RINGING))) return 'end';
	return (await isFound(begin - TOLERANCE, middle - 1)) ? 'end' : 'begin';
}

/** Tells the records of a stock platform, whose TIMESTAMP is the beginning, by the columns of its list. */
export function isStock(record: IDataObject): boolean {
	return 'rfc_1036' in record && 'unix_timestamp' in record;
}
