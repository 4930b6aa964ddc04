import type { IDataObject } from 'n8n-workflow';

import type { CallFilters } from '../../../../nodes/VirtualPbx/calls/filter';
import type { EventValue } from '../../../../nodes/VirtualPbx/pbx/events/table';
import { sampleOf } from '../../../../nodes/VirtualPbx/pbx/events/table';
import { selectEvent } from '../../../../nodes/VirtualPbx/triggers/callEvent/select';
import { readNumberMatch } from '../../../../nodes/VirtualPbx/util/phone';
import { eventCall, parsedEvent } from '../../../support/events/arbitraries';

/** What is chosen of a sample: by default of a call that has ended after 72 seconds of talk. */
const pick = (
	events: EventValue[],
	filters: Partial<CallFilters> = {},
	sample: EventValue = 'ended',
) =>
	selectEvent(eventCall(parsedEvent(sampleOf(sample, 63_962_000_000))), {
		events,
		legs: 'oncePerCall',
		filters: { countVoicemail: true, ...filters },
	});

describe('choosing what starts the workflow', () => {
	const numbers = (list: string) => readNumberMatch(list);
	it.each<[string, Partial<CallFilters>, boolean]>([
		['number of the caller', { number: numbers('+1 (212) 555-0123') }, true],
		['number called, by prefix', { number: numbers('100, 121255501*') }, true],
		['another number', { number: numbers('100, 200') }, false],
		['caller', { from: numbers('12125550123') }, true],
		['caller, when it is the called number', { from: numbers('12125550100') }, false],
		['called number', { to: numbers('12125550100') }, true],
		['call type', { callTypes: ['incoming'] }, true],
		['other call types', { callTypes: ['internal', 'outgoing'] }, false],
		['missed calls', { missed: true }, false],
		['calls that were not missed', { missed: false }, true],
		['another employee', { employees: numbers('102') }, false],
		['talk time reached', { minTalkSeconds: 72 }, true],
		['talk time not reached', { minTalkSeconds: 73 }, false],
		['hang-up cause', { causes: ['NORMAL_CLEARING'] }, true],
		['other hang-up cause', { causes: ['USER_BUSY', 'NO_ANSWER'] }, false],
		['no cause chosen', { causes: [] }, true],
		['outcome', { outcomes: ['noAnswer', 'answered'] }, true],
		['another outcome', { outcomes: ['noAnswer', 'busy'] }, false],
		['no outcome chosen', { outcomes: [] }, true],
		['several, all true', { from: numbers('1212*'), callTypes: ['incoming'] }, true],
		['several, one false', { from: numbers('1212*'), callTypes: ['outgoing'] }, false],
	])('filters by %s', (_, filters, passes) => {
		expect('chosen' in pick(['ended'], filters)).toBe(passes);
	});

	it('asks calls that go on for no talk time or cause, and missed ones for no talk time', () => {
		const filters = { minTalkSeconds: 10, causes: ['NO_ANSWER'] };
		expect(pick(['started'], filters, 'started')).toEqual({ chosen: 'started' });
		expect(pick(['missed'], { minTalkSeconds: 5 }, 'missed')).toEqual({ chosen: 'missed' });
		expect(pick(['ended'], { minTalkSeconds: 5 }, 'missed')).toEqual({ chosen: 'ended' });
	});

	it.each<[string, IDataObject, withMailbox: boolean, without: boolean]>([
		['only the exchange answered', {}, true, false],
		['a party answered', { 'Other-Leg-Call-ID': 'b@h' }, false, false],
		['nobody answered', { 'Billing-Seconds': '0', 'Hangup-Cause': 'NO_ANSWER' }, true, true],
		['the leg went out', { 'Call-Direction': 'outbound' }, false, false],
	])(
		'counts a call as missed, in events and filters, with the mailbox option when %s: %j',
		(_, changes, withMailbox, without) => {
			const end = { 'Event-Name': 'CHANNEL_DESTROY', 'Call-ID': 'a@h', 'Billing-Seconds': '9' };
			const args = { ...end, 'Caller-ID-Number': '12125550123', ...changes };
			const call = eventCall(parsedEvent(args));
			const legs = 'oncePerCall';
			for (const [countVoicemail, expected] of [
				[true, withMailbox],
				[false, without],
			] as const)
				for (const choice of [
					selectEvent(call, { events: ['missed'], legs, filters: { countVoicemail } }),
					selectEvent(call, { events: ['ended'], legs, filters: { countVoicemail, missed: true } }),
				])
					expect('chosen' in choice).toBe(expected);
		},
	);
});
