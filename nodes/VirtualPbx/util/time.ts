import { tryToParseDateTime } from 'n8n-workflow';

/** Seconds from year 0 to the Unix epoch (§8): Gregorian seconds = Unix seconds + this. */
export const GREGORIAN_OFFSET = 62_167_219_200;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The latest time that a Date can hold, in Unix milliseconds. */
export const LATEST_MS = 8.64e15;

/** Converts Unix seconds (UTC) to Gregorian seconds (§4.3.2). */
export function unixToGregorian(unixSeconds: number): number {
	return unixSeconds + GREGORIAN_OFFSET;
}

/** Returns the current time in whole Gregorian seconds, rounded up. */
export function gregorianNow(): number {
	return Math.ceil(unixToGregorian(Date.now() / 1000));
}

/** Converts Gregorian seconds to Unix milliseconds (UTC). */
export function gregorianToUnixMs(gregorianSeconds: number): number {
	return (gregorianSeconds - GREGORIAN_OFFSET) * 1000;
}

/** Infers the unit of a bare number from its size, since the contract doesn't state it: right from 1974 to 2900. */
function toUnixMs(value: number): number {
	const size = Math.abs(value);
	if (size < 3e10) return value * 1000;
	if (size < 1e11) return gregorianToUnixMs(value);
	return size < 1e14 ? value : value / 1000;
}

/** Reads a time from a bare number, or its digits, as Unix milliseconds; undefined for anything else. */
export function numberToUnixMs(value: unknown): number | undefined {
	const number =
		typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
	const milliseconds = Math.floor(toUnixMs(number));
	return Math.abs(milliseconds) > LATEST_MS ? undefined : milliseconds;
}

/** Returns whether a time zone exists. */
export function isTimeZone(timeZone: string): boolean {
	return inZone(Date.now(), timeZone).isValid;
}

/**
 * Returns when a day began in a time zone, in Unix milliseconds: 0 is today, -1 yesterday. A day whose midnight the
 * clocks skip begins at 01:00.
 */
export function startOfDay(timeZone: string, day: number): number {
	const today = inZone(Date.now(), timeZone).toFormat('yyyy-MM-dd');
	const date = new Date(Date.parse(today) + day * DAY_MS).toISOString().slice(0, 10);
	return localToMs(`${date}T00:00`, timeZone) ?? NaN;
}

/**
 * Reads ISO 8601 as Unix milliseconds; undefined if it isn't valid. Without an offset, it is in the given time zone, and
 * a time that the clocks show twice is the first one.
 */
export function localToMs(iso: string, timeZone: string): number | undefined {
	let time;
	try {
		time = tryToParseDateTime(iso, timeZone);
	} catch {
		return undefined;
	}
	const before = time.minus({ hours: 3 });
	const earlier = time.minus({ minutes: before.offset - time.offset });
	const isTwice =
		before.offset > time.offset &&
		earlier.toISO({ includeOffset: false }) === time.toISO({ includeOffset: false });
	return (isTwice ? earlier : time).toMillis();
}

/** A time as clocks and calendars show it. */
export interface LocalTime {
	/** Such as `2026-11-20`. */
	day: string;
	/** 1 is Monday, 7 Sunday. */
	weekday: number;
	hour: number;
}

/** All time zones change their clocks at a quarter of an hour. */
const QUARTER_MS = 900_000;

/** Returns a reader of Unix milliseconds in a time zone. It is fast for times that follow each other closely. */
export function localClock(timeZone: string): (unixMs: number) => LocalTime {
	let quarter = NaN;
	let time: LocalTime = { day: '', weekday: 0, hour: 0 };
	return (unixMs) => {
		const now = Math.floor(unixMs / QUARTER_MS);
		if (now === quarter) return time;
		const local = inZone(now * QUARTER_MS, timeZone);
		time = { day: local.toFormat('yyyy-MM-dd'), weekday: local.weekday, hour: local.hour };
		quarter = now;
		return time;
	};
}

function inZone(unixMs: number, timeZone: string) {
	return tryToParseDateTime(new Date(unixMs).toISOString(), timeZone).setZone(timeZone);
}

/** The day that was formatted last: the times of a list follow each other closely, and `toISOString` is slow. */
let formatted = { day: NaN, text: '' };

/**
 * Formats Unix milliseconds as ISO 8601 in UTC, like `2026-11-20T10:00:00Z`. Throws RangeError if it's not a valid
 * time.
 */
export function toIso(unixMs: number): string {
	const time = Math.trunc(unixMs);
	const day = Math.floor(time / DAY_MS);
	if (day !== formatted.day) {
		const text = new Date(time).toISOString();
		// Only the first moment of the last day is a valid time, so that day isn't kept.
		formatted = { day: time === LATEST_MS ? NaN : day, text: text.slice(0, text.indexOf('T')) };
	}
	const ms = time - day * DAY_MS;
	const seconds = Math.floor(ms / 1000);
	const clock = `${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
	const fraction = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`;
	return `${formatted.text}T${clock}${fraction}Z`;
}

function twoDigits(count: number): string {
	const whole = Math.floor(count);
	return whole < 10 ? `0${whole}` : String(whole);
}
