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
function localToMs(iso: string, timeZone: string): number | undefined {
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

/**
 * Reads a time that someone entered as Unix milliseconds: a Date, Luxon's DateTime, digits, ISO 8601, or another text that
 * can be read in one way only, such as `25.11.2026` and `Nov 5, 2026 10:00 PM`. Texts without an offset are in the given
 * time zone. Undefined for anything else, such as `05.11.2026`.
 */
export function readInstant(value: unknown, timeZone: string): number | undefined {
	if (typeof value === 'number') return readDigits(String(value), timeZone);
	if (typeof value !== 'string') return isObject(value) ? dateObjectToMs(value) : undefined;
	const text = value.trim().replace(/\s+/g, ' ');
	return /^\d+(\.\d+)?$/.test(text) ? readDigits(text, timeZone) : readText(text, timeZone);
}

/** Luxon's DateTime can be of another copy of Luxon, and a Date of another realm. */
function dateObjectToMs(value: object): number | undefined {
	const isDate = Object.prototype.toString.call(value) === '[object Date]';
	if (!isDate && !('isLuxonDateTime' in value)) return undefined;
	const own = Number(value.valueOf());
	return Number.isFinite(own) ? own : undefined;
}

/** A date, or a date and time, in digits only, such as `20261120` and `20261120101500`. */
const COMPACT = /^((?:19|2\d)\d\d)(\d\d)(\d\d)(?:([01]\d|2[0-3])([0-5]\d)(?:([0-5]\d)(\d{3})?)?)?$/;

/**
 * Reads seconds (Unix or Gregorian; 9 to 11 digits), milliseconds (12 or 13), microseconds (15 or 16), or
 * {@link COMPACT} (8, 14, or 17). 12 digits that are a date, too, can be read in two ways.
 */
function readDigits(digits: string, timeZone: string): number | undefined {
	const size = digits.replace(/\..*/, '').length;
	const [, year = '', month = '', day = '', ...clock] = COMPACT.exec(digits) ?? [];
	const date = year === '' ? undefined : dateOf(year, month, day);
	if (COMPACT_SIZES.includes(size)) {
		return date === undefined ? undefined : localToMs(`${date}T${clockOf(clock)}`, timeZone);
	}
	const isNumber = (size >= 9 && size <= 16) || Number(digits) === 0;
	return isNumber && date === undefined ? numberToUnixMs(digits) : undefined;
}

const COMPACT_SIZES = [8, 14, 17];

/** Returns `10:15:00.000` for hour, minute, second, and milliseconds, any of which can be missing. */
function clockOf([hour, minute, second, ms]: Array<string | undefined>): string {
	const two = (part = '') => part.padStart(2, '0');
	return `${two(hour)}:${two(minute)}:${two(second)}.${(ms ?? '').slice(0, 3).padEnd(3, '0')}`;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?<month>${MONTHS.join('|')})[a-z]*`;
const DAY = '(?<day>\\d\\d?)(?:st|nd|rd|th)?';
const YEAR = '(?<year>\\d{4})';

/** Day and month as `one` and `two` can be in either order. */
const DATES = [
	`${YEAR}(?<sign>[-/.])(?<month>\\d\\d?)\\k<sign>(?<day>\\d\\d?)`,
	`${YEAR}(?<month>\\d\\d)(?<day>\\d\\d)(?=T)`,
	`${YEAR}-(?<month>\\d\\d)$`,
	`(?<one>\\d\\d?)(?<sign>[-/.])(?<two>\\d\\d?)\\k<sign>${YEAR}`,
	`${DAY}[ .-]{1,2}${MONTH}[ .,-]{1,2}${YEAR}`,
	`${MONTH}[ .]{1,2}${DAY},? ${YEAR}`,
].map((date) => new RegExp(`^(?:(?<weekday>sun|mon|tue|wed|thu|fri|sat)[a-z]*,? )?${date}`, 'i'));

/** A time of day with its offset, and a time zone in brackets or its name in parentheses. */
const CLOCK = new RegExp(
	[
		'^(?:T|,? (?:at )?)(?<hour>\\d\\d?)(?::?(?<minute>[0-5]\\d)(?::?(?<second>[0-5]\\d)(?:[.,](?<fraction>\\d+))?)?)?',
		'(?: ?(?<half>[ap])\\.?m\\.?)?',
		'(?: ?(?:(?<utc>Z|UTC|GMT)|(?:UTC|GMT)?(?<sign>[+-])(?<ahead>\\d\\d)(?::?(?<ahead2>[0-5]\\d))?))?',
		'(?: ?\\[(?<zone>[\\w+/-]+)\\]| \\([^()]*\\))?$',
	].join(''),
	'i',
);

type Groups = Record<string, string | undefined>;

function readText(text: string, timeZone: string): number | undefined {
	for (const pattern of DATES) {
		const found = pattern.exec(text);
		if (!found) continue;
		const date = readDate(found.groups as Groups);
		const rest = text.slice(found[0].length);
		if (date === undefined) return undefined;
		if (rest === '') return localToMs(`${date}T00:00`, timeZone);
		const clock = CLOCK.exec(rest)?.groups;
		return clock && readClock(date, clock, timeZone);
	}
	return undefined;
}

/** Returns a date such as `2026-11-20`. Undefined if it doesn't exist or can be read in two ways. */
function readDate({ weekday, year = '', month, day, one, two }: Groups): string | undefined {
	const named = MONTHS.indexOf(month?.toLowerCase() ?? '') + 1;
	const readings =
		one === undefined || two === undefined
			? [dateOf(year, named === 0 ? month : String(named), day)]
			: [dateOf(year, one, two), dateOf(year, two, one)];
	const [date, ...others] = new Set(readings.filter((reading) => reading !== undefined));
	if (date === undefined || others.length > 0) return undefined;
	const name = new Date(date).toUTCString().slice(0, 3);
	return [undefined, name.toLowerCase()].includes(weekday?.toLowerCase()) ? date : undefined;
}

function dateOf(year: string, month = '', day = '1'): string | undefined {
	if (!isDay(year, month, day)) return undefined;
	return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
}

function readClock(date: string, clock: Groups, timeZone: string): number | undefined {
	const { minute, second, fraction, utc, zone = timeZone } = clock;
	const hour = hourOf(clock);
	if (hour === undefined || !isTimeZone(zone)) return undefined;
	const local = `${date}T${clockOf([hour, minute, second, fraction])}`;
	const { sign, ahead = '', ahead2 = '00' } = clock;
	const offset = sign === undefined ? utc && 'Z' : `${sign}${ahead}:${ahead2}`;
	return localToMs(local + (offset ?? ''), zone);
}

/** Returns the hour of the day; undefined if there isn't one. A lone `9` isn't a time, `9 AM` and `09` are. */
function hourOf({ hour = '', minute, half }: Groups): string | undefined {
	if (half === undefined) {
		const isAlone = minute === undefined && hour.length < 2;
		return isAlone || Number(hour) > 24 ? undefined : hour;
	}
	if (!/^(?:0?[1-9]|1[0-2])$/.test(hour)) return undefined;
	return String((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0));
}

/** The calendar repeats after 2000 years. Adding them avoids years below 100, which Date takes for 19xx. */
function isDay(year: string, month: string, day: string): boolean {
	const lastDay = new Date(Date.UTC(2000 + Number(year), Number(month), 0)).getUTCDate();
	return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
}
