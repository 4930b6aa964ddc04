import { tryToParseDateTime } from 'n8n-workflow';

import { isObject } from './json';

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

/** The greatest bare number that isn't a time: 8 digits are a date, 4 to 7 nothing at all. */
const MAX_DATE = 99_999_999;
const MIN_DATE = 1000;

/**
 * Reads a time as Unix milliseconds: ISO text, a date object, or a number of Unix seconds, milliseconds,
 * microseconds, or Gregorian seconds. Eight digits are a date, such as `20261120`; 4 to 7 digits aren't a time, and
 * neither are dates that don't exist. Texts without an offset are in the given time zone.
 */
export function readInstant(value: unknown, timeZone: string): number | undefined {
	const fromNumber = numberToUnixMs(value);
	if (fromNumber !== undefined) {
		const number = Number(value);
		if (number < MIN_DATE || number > MAX_DATE) return fromNumber;
		const [, ...parts] = /^(\d{4})(\d\d)(\d\d)$/.exec(String(number)) ?? [];
		return parts.length === 0 ? undefined : readInstant(parts.join('-'), timeZone);
	}
	if (typeof value !== 'string') return isObject(value) ? dateObjectToMs(value) : undefined;
	const [, year, month, day] = /^\s*(\d{4})[-/](\d\d?)[-/](\d\d?)/.exec(value) ?? [];
	// The calendar repeats after 2000 years. Adding them avoids years below 100, which Date would take for 19xx.
	const lastDay = new Date(Date.UTC(2000 + Number(year), Number(month), 0)).getUTCDate();
	if (Number(day) > lastDay) return undefined;
	try {
		return tryToParseDateTime(value, timeZone).toMillis();
	} catch {
		return undefined;
	}
}

/** Returns whether a time zone exists. */
export function isTimeZone(timeZone: string): boolean {
	return inZone(Date.now(), timeZone).isValid;
}

/** Returns when a day began in a time zone, in Unix milliseconds: 0 is today, -1 yesterday. */
export function startOfDay(timeZone: string, day: number): number {
	return inZone(Date.now(), timeZone).startOf('day').plus({ days: day }).toMillis();
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

/** Reads date objects of any kind (JavaScript's, Luxon's), whose value is their Unix milliseconds. */
function dateObjectToMs(value: object): number | undefined {
	const own: unknown = typeof value.valueOf === 'function' ? value.valueOf() : undefined;
	return typeof own === 'number' && Number.isFinite(own) ? own : undefined;
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
