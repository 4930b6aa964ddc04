import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	employeeOf,
	isInternal,
	isMissed,
	outcomeOfEvent,
	wasAnswered,
} from '../../../nodes/VirtualPbx/events/outcome';
import { readEvent } from '../../../nodes/VirtualPbx/events/parse';
import type { CallEvent } from '../../../nodes/VirtualPbx/events/parse';
import { argsOf, calls, sides, stages } from '../../support/events/arbitraries';

function parsed(args: IDataObject): CallEvent {
	const result = readEvent(args);
	if ('refusal' in result) throw new Error(result.refusal.reason);
	return result.event;
}

const ended = (changes: IDataObject) =>
	parsed({
		'Event-Name': 'CHANNEL_DESTROY',
		'Call-ID': 'a@b',
		'Call-Direction': 'inbound',
		...changes,
	});

const unbilled = { 'Billing-Seconds': '0', 'Caller-ID-Number': '74951234567' };
const toPhone = {
	...unbilled,
	'Call-Direction': 'outbound',
	'Other-Leg-Direction': 'inbound',
	'Other-Leg-Call-ID': 'other@b',
	'Custom-Channel-Vars': { 'Authorizing-ID': 'device-of-the-called' },
};

describe('the outcome of an event', () => {
	it('is exactly one, and agrees with what else the event says', () => {
		fc.assert(
			fc.property(calls, stages, sides, (call, stage, side) => {
				const event = parsed(argsOf(call, stage, side));
				const ended = call.answered ? 'answered' : 'missed';
				const expected = { create: 'ringing', answer: 'answered', destroy: ended }[stage];
				expect(outcomeOfEvent(event)).toBe(expected);
				if (isMissed(event)) expect(outcomeOfEvent(event)).toBe('missed');
			}),
		);
	});

	it.each<[string, IDataObject]>([
		['missed', { ...unbilled, 'Hangup-Cause': 'ORIGINATOR_CANCEL' }],
		['missed', { ...toPhone, 'Hangup-Cause': 'NO_ANSWER' }],
		['busy', { ...unbilled, 'Hangup-Cause': 'USER_BUSY' }],
		['declined', { ...unbilled, 'Hangup-Cause': 'CALL_REJECTED' }],
		['failed', { ...unbilled, 'Hangup-Cause': 'UNALLOCATED_NUMBER' }],
		['elsewhere', { ...toPhone, 'Hangup-Cause': 'lose race' }],
		['cancelled', { ...unbilled, 'Caller-ID-Number': '101', 'Hangup-Cause': 'NO_ANSWER' }],
		['cancelled', { ...toPhone, 'Caller-ID-Number': '101', 'Hangup-Cause': 'NO_ANSWER' }],
		[
			'cancelled',
			{ ...unbilled, 'Custom-Channel-Vars': { 'Owner-ID': 'x' }, 'Hangup-Cause': 'NO_ANSWER' },
		],
		['voicemail', { 'Billing-Seconds': '20' }],
		['answered', { 'Billing-Seconds': '20', 'Other-Leg-Call-ID': 'c@d' }],
		['answered', { 'Hangup-Cause': 'NORMAL_CLEARING' }],
	])('is %s at the end of %j', (expected, changes) => {
		expect(outcomeOfEvent(ended(changes))).toBe(expected);
	});
});

describe('the employee of an event', () => {
	const outside = { 'Caller-ID-Number': '74951234567' };
	const colleague = { 'Caller-ID-Number': '102' };
	it.each<[string | undefined, IDataObject]>([
		['101', { ...toPhone, Request: '101@company.example' }],
		['ivanova', { ...toPhone, Request: 'ivanova@company.example' }],
		['101', { ...toPhone, ...colleague, Request: '101@company.example' }],
		['102', { ...toPhone, ...colleague, Request: '79161234567@carrier.example' }],
		[undefined, { ...toPhone, ...outside, Request: '79161234567@carrier.example' }],
		[
			'102',
			{
				...toPhone,
				...outside,
				'Other-Leg-Caller-ID-Number': '102',
				Request: '79161234567@carrier.example',
			},
		],
		[
			'79161234567',
			{
				...toPhone,
				...outside,
				'Other-Leg-Caller-ID-Number': '74957654321',
				Request: '79161234567@carrier.example',
			},
		],
		[undefined, toPhone],
		[undefined, { ...outside, Request: '74950000100@company.example' }],
		['102', { ...colleague, Request: '79161234567@company.example' }],
		[undefined, { ...colleague, 'Custom-Channel-Vars': { 'Authorizing-Type': 'resource' } }],
	])('is %s of %j', (expected, changes) => {
		expect(employeeOf(ended(changes))).toBe(expected);
	});
});

describe('a missed call', () => {
	it('is the end of an unanswered inbound first leg, and nothing else', () => {
		fc.assert(
			fc.property(calls, stages, sides, (call, stage, side) => {
				const expected = stage === 'destroy' && side === 'inbound' && !call.answered;
				expect(isMissed(parsed(argsOf(call, stage, side)))).toBe(expected);
			}),
		);
	});

	it.each([
		[
			'nobody answered',
			{ 'Billing-Seconds': '0', Disposition: 'failure', 'Hangup-Cause': 'NO_ANSWER' },
			true,
		],
		['the caller gave up', { 'Billing-Seconds': '0', 'Hangup-Cause': 'ORIGINATOR_CANCEL' }, true],
		[
			'the caller gave up, early disposition',
			{ 'Billing-Seconds': '0', Disposition: 'ANSWER', 'Hangup-Cause': 'ORIGINATOR_CANCEL' },
			true,
		],
		['the line was busy', { 'Billing-Seconds': '0', 'Hangup-Cause': 'USER_BUSY' }, true],
		['seconds as number', { 'Billing-Seconds': 0, 'Hangup-Cause': 'NO_ANSWER' }, true],
		['no seconds, a telling cause', { 'Hangup-Cause': 'NO_ANSWER' }, true],
		['no seconds, a telling disposition', { Disposition: 'failure' }, true],
		[
			'the call was taken elsewhere',
			{ 'Billing-Seconds': '0', 'Hangup-Cause': 'LOSE_RACE' },
			false,
		],
		[
			'the call was picked up by a colleague',
			{ 'Billing-Seconds': '0', 'Hangup-Cause': 'PICKED_OFF' },
			false,
		],
		['there was talk', { 'Billing-Seconds': '35', 'Hangup-Cause': 'NORMAL_CLEARING' }, false],
		[
			'the exchange billed nothing, whatever its disposition',
			{ 'Billing-Seconds': '0', Disposition: 'ANSWER', 'Hangup-Cause': 'NORMAL_CLEARING' },
			true,
		],
		[
			'no seconds, but a pick-up',
			{ Disposition: 'ANSWER', 'Hangup-Cause': 'NORMAL_CLEARING' },
			false,
		],
		['nothing tells', { 'Hangup-Cause': 'NORMAL_CLEARING' }, false],
		['the leg is outbound', { 'Call-Direction': 'outbound', 'Billing-Seconds': '0' }, false],
		['the direction is not told', { 'Call-Direction': undefined, 'Billing-Seconds': '0' }, true],
		[
			'the leg is a second one',
			{ 'Billing-Seconds': '0', 'Custom-Channel-Vars': { 'Bridge-ID': 'x' } },
			false,
		],
	])('when %s: %j', (_, changes, expected) => {
		expect(isMissed(ended(changes))).toBe(expected);
	});

	it('is never one that counts as answered', () => {
		const seconds = fc.oneof(fc.constant(undefined), fc.nat().map(String), fc.nat(), fc.string());
		const cause = fc.constantFrom(undefined, 'NORMAL_CLEARING', 'NO_ANSWER', 'LOSE_RACE', 'x y');
		const disposition = fc.constantFrom(
			undefined,
			'ANSWER',
			'SUCCESS',
			'failure',
			'DELAYED NEGOTIATION',
		);
		fc.assert(
			fc.property(seconds, cause, disposition, (billing, hangup, how) => {
				const event = ended({
					'Billing-Seconds': billing,
					'Hangup-Cause': hangup,
					Disposition: how,
				});
				if (isMissed(event)) expect(wasAnswered(event)).toBe(false);
			}),
		);
	});
});

describe('an internal call', () => {
	it.each([
		['101', '102', true],
		['101', '74951234567', false],
		['74951234567', '101', false],
		['anonymous', '101', false],
	])('from %s to %s: %s', (from, to, expected) => {
		expect(isInternal(ended({ 'Caller-ID-Number': from, To: `${to}@company.example` }))).toBe(
			expected,
		);
	});
});
