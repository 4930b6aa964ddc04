import { compareTexts } from '../util/json';
import type { LocalTime } from '../util/time';
import type { Call } from './call';

/** Everything that calls can be grouped by, in the alphabetical order of the names. */
export const DIMENSIONS = [
	{ name: 'Call Type', value: 'callType', description: 'Incoming, internal, or outgoing' },
	{ name: 'Company Number', value: 'companyNumber', description: 'Your number that was called' },
	{ name: 'Day', value: 'day', description: 'The day on which the call ended' },
	{ name: 'Employee', value: 'employee', description: 'The extension or SIP user' },
	{ name: 'Hour', value: 'hour', description: 'The hour of the day, from 0 to 23' },
	{ name: 'Outcome', value: 'outcome', description: 'How the call ended' },
	{ name: 'Weekday', value: 'weekday', description: 'Monday to Sunday' },
] as const;

export type Dimension = (typeof DIMENSIONS)[number]['value'];

/** A value that groups calls; null if unknown. */
export type GroupValue = string | number | null;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Reader = (call: Call, time: LocalTime | undefined) => GroupValue | undefined;

const READERS: Record<Dimension, Reader> = {
	callType: ({ type }) => type,
	companyNumber: ({ company }) => company?.number,
	day: (_, time) => time?.day,
	employee: ({ employee }) => employee?.user,
	hour: (_, time) => time?.hour,
	outcome: ({ outcome }) => outcome,
	weekday: (_, time) => WEEKDAYS[(time?.weekday ?? 0) - 1],
};

/** Returns the value of a call in a dimension. `time` is when it ended; undefined if unknown. */
export function valueIn(dimension: Dimension, ...given: Parameters<Reader>): GroupValue {
	return READERS[dimension](...given) ?? null;
}

/** Orders values of a dimension: weekdays from Monday, numbers by size, texts by alphabet, and unknown ones last. */
export function compareValues(a: GroupValue = null, b: GroupValue = null): number {
	if (a === b) return 0;
	if (a === null || b === null) return a === null ? 1 : -1;
	if (typeof a === 'number' && typeof b === 'number') return a - b;
	const [one, other] = [String(a), String(b)];
	const days = [WEEKDAYS.indexOf(one), WEEKDAYS.indexOf(other)];
	return (days[0] ?? 0) - (days[1] ?? 0) || compareTexts(one, other);
}
