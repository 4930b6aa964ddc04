import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { readEvent } from '../../../../nodes/VirtualPbx/events/parse';
import type { CallEvent } from '../../../../nodes/VirtualPbx/events/parse';
import { selectEvent } from '../../../../nodes/VirtualPbx/triggers/callEvent/receive';
import type { CallFilters } from '../../../../nodes/VirtualPbx/calls/filter';
import { EVENTS, hookOfName, hooksOf } from '../../../../nodes/VirtualPbx/events/table';
import type { EventValue } from '../../../../nodes/VirtualPbx/events/table';
import { readNumberMatch } from '../../../../nodes/VirtualPbx/values/numbers';
import { argsOf, calls, stages } from '../../../support/events/arbitraries';
import type { CallParts, Side, Stage } from '../../../support/events/arbitraries';

function event(call: CallParts, stage: Stage, side: Side): CallEvent {
	const result = readEvent(argsOf(call, stage, side));
	if ('refusal' in result) throw new Error(result.refusal.reason);
	return result.event;
}

const ANY = { countVoicemail: true };
const VALUES = EVENTS.map(({ value }) => value);
const chosenEvents = fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1 });
const CALL: CallParts = {
	inbound: 'a@h',
	outbound: 'b@h',
	withBridge: true,
	from: '74951234567',
	to: '74950000100',
	answered: true,
	billing: 30,
	ringing: 5,
	at: 63_962_000_000,
};
const pick = (
	events: EventValue[],
	filters: Partial<CallFilters> = {},
	call = CALL,
	stage: Stage = 'destroy',
) =>
	selectEvent(event(call, stage, 'inbound'), {
		events,
		legs: 'oncePerCall',
		filters: { ...ANY, ...filters },
	});

describe('the event table', () => {
	it('needs one webhook for ended and missed calls', () => {
		expect(hooksOf(['ended', 'missed'])).toEqual(['channel_destroy']);
		expect(hooksOf(VALUES)).toHaveLength(3);
	});

	it('knows every name of §6 in both cases', () => {
		for (const { eventName, hook } of EVENTS) {
			expect([eventName, hook].map(hookOfName)).toEqual([hook, hook]);
		}
		expect(hookOfName('CHANNEL_BRIDGE')).toBeUndefined();
	});
});

describe('choosing what starts the workflow', () => {
	it('starts it once per call and event at most, and only for chosen events', () => {
		fc.assert(
			fc.property(calls, stages, chosenEvents, (call, stage, events) => {
				const choices = (['inbound', 'outbound'] as const)
					.map((side) =>
						selectEvent(event(call, stage, side), { events, legs: 'oncePerCall', filters: ANY }),
					)
					.filter((choice) => 'chosen' in choice);
				const isMissed = stage === 'destroy' && !call.answered && events.includes('missed');
				const plain = { create: 'started', answer: 'answered', destroy: 'ended' } as const;
				const expected = isMissed ? 'missed' : events.find((value) => value === plain[stage]);

				expect(choices).toEqual(expected === undefined ? [] : [{ chosen: expected }]);
			}),
		);
	});

	const numbers = (list: string) => readNumberMatch(list);
	it.each<[string, Partial<CallFilters>, boolean]>([
		['number of the caller', { number: numbers('+7 (495) 123-45-67') }, true],
		['number called, by prefix', { number: numbers('100, 7495000*') }, true],
		['another number', { number: numbers('100, 200') }, false],
		['caller', { from: numbers('74951234567') }, true],
		['caller, when it is the called number', { from: numbers('74950000100') }, false],
		['called number', { to: numbers('74950000100') }, true],
		['call type', { callTypes: ['incoming'] }, true],
		['other call types', { callTypes: ['internal', 'outgoing'] }, false],
		['missed calls', { missed: true }, false],
		['calls that were not missed', { missed: false }, true],
		['another employee', { employees: numbers('101') }, false],
		['talk time reached', { minTalkSeconds: 30 }, true],
		['talk time not reached', { minTalkSeconds: 31 }, false],
		['hang-up cause', { causes: ['NORMAL_CLEARING'] }, true],
		['other hang-up cause', { causes: ['USER_BUSY', 'NO_ANSWER'] }, false],
		['no cause chosen', { causes: [] }, true],
		['outcome', { outcomes: ['noAnswer', 'answered'] }, true],
		['another outcome', { outcomes: ['noAnswer', 'busy'] }, false],
		['no outcome chosen', { outcomes: [] }, true],
		[
			'several, all true',
			{ from: numbers('7495*'), callTypes: ['incoming'], minTalkSeconds: 1 },
			true,
		],
		['several, one false', { from: numbers('7495*'), callTypes: ['outgoing'] }, false],
	])('filters by %s', (_, filters, passes) => {
		expect('chosen' in pick(['ended'], filters)).toBe(passes);
	});

	it('does not ask calls that have not ended for talk time or a cause', () => {
		expect(
			pick(['started'], { minTalkSeconds: 10, causes: ['NO_ANSWER'] }, CALL, 'create'),
		).toEqual({
			chosen: 'started',
		});
	});

	it('lets missed calls through a minimum of talk', () => {
		const missed = { ...CALL, answered: false };
		expect(pick(['missed'], { minTalkSeconds: 5 }, missed)).toEqual({ chosen: 'missed' });
		expect(pick(['ended'], { minTalkSeconds: 5 }, missed)).toEqual({ chosen: 'ended' });
	});

	it.each<[string, IDataObject, boolean]>([
		['only the exchange answered', {}, true],
		['a party answered', { 'Other-Leg-Call-ID': 'b@h' }, false],
		['nobody answered', { 'Billing-Seconds': '0', 'Hangup-Cause': 'NO_ANSWER' }, true],
		['the leg went out', { 'Call-Direction': 'outbound' }, false],
	])('counts a call as missed with the mailbox option when %s: %j', (_, changes, expected) => {
		const args = {
			'Event-Name': 'CHANNEL_DESTROY',
			'Call-ID': 'a@h',
			'Billing-Seconds': '9',
			'Caller-ID-Number': '74951234567',
			...changes,
		};
		const result = readEvent(args);
		if ('refusal' in result) throw new Error(result.refusal.reason);
		const choice = (countVoicemail: boolean) =>
			selectEvent(result.event, {
				events: ['missed'],
				legs: 'oncePerCall',
				filters: { countVoicemail },
			});
		expect('chosen' in choice(true)).toBe(expected);
		const isUnanswered = changes['Billing-Seconds'] === '0';
		expect('chosen' in choice(false)).toBe(expected && isUnanswered);
	});
});
