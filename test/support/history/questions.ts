import type { IDataObject } from 'n8n-workflow';

import type { PastCall } from './calls';
import { countCalls, employeeOf, seenIn } from './figures';

/** A question about calls, how an assistant asks the tool get_statistics, and what is true. */
export interface Question {
	text: string;
	/** The tool's arguments. */
	ask: IDataObject;
	/** Reads the answer in the tool's groups. */
	answer: (groups: readonly IDataObject[]) => unknown;
	truth: unknown;
}

/** Four weeks in local time, in which clocks change in Europe. */
const FIRST_DAY = '2026-10-05';
const END_DAY = '2026-11-02';
const FOUR_WEEKS = { after: `${FIRST_DAY}T00:00:00`, before: `${END_DAY}T00:00:00` };

type Seen = ReturnType<typeof seeing>[number];
type Test = (call: Seen) => boolean;

/** Returns the calls with what people see of them. */
function seeing(calls: readonly PastCall[], timeZone: string) {
	const seen = seenIn(timeZone);
	return calls.map((call) => ({
		...call,
		...seen(call.at),
		employee: employeeOf(call),
		isAnswered: call.outcome === 'answered',
		isMissed: call.type === 'incoming' && call.outcome !== 'answered',
	}));
}

/** Reads a figure of one group, which is 0 if the group isn't returned. */
const figure =
	(name: string, group: IDataObject = {}) =>
	(groups: readonly IDataObject[]): unknown => {
		const isIt = (one: IDataObject) =>
			Object.entries(group).every(([key, value]) => one[key] === value);
		return groups.find(isIt)?.[name] ?? 0;
	};

/** Reads which group has the most, and how many. */
const most = (dimension: string, name: string) => (groups: readonly IDataObject[]) => {
	const known = groups.filter((group) => group[dimension] !== null);
	const [first] = [...known].sort((a, b) => Number(b[name]) - Number(a[name]));
	return [first?.[dimension], first?.[name]];
};

/** Returns 60 questions about calls, with the truth. */
export function questionsAbout(all: readonly PastCall[], timeZone: string): Question[] {
	const calls = seeing(all, timeZone).filter(({ day }) => day >= FIRST_DAY && day < END_DAY);
	const count = (is: Test) => calls.filter(is).length;
	const talked = (is: Test) => calls.filter(is).reduce((sum, { talk }) => sum + talk, 0);
	const mostOf = <T>(keyOf: (call: Seen) => T, valueOf: (is: Test) => number) => {
		const keys = [...new Set(calls.map(keyOf))].filter((key) => key !== null);
		const values = keys.map((key) => [key, valueOf((call) => keyOf(call) === key)] as const);
		return [...values].sort(([, a], [, b]) => b - a)[0];
	};
	const ids = new Set(calls.map(({ id }) => id));
	const [totals] = countCalls(all, {
		...{ groupBy: [], timeZone, from: 0, to: Infinity },
		counts: ({ id }) => ids.has(id),
	});
	const q = (
		text: string,
		ask: IDataObject,
		answer: Question['answer'],
		truth: unknown,
	): Question => ({ text, ask: { ...FOUR_WEEKS, ...ask }, answer, truth });
	const employees = ['100', '101', '102', '103', '200'];
	const inTotal = (text: string, name: keyof NonNullable<typeof totals> & string) =>
		q(text, {}, figure(name), totals?.[name]);
	return [
		inTotal('How many calls were there?', 'calls'),
		inTotal('How many calls were answered?', 'answered'),
		inTotal('How many calls did we miss?', 'missed'),
		inTotal('How many calls went to voicemail?', 'voicemail'),
		inTotal('What share of calls was answered?', 'answeredPercent'),
		inTotal('How long did we talk in total?', 'talkSeconds'),
		inTotal('How long does a call last on average?', 'averageTalkSeconds'),
		inTotal('How long was the longest call?', 'longestTalkSeconds'),
		inTotal('How many different people called us?', 'callers'),
		inTotal('How many people reached no one?', 'missedCallers'),
		inTotal('How many of them were called back?', 'calledBack'),
		inTotal('How soon are missed callers called back?', 'medianSecondsToCallBack'),
		...employees.flatMap((employee) =>
			['Monday', 'Friday'].map((weekday) =>
				q(
					`How many calls did ${employee} miss on ${weekday}s?`,
					{ groupBy: 'employee,weekday' },
					figure('missed', { employee, weekday }),
					count((call) => call.isMissed && call.employee === employee && call.weekday === weekday),
				),
			),
		),
		...employees.map((employee) =>
			q(
				`How long did ${employee} talk with people whom they called?`,
				{ groupBy: 'employee', callTypes: 'outgoing' },
				figure('talkSeconds', { employee }),
				talked((call) => call.type === 'outgoing' && call.employee === employee),
			),
		),
		...['incoming', 'outgoing', 'internal'].flatMap((type) => [
			q(
				`How many ${type} calls were there?`,
				{ groupBy: 'callType' },
				figure('calls', { callType: type }),
				count((call) => call.type === type),
			),
			q(
				`How many ${type} calls were there on Sunday, the 25th?`,
				{ groupBy: 'callType', after: '2026-10-25', before: '2026-10-26' },
				figure('calls', { callType: type }),
				count((call) => call.type === type && call.day === '2026-10-25'),
			),
		]),
		...['74950000100', '74950000200'].flatMap((line) =>
			[9, 14].map((hour) =>
				q(
					`How many calls to ${line} do we miss from ${hour} to ${hour + 1}?`,
					{ groupBy: 'companyNumber, hour', callTypes: 'incoming' },
					figure('missed', { companyNumber: line, hour }),
					count((call) => call.isMissed && call.line === line && call.hour === hour),
				),
			),
		),
		...['busy', 'noAnswer', 'voicemail'].flatMap((outcome) => [
			q(
				`How many calls ended with ${outcome}?`,
				{ groupBy: 'outcome' },
				figure('calls', { outcome }),
				count((call) => call.outcome === outcome),
			),
			q(
				`On which weekday is that most frequent: ${outcome}?`,
				{ groupBy: 'weekday', outcomes: outcome },
				(groups) => most('weekday', 'calls')(groups)[1],
				mostOf(
					({ weekday }) => weekday,
					(is) => count((call) => is(call) && call.outcome === outcome),
				)?.[1],
			),
		]),
		q(
			'On which day did most calls come?',
			{ groupBy: 'day', callTypes: 'incoming' },
			(groups) => most('day', 'calls')(groups)[1],
			mostOf(
				({ day }) => day,
				(is) => count((call) => is(call) && call.type === 'incoming'),
			)?.[1],
		),
		q(
			'Who talked longest, and how long?',
			{ groupBy: 'employee' },
			most('employee', 'talkSeconds'),
			mostOf(({ employee }) => employee, talked),
		),
		q(
			'Who answered most calls?',
			{ groupBy: 'employee', callTypes: 'incoming', outcomes: 'answered' },
			(groups) => most('employee', 'answered')(groups)[1],
			mostOf(
				({ employee }) => employee,
				(is) => count((call) => is(call) && call.isAnswered && call.type === 'incoming'),
			)?.[1],
		),
		q(
			'At which hour do we miss most calls, and how many?',
			{ groupBy: 'hour' },
			(groups) => most('hour', 'missed')(groups)[1],
			mostOf(
				({ hour }) => hour,
				(is) => count((call) => is(call) && call.isMissed),
			)?.[1],
		),
		...['2026-10-12', '2026-10-24', '2026-10-25', '2026-10-26'].map((day) =>
			q(
				`How many calls were answered on ${day}?`,
				{ groupBy: 'day' },
				figure('answered', { day }),
				count((call) => call.isAnswered && call.day === day),
			),
		),
		...['Monday', 'Tuesday', 'Saturday', 'Sunday'].map((weekday) =>
			q(
				`How many people outside did we call on ${weekday}s, and reach?`,
				{ groupBy: 'weekday,callType' },
				figure('answered', { weekday, callType: 'outgoing' }),
				count((call) => call.isAnswered && call.weekday === weekday && call.type === 'outgoing'),
			),
		),
		...employees.map((employee) =>
			q(
				`How many calls of ${employee} in the second week were internal?`,
				{
					...{ groupBy: 'employee,callType', after: '2026-10-12', before: '2026-10-19' },
				},
				figure('calls', { employee, callType: 'internal' }),
				count(
					(call) =>
						call.type === 'internal' &&
						call.employee === employee &&
						call.day >= '2026-10-12' &&
						call.day < '2026-10-19',
				),
			),
		),
	];
}
