import type { IDataObject } from 'n8n-workflow';

import type { PastCall } from './calls';

/** The figures of a group of calls, counted from what happened. */
export interface Figures {
	calls: number;
	answered: number;
	missed: number;
	voicemail: number;
	answeredPercent: number | null;
	talkSeconds: number;
	averageTalkSeconds: number | null;
	longestTalkSeconds: number;
	callers: number;
	missedCallers: number;
	calledBack: number;
	cameThrough: number;
	medianSecondsToCallBack: number | null;
}

const WEEK = 7 * 24 * 3600;
/** How many seconds longer a call-back can last than the time since the missed call. */
const LEEWAY = 300;

/** Returns a function that formats a moment's day, weekday, and hour in a time zone. */
export function seenIn(
	timeZone: string,
): (at: number) => { day: string; weekday: string; hour: number } {
	const day = new Intl.DateTimeFormat('sv', { timeZone });
	const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long' });
	const hour = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', hourCycle: 'h23' });
	return (at) => {
		const ms = at * 1000;
		return { day: day.format(ms), weekday: weekday.format(ms), hour: Number(hour.format(ms)) };
	};
}

/** Returns the employee of a call: who placed or answered it, or the only one whose phone rang. */
function employeeOf({ type, outcome, employees }: PastCall): string | null {
	const isSure = type !== 'incoming' || outcome === 'answered' || employees.length === 1;
	return isSure ? (employees[0] ?? null) : null;
}

export type Grouping =
	| 'callType'
	| 'companyNumber'
	| 'day'
	| 'employee'
	| 'hour'
	| 'outcome'
	| 'weekday';

/** Returns a function that reads the values to group a call by. */
function groupReader(timeZone: string, groupBy: readonly Grouping[]) {
	const seen = seenIn(timeZone);
	return (call: PastCall): Record<string, string | number | null> => {
		const all: Record<Grouping, string | number | null> = {
			...{ callType: call.type, companyNumber: call.line ?? null, employee: employeeOf(call) },
			...{ outcome: call.outcome, ...seen(call.at) },
		};
		return Object.fromEntries(groupBy.map((name) => [name, all[name]]));
	};
}

/** Which calls to count, and how. */
interface Count {
	groupBy: readonly Grouping[];
	timeZone: string;
	/** In Unix seconds; the end is exclusive. */
	from: number;
	to: number;
	/** Whether a call of the period counts. */
	counts?: (call: PastCall) => boolean;
}

/** Counts calls from what happened, as Get Statistics does from records. Groups are in any order. */
export function countCalls(calls: readonly PastCall[], count: Count): Array<IDataObject & Figures> {
	const { groupBy, timeZone, from, to, counts = () => true } = count;
	const read = groupReader(timeZone, groupBy);
	const inPeriod = calls.filter((call) => call.at >= from && call.at < to && counts(call));
	const groups = grouped(inPeriod, (call) => JSON.stringify(read(call)));
	if (groupBy.length === 0 && groups.size === 0) groups.set('{}', []);
	const answered = calls.filter(({ outcome }) => outcome === 'answered');
	const contacts = grouped(answered, ({ customer }) => customer ?? '');
	return [...groups].map(([key, group]) => ({
		...(JSON.parse(key) as IDataObject),
		...figuresOf(group, contacts),
	}));
}

/** Returns each missed caller's first contact within a week of the last missed call. */
function followUpsOf(missed: readonly PastCall[], contacts: ReadonlyMap<string, PastCall[]>) {
	const callers = grouped(missed, ({ customer }) => customer ?? '');
	return [...callers].map(([customer, calls]) => {
		const last = Math.max(...calls.map(({ at }) => at));
		const [first] = (customer === '' ? [] : (contacts.get(customer) ?? []))
			.filter(({ at }) => at > last && at <= last + WEEK)
			.filter(({ at, talk }) => at - talk + LEEWAY > last)
			.sort((a, b) => a.at - b.at || b.type.localeCompare(a.type) || b.talk - a.talk);
		return first && { type: first.type, wait: Math.max(0, first.at - first.talk - last) };
	});
}

function figuresOf(group: readonly PastCall[], contacts: ReadonlyMap<string, PastCall[]>): Figures {
	const answered = group.filter(({ outcome }) => outcome === 'answered').length;
	const incoming = group.filter(({ type }) => type === 'incoming');
	const missed = incoming.filter(({ outcome }) => outcome !== 'answered');
	const talks = group.map(({ talk }) => talk);
	const talkSeconds = talks.reduce((sum, talk) => sum + talk, 0);
	const percent = ((100 * answered) / group.length).toFixed(1);
	const followUps = followUpsOf(missed, contacts);
	const waits = followUps.flatMap((one) => (one?.type === 'outgoing' ? [one.wait] : []));
	return {
		...{ calls: group.length, answered, missed: missed.length },
		voicemail: group.filter(({ outcome }) => outcome === 'voicemail').length,
		answeredPercent: group.length > 0 ? Number(percent) : null,
		talkSeconds,
		averageTalkSeconds: answered > 0 ? Math.round(talkSeconds / answered) : null,
		longestTalkSeconds: Math.max(0, ...talks),
		callers: new Set(incoming.map(({ customer }) => customer)).size,
		...{ missedCallers: followUps.length, calledBack: waits.length },
		cameThrough: followUps.filter((one) => one?.type === 'incoming').length,
		medianSecondsToCallBack: medianOf(waits),
	};
}

function grouped<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const one of list) {
		const group = groups.get(keyOf(one));
		if (group) group.push(one);
		else groups.set(keyOf(one), [one]);
	}
	return groups;
}

function medianOf(seconds: number[]): number | null {
	const ordered = [...seconds].sort((a, b) => a - b);
	const [low = 0, high = 0] = [(seconds.length - 1) >> 1, seconds.length >> 1].map(
		(at) => ordered[at],
	);
	return seconds.length === 0 ? null : Math.round((low + high) / 2);
}
