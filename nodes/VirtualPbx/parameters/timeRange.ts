import { gregorianNow, isTimeZone, readInstant, startOfDay, unixToGregorian } from '../util/time';
import type { ItemScope, Parameter, Place } from './parameter';
import { defineOptions, defineRaw, parameterError } from './parameter';

/** A time range in whole Gregorian seconds (§4.3.1). An open end is undefined. */
export interface TimeRange {
	from: number | undefined;
	to: number | undefined;
}

const AHEAD = 3600;

/** Returns one hour from now in whole Gregorian seconds, for ranges that must end: a PBX's clock can be ahead. */
export function gregorianSoon(): number {
	return gregorianNow() + AHEAD;
}

const after = defineRaw({
	displayName: 'After',
	name: 'after',
	type: 'dateTime',
	default: '',
	hint: "In the workflow's time zone. Expressions can return a date, ISO text, or Unix seconds.",
});

const before = defineRaw({ displayName: 'Before', name: 'before', type: 'dateTime', default: '' });

/** Defines After and Before. `whenEmpty` describes an empty one, without a period. */
export function defineTimeRange(whenEmpty: { after: string; before: string }): Parameter[] {
	return [
		after.with({
			description: `Only calls from this time on. By default, ${whenEmpty.after}.`,
		}),
		before.with({ description: `Only calls up to this time. By default, ${whenEmpty.before}.` }),
	];
}

/**
 * Reads {@link defineTimeRange} in the workflow's time zone. `roundEnd` rounds Before to a whole second, `Math.floor`
 * if the end is exclusive. Throws NodeOperationError for an invalid time, or an end before the start.
 */
export function readTimeRange(at: ItemScope, roundEnd = Math.ceil): TimeRange {
	const from = readBound(at, after, Math.floor);
	const to = readBound(at, before, roundEnd);
	if (from !== undefined && to !== undefined && from > to) {
		throw parameterError(at, "'After' is later than 'Before'", 'Swap or correct the two times.');
	}
	return { from, to };
}

function readBound(
	at: ItemScope,
	end: Parameter,
	round: (seconds: number) => number,
): number | undefined {
	const value = end.read(at);
	if (value === undefined || value === null || value === '') return undefined;
	return unixToGregorian(round(readTime(at, at.context.getTimezone(), end, value) / 1000));
}

const period = defineOptions({
	displayName: 'Period',
	name: 'period',
	type: 'options',
	default: 'last7Days',
	description: "Only calls that ended in this period, in the workflow's time zone",
	options: [
		{ name: 'Last 7 Days', value: 'last7Days', description: 'Today and the six days before' },
		{ name: 'Range', value: 'range', description: 'From one time to another' },
		{ name: 'Today', value: 'today' },
		{ name: 'Yesterday', value: 'yesterday' },
	],
});

/** Defines Period, with After and Before for a custom range, for operations that read calls. */
export function definePeriod(whenEmpty: { after: string; before: string }): Parameter[] {
	const displayOptions = { show: { period: ['range'] } };
	return [period, ...defineTimeRange(whenEmpty).map((end) => end.with({ displayOptions }))];
}

/** For each period, its first and last day, in days ago. */
const DAYS: Record<string, [first: number, last: number]> = {
	last7Days: [6, 0],
	today: [0, 0],
	yesterday: [1, 1],
};

/**
 * Reads {@link definePeriod}. The end is exclusive, and open if the period isn't over. Throws as {@link readTimeRange}
 * does.
 */
export function readPeriod(at: ItemScope): TimeRange {
	const days = DAYS[String(period.read(at))];
	if (!days) return readTimeRange(at, Math.floor);
	const timeZone = readTimeZone(at);
	const [first, last] = days;
	const startOf = (day: number) => unixToGregorian(startOfDay(timeZone, day) / 1000);
	return { from: startOf(-first), to: last === 0 ? undefined : startOf(1 - last) };
}

/**
 * Returns the value of a date and time parameter in Unix milliseconds, read in the workflow's time zone. Throws
 * NodeOperationError for anything that isn't a time, or could be read in two ways.
 */
export function readTime(
	at: Place,
	timeZone: string,
	{ property: { displayName } }: Parameter,
	value: unknown,
): number {
	const instant = readInstant(value, checkTimeZone(at, timeZone));
	if (instant !== undefined) return instant;
	const text = String(value ?? '').trim();
	throw parameterError(
		at,
		text === ''
			? `'${displayName}' is empty`
			: `'${displayName}' isn't a clear date or time: ${text}`,
		"Enter a date such as 2026-11-05 or a time such as 2026-11-05T22:00, in the workflow's time zone.",
	);
}

/** Returns the workflow's time zone. Throws NodeOperationError if it doesn't exist. */
export function readTimeZone(at: ItemScope): string {
	return checkTimeZone(at, at.context.getTimezone());
}

function checkTimeZone(at: Place, timeZone: string): string {
	if (isTimeZone(timeZone)) return timeZone;
	throw parameterError(
		at,
		`The workflow's time zone "${timeZone}" doesn't exist`,
		"Choose a 'Timezone' in the workflow settings.",
	);
}
