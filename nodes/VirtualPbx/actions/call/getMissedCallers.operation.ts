import type { IDataObject } from 'n8n-workflow';

import type { CallNote } from '../../calls/missedCallers';
import { missedCallers, noteOf } from '../../calls/missedCallers';
import { callOfRecords, passes } from '../../calls/recordItem';
import { countVoicemailOption, withoutUnusedFilters } from '../../parameters/callFilters';
import { readParameter } from '../../parameters/inputs';
import { includeDetailsOption, optionsField, readOption } from '../../parameters/options';
import { present, readLimit, returnAllFields } from '../../parameters/output';
import { gregorianSoon } from '../../parameters/timeRange';
import { isOn } from '../../util/json';
import { sameNumber } from '../../util/numbers';
import { gregorianToUnixMs } from '../../util/time';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { LONGEST_RANGE, missedCallsFields, readCallsQuery } from './calls';
import { readCallParts } from './readCalls';

/** GET `cdrs` with a range (§4.3): who called and reached nobody, and what came after. */
export const getMissedCallers: Operation = {
	value: 'getMissedCallers',
	name: 'Get Missed Callers',
	action: 'Get missed callers',
	description:
		'Get the callers whom no person answered in a period, each once, and whether someone called them back',
	hint: 'For whom to call back: each caller once, without those whom somebody has reached since, if Only Not Called Back is on.',
	kind: 'read',
	fields: [
		...returnAllFields,
		{
			displayName: 'Only Not Called Back',
			name: 'onlyOpen',
			type: 'boolean',
			default: false,
			description:
				"Whether to return only callers who haven't been called back and haven't gotten through since",
		},
		...missedCallsFields,
		optionsField(countVoicemailOption, includeDetailsOption),
	],
	output: 'One item per caller, the latest missed call first',
	async execute(call) {
		const limit = readLimit(call);
		const onlyOpen = isOn(readParameter(call, 'onlyOpen', false));
		const includeDetails = isOn(readOption(call, 'includeDetails'));
		const opened = await call.pbx();
		const { country } = opened;
		const { query, filters } = readCallsQuery(call, country, withoutUnusedFilters);
		// What came after the range tells who was called back; filters choose only the calls that count.
		const end = Math.max(query.to, Math.min(gregorianSoon(), query.from + LONGEST_RANGE));
		const endMs = gregorianToUnixMs(query.to);
		const note = ({ at: endedAt, legs }: { at: number; legs: IDataObject[] }): CallNote => {
			const told = callOfRecords(legs);
			const isMissed =
				endedAt < endMs && told.isMissed(filters.countVoicemail) === true && passes(legs, filters);
			return noteOf(told, { at: endedAt, isMissed });
		};
		let notes: CallNote[] = [];
		for await (const calls of readCallParts(opened, { ...query, to: end }))
			notes = notes.concat(calls.map(note));
		const callers = missedCallers(notes, (number) => sameNumber(number, country))
			.filter(({ status }) => !onlyOpen || status === 'open')
			.slice(0, limit);
		return itemsOf(callers.map((caller) => present(caller, { country, includeDetails })));
	},
};
