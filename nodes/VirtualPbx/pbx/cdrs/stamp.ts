import { numberToUnixMs, unixToGregorian } from '../../util/time';
import type { Cdr, Range } from './cdr';

/** The meaning of TIMESTAMP at a PBX (§2.4): when a call began, or when it ended. PBXs differ in the field. */
export type Stamp = 'begin' | 'end';

/** How far times with the same meaning can differ, in seconds. */
const TOLERANCE = 2;
/** How much longer than its billed time a call can last, in seconds, because it rings first. */
const RINGING = 300;
/** Shorter calls show nothing: beginning and end are too close together. */
const MIN_SECONDS = 10;
/** This many records are enough to decide. */
const MAX_RECORDS = 200;

/**
 * Infers the meaning of TIMESTAMP from the records of a range. Another time in the same record shows it: REC_FILE or
 * `iso_8601` can hold when the call ended or began. So does the range, which selects by creation time: a call can
 * begin before the range, but its record is never created before the call is over. A known meaning is only corrected
 * by the range. Undefined if nothing shows it.
 */
export function stampIn(records: readonly Cdr[], asked: Range, known?: Stamp): Stamp | undefined {
	if (known) return majority(stampsByRange(records, asked)) ?? known;
	const long: Cdr[] = [];
	for (const record of records) {
		if (record.durationSeconds >= MIN_SECONDS) long.push(record);
		if (long.length === MAX_RECORDS) break;
	}
	return majority(long.flatMap(stampsByTimes)) ?? majority(stampsByRange(records, asked));
}

function majority(stamps: readonly Stamp[]): Stamp | undefined {
	const begins = stamps.filter((stamp) => stamp === 'begin').length;
	if (2 * begins === stamps.length) return undefined;
	return 2 * begins > stamps.length ? 'begin' : 'end';
}

/**
 * Compares TIMESTAMP with a record's other times: one that is later by the call's length is the end, so TIMESTAMP is
 * the beginning; one that is earlier by it is the beginning.
 */
function stampsByTimes(record: Cdr): Stamp[] {
	const stamp = record.stampedAt;
	if (stamp === undefined) return [];
	const lengths = [record.durationSeconds, record.talkSeconds ?? 0];
	const isLength = (seconds: number) =>
		lengths.some((length) => length >= MIN_SECONDS && Math.abs(seconds - length) <= TOLERANCE);
	return Object.values(record.original).flatMap((value): Stamp[] => {
		const time = timeIn(value);
		const seconds = time === undefined ? 0 : (time - stamp) / 1000;
		if (isLength(seconds)) return ['begin'];
		return isLength(-seconds) ? ['end'] : [];
	});
}

const DATED = /(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)[-_.T ](\d\d)[-_.:]?(\d\d)[-_.:]?(\d\d)/;

/** Reads a UTC time from a field: a number, or a date with a time of day. Undefined if there is none. */
function timeIn(value: unknown): number | undefined {
	const time = numberToUnixMs(value);
	if (time !== undefined || typeof value !== 'string') return time;
	const [, ...parts] = DATED.exec(value) ?? [];
	const [year = 0, month = 1, day = 1, hour, minute, second] = parts.map(Number);
	return parts.length === 0 ? undefined : Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Compares TIMESTAMP with the range. Empty if the PBX doesn't respect the range. */
function stampsByRange(records: readonly Cdr[], { from, to }: Range): Stamp[] {
	const [first, last] = [from ?? -Infinity, to ?? Infinity];
	const stamps: Stamp[] = [];
	for (const record of records) {
		const { begin, end } = boundsOf(record);
		if (begin === undefined || end === undefined) continue;
		if (end + RINGING < first || begin > last + TOLERANCE) return [];
		if (end - begin < MIN_SECONDS) continue;
		if (begin < first - TOLERANCE) stamps.push('begin');
		else if (end > last + TOLERANCE) stamps.push('end');
	}
	return stamps;
}

/** Returns when a record's call began and ended, assuming that TIMESTAMP is its beginning. */
function boundsOf(record: Cdr): { begin?: number; end?: number } {
	const stamp = record.stampedAt;
	if (stamp === undefined) return {};
	const begin = unixToGregorian(Math.floor(stamp / 1000));
	return { begin, end: begin + record.durationSeconds };
}

/** The shortest call worth a request, in seconds. */
const MIN_PROBED_SECONDS = 60;

/**
 * Asks the PBX what TIMESTAMP means: it's the beginning if the longest call is found where it would then have ended,
 * and isn't found where it would have ended otherwise. `read` reads a range. Undefined if no call is long enough.
 */
export async function probeStamp(
	records: readonly Cdr[],
	read: (range: Required<Range>) => Promise<Cdr[]>,
): Promise<Stamp | undefined> {
	const timed = records.filter(({ stampedAt }) => stampedAt !== undefined);
	const longest = timed.reduce<Cdr | undefined>(
		(best, one) => (one.durationSeconds > (best?.durationSeconds ?? 0) ? one : best),
		undefined,
	);
	if (!longest || longest.durationSeconds < MIN_PROBED_SECONDS) return undefined;
	const { begin = 0, end = 0 } = boundsOf(longest);
	const { key } = longest;
	const middle = Math.ceil((begin + end) / 2);
	const isFound = async (from: number, to: number) =>
		(await read({ from, to })).some((record) => record.key === key);
	if (!(await isFound(middle, Math.ceil(end) + RINGING))) return 'end';
	return (await isFound(begin - TOLERANCE, middle - 1)) ? 'end' : 'begin';
}
