import type { IDataObject } from 'n8n-workflow';
import { itemOf, parsedEvent } from '../../support/events/arbitraries';

const ended = (changes: IDataObject): IDataObject => {
	const required = { 'Event-Name': 'CHANNEL_DESTROY', 'Call-ID': 'a@b' };
	const event = parsedEvent({ ...required, 'Call-Direction': 'inbound', ...changes });
	return itemOf(event, 'ended');
};

const unbilled = { 'Billing-Seconds': '0', 'Caller-ID-Number': '74951234567' };
const toPhone = {
	...unbilled,
	'Call-Direction': 'outbound',
	'Other-Leg-Direction': 'inbound',
	'Other-Leg-Call-ID': 'other@b',
	'Custom-Channel-Vars': { 'Authorizing-ID': 'device-of-the-called' },
};

describe('the parties of an event', () => {
	const outside = { 'Caller-ID-Number': '74951234567' };
	const colleague = { 'Caller-ID-Number': '102' };
	const carrier = { Request: '79161234567@carrier.example' };
	const dialed = { 'Other-Leg-Destination-Number': '79161234567' };
	const toCompany = { 'Other-Leg-Destination-Number': '74950000100' };
	const fromCarrier = { 'Custom-Channel-Vars': { 'Authorizing-Type': 'resource' } };
	const authorized = { 'Custom-Channel-Vars': { 'Authorizing-ID': 'd1' } };
	const shown = (number: string) => ({ 'Other-Leg-Caller-ID-Number': number });
	const anna = { From: 'anna@company.example', To: '79161234567@company.example' };
	type Expected = [type: string | null, customer: string | null, employee: string | null];
	it.each<[Expected, IDataObject]>([
		[['incoming', '74951234567', '101'], { ...toPhone, Request: '101@company.example' }],
		[['incoming', '74951234567', 'ivanova'], { ...toPhone, Request: 'ivanova@company.example' }],
		[['internal', null, '102'], { ...toPhone, ...colleague, Request: '101@company.example' }],
		[['outgoing', '79161234567', '102'], { ...toPhone, ...colleague, ...carrier }],
		[[null, null, null], { ...toPhone, ...outside, ...carrier }],
		[['outgoing', '79161234567', '102'], { ...toPhone, ...outside, ...carrier, ...shown('102') }],
		[
			['outgoing', '79161234567', null],
			{ ...toPhone, ...outside, ...carrier, ...dialed, ...shown('74950000100') },
		],
		[
			['incoming', '74957654321', null],
			{ ...toPhone, ...carrier, ...shown('74957654321'), ...toCompany },
		],
		[['incoming', '74951234567', null], { ...outside, To: '74950000100@company.example' }],
		[['outgoing', '79161234567', '102'], { ...colleague, To: '79161234567@company.example' }],
		[['outgoing', '79161234567', 'anna'], { ...outside, ...authorized, ...anna }],
		[['internal', null, 'anna'], { 'Caller-ID-Number': 'anna (ANNA FIELD)', To: '101@x.example' }],
		[['incoming', '102', null], { ...colleague, ...fromCarrier }],
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
