import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import type { PastCall } from './calls';
import { countCalls } from './figures';
import type { Grouping } from './figures';

/** Arguments of the tool get_statistics, as an assistant would set them. */
interface Question {
	groupBy: string;
	after: string;
	before: string;
	callTypes?: PastCall['type'];
	outcomes?: PastCall['outcome'];
}

/** Periods in local time. European clocks change on the Sunday. */
const FOUR_WEEKS = { after: '2026-10-05T00:00:00', before: '2026-11-02T00:00:00' };
const SECOND_WEEK = { after: '2026-10-12', before: '2026-10-19' };
const SUNDAY = { after: '2026-10-25', before: '2026-10-26' };

const QUESTIONS: Question[] = [
	{ groupBy: '', ...FOUR_WEEKS },
	{ groupBy: 'callType', ...FOUR_WEEKS },
	{ groupBy: 'callType', ...SUNDAY },
	{ groupBy: 'companyNumber, hour', callTypes: 'incoming', ...FOUR_WEEKS },
	{ groupBy: 'day', callTypes: 'incoming', ...FOUR_WEEKS },
	{ groupBy: 'employee', callTypes: 'outgoing', ...FOUR_WEEKS },
	{ groupBy: 'employee', callTypes: 'incoming', outcomes: 'answered', ...FOUR_WEEKS },
	{ groupBy: 'employee,callType', ...SECOND_WEEK },
	{ groupBy: 'employee,weekday', ...FOUR_WEEKS },
	{ groupBy: 'hour', ...FOUR_WEEKS },
	{ groupBy: 'outcome', ...FOUR_WEEKS },
	{ groupBy: 'weekday', outcomes: 'busy', ...FOUR_WEEKS },
	{ groupBy: 'weekday,callType', ...FOUR_WEEKS },
];

/** Returns questions about calls, each with the true groups and figures. */
export function questionsAbout(
	calls: readonly PastCall[],
	timeZone: string,
): Array<{ ask: IDataObject; truth: IDataObject[] }> {
	const at = (time: string) => DateTime.fromISO(time, { zone: timeZone }).toSeconds();
	return QUESTIONS.map((ask) => {
		const { groupBy, after, before, callTypes, outcomes } = ask;
		const truth = countCalls(calls, {
			groupBy: groupBy.split(/, ?/).filter(Boolean) as Grouping[],
			...{ timeZone, from: at(after), to: at(before) },
			counts: ({ type, outcome }) =>
				type === (callTypes ?? type) && outcome === (outcomes ?? outcome),
		});
		return { ask: { ...ask }, truth };
	});
}
