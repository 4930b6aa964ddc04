import { rejectionReason } from '../../calls/filter';
import type { Contact } from '../../calls/missedCallers';
import { contactOf, missedCallers } from '../../calls/missedCallers';
import { callOfRecords } from '../../calls/record';
import type { RecordedCall } from '../../calls/recordedCalls';
import {
	countVoicemail,
	defineOptionsCollection,
	includeDetails,
	optionsIn,
} from '../../parameters/options';
import { limit, present } from '../../parameters/output';
import { defineBoolean } from '../../parameters/parameter';
import { gregorianSoon } from '../../parameters/timeRange';
import { numberKey } from '../../util/phone';
import { gregorianToUnixMs } from '../../util/time';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { MAX_RANGE, missedCalls, readCallParts } from './calls';

const onlyOpen = defineBoolean({
	displayName: 'Only Callers Still Waiting',
	name: 'onlyOpen',
	type: 'boolean',
	default: false,
	description:
		"Whether to return only callers who haven't been called back and haven't gotten through since",
});

/** GET `cdrs` with a range (§4.3): callers no one answered, and later contacts with them. */
export const getMissedCallers: Operation = {
	value: 'getMissedCallers',
	name: 'Get Missed Callers',
	action: 'Get missed callers',
	description:
		'Get callers nobody answered, one item per caller, and whether someone called them back',
	hint: 'For who to call back: each caller once. With Only Callers Still Waiting on, without those who have been reached since.',
	kind: 'read',
	parameters: [
		...limit.parameters,
		onlyOpen,
		...missedCalls.period,
		missedCalls.filters,
		defineOptionsCollection(countVoicemail, includeDetails),
	],
	output: 'One item per caller, the latest missed call first',
	async execute(call) {
		const most = limit.read(call);
		const isOnlyOpen = onlyOpen.read(call);
		const withDetails = includeDetails.read(optionsIn(call));
		const opened = await call.pbx();
		const { country } = opened;
		const { query, filters } = missedCalls.read(call, country);
		// Calls after the range show who was called back. Filters apply only to calls in the range.
		const end = Math.max(query.to, Math.min(gregorianSoon(), query.from + MAX_RANGE));
		const endMs = gregorianToUnixMs(query.to);
		const toContact = ({ at: endedAt, legs, shown }: RecordedCall): Contact => {
			const recorded = callOfRecords(legs, shown);
			const isMissed =
				endedAt < endMs &&
				recorded.isMissed(filters.countVoicemail) === true &&
				rejectionReason(recorded, filters) === undefined;
			return contactOf(recorded, { at: endedAt, isMissed });
		};
		let contacts: Contact[] = [];
		for await (const calls of readCallParts(opened, { ...query, to: end }))
			contacts = contacts.concat(calls.map(toContact));
		const callers = missedCallers(contacts, (number) => numberKey(number, country))
			.filter(({ status }) => !isOnlyOpen || status === 'open')
			.slice(0, most);
		return itemsOf(
			callers.map((caller) => present(caller, { country, includeDetails: withDetails })),
		);
	},
};
