import type { IDataObject } from 'n8n-workflow';
import { itemOf, parsedEvent } from '../../support/events/arbitraries';
import { eventSettings } from '../../support/trigger/settings';
import { itemsOf } from '../support/deliveries';

const CUSTOMER = '12125550167';

const END = { 'Event-Name': 'CHANNEL_DESTROY', 'Call-ID': 'a@b', 'Call-Direction': 'inbound' };
const ended = (changes: IDataObject) => itemOf(parsedEvent({ ...END, ...changes }), 'ended');

/** The leg to an employee's phone, or to an outside number. */
const phone = {
	...{ 'Billing-Seconds': '0', 'Caller-ID-Number': '12125550123', 'Call-Direction': 'outbound' },
	...{ 'Other-Leg-Direction': 'inbound', 'Other-Leg-Call-ID': 'other@b' },
	'Custom-Channel-Vars': { 'Authorizing-ID': 'device-of-the-called' },
};
const carrier = { ...phone, Request: '12125550167@carrier.example' };

describe('the parties of an event', () => {
	const by = (number: string) => ({ 'Caller-ID-Number': number });
	const shown = (number: string) => ({ 'Other-Leg-Caller-ID-Number': number });
	const dialed = (number: string) => ({ 'Other-Leg-Destination-Number': number });
	const vars = (own: IDataObject) => ({ 'Custom-Channel-Vars': own });
	const anna = { From: 'anna@company.example', To: '12125550167@company.example' };
	type Expected = [type: string | null, customer: string | null, employee: string | null];
	it.each<[Expected, IDataObject]>([
		[['incoming', '12125550123', '101'], { ...phone, Request: '101@company.example' }],
		[['incoming', '12125550123', 'ivanova'], { ...phone, Request: 'ivanova@company.example' }],
		[['internal', null, '102'], { ...phone, ...by('102'), Request: '101@company.example' }],
		[['outgoing', CUSTOMER, '102'], { ...carrier, ...by('102') }],
		[[null, null, null], carrier],
		[['outgoing', CUSTOMER, '102'], { ...carrier, ...shown('102') }],
		[['outgoing', CUSTOMER, null], { ...carrier, ...dialed(CUSTOMER), ...shown('12125550100') }],
		[
			['incoming', '12125550145', null],
			{ ...carrier, ...shown('12125550145'), ...dialed('12125550100') },
		],
		[
			['incoming', '12125550123', null],
			{ ...by('12125550123'), To: '12125550100@company.example' },
		],
		[['outgoing', CUSTOMER, '102'], { ...by('102'), To: '12125550167@company.example' }],
		[
			['outgoing', CUSTOMER, 'anna'],
			{ ...by('12125550123'), ...vars({ 'Authorizing-ID': 'd' }), ...anna },
		],
		[['internal', null, 'anna'], { ...by('anna (ANNA FIELD)'), To: '101@x.example' }],
		[['incoming', '102', null], { ...by('102'), ...vars({ 'Authorizing-Type': 'resource' }) }],
	])('are %j of %j', (expected, changes) => {
		const { callType, customerNumber, employee } = ended(changes);
		expect([callType, customerNumber, employee]).toEqual(expected);
	});
});

describe('an event that tells no billed seconds', () => {
	const normal = { 'Hangup-Cause': 'NORMAL_CLEARING' };
	it.each<[string, boolean, IDataObject]>([
		['answered', false, normal],
		['answered', false, { ...normal, Disposition: 'ANSWER' }],
		['noAnswer', true, { 'Hangup-Cause': 'NO_ANSWER' }],
		['noAnswer', true, { Disposition: 'failure' }],
	])('is %s, missed %s: %j', (outcome, missed, changes) => {
		expect(ended({ 'Other-Leg-Call-ID': 'c', ...changes })).toMatchObject({ outcome, missed });
	});
});

/** Forms of public reports: FreePBX/cidlookup#8, irontec/ivozprovider#2558, 2600hz/kazoo#6443 and #4841, fusionpbx#2240. */
describe('the end of a call in the flat form', () => {
	const flat = (changes: IDataObject) => ({
		...{ hook_event: 'channel_destroy', call_id: 'a@h', call_direction: 'inbound' },
		...{ caller_id_number: '12125550167', callee_id_number: '12125550100' },
		...{ billing_seconds: '0', hangup_cause: 'ORIGINATOR_CANCEL', to: '12125550100@h' },
		...changes,
	});
	const outside = { inception: '12125550100@trunk.example' };
	const hidden = { callType: 'incoming', customerNumber: null, details: { customerHidden: true } };
	const own = { owner_id: 'o', authorizing_id: 'd', caller_id_number: '101', from: '101@h' };

	it.each<[string, IDataObject, IDataObject]>([
		['a caller shown as "Hidden"', { ...outside, caller_id_number: 'Hidden' }, hidden],
		['an empty caller', { ...outside, caller_id_number: '', from: '@trunk.example' }, hidden],
		[
			'an emergency number',
			{ ...own, callee_id_number: '112', to: '112@h', emergency_resource_used: 'true' },
			{ callType: 'outgoing', customerNumber: '112', employee: '101', missed: false },
		],
		[
			'a callee whose name is made up',
			{ ...own, callee_id_name: 'Outbound Call', callee_id_number: CUSTOMER, to: `${CUSTOMER}@h` },
			{ callType: 'outgoing', customerNumber: CUSTOMER, details: { customerName: null } },
		],
		[
			'a name that is only the number',
			{ ...outside, caller_id_name: '+1 212-555-0167' },
			{ callType: 'incoming', customerNumber: CUSTOMER, details: { customerName: null } },
		],
	])('shows %s', (_, changes, expected) => {
		expect(itemOf(parsedEvent(flat(changes)), 'ended')).toMatchObject(expected);
	});

	it('starts nothing for a leg inside the PBX', async () => {
		const entry = flat({ is_internal_leg: 'true', other_leg_call_id: 'c@h' });
		expect(await itemsOf([entry], eventSettings({ events: ['ended', 'missed'] }))).toEqual([]);
		expect(await itemsOf([flat({ call_id: 'b@h' })], eventSettings())).toHaveLength(1);
	});
});
