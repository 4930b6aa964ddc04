import type { IDataObject } from 'n8n-workflow';

import { firstLegOf } from '../../../nodes/VirtualPbx/calls/leg';
import * as calls from '../../../nodes/VirtualPbx/calls/record';
import { legOfCdr } from '../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import { cdrsIn } from '../../support/cdrs';

const simplifyCall = (records: IDataObject[]) => calls.simplifyCall(cdrsIn(records));
const simplifyCdr = (record: IDataObject) => calls.simplifyCdr(new Cdr(record));
const recordKey = (record: IDataObject) => new Cdr(record).key;

const leg = (second: number, more: IDataObject = {}): IDataObject => ({
	TIMESTAMP: String(63_962_395_200 + second),
	BRIDGE_ID: 'b@h',
	CALL_DIRECTION: 'outbound',
	BILLING_SECONDS: '0',
	HANGUP_CAUSE: 'NO_ANSWER',
	...more,
});
const inbound = (second: number, billing: number) =>
	leg(second, {
		CALL_DIRECTION: 'inbound',
		BILLING_SECONDS: String(billing),
		HANGUP_CAUSE: 'NORMAL_CLEARING',
	});

type Summary = IDataObject & { details: IDataObject };
const summarize = (legs: IDataObject[]) => simplifyCall(legs) as Summary;
const outside = { CALLER_ID_NUMBER: 'sip:12125550123@h' };
const to = (number: string, more: IDataObject = {}) =>
	leg(9, { ...outside, CALLEE_ID_NUMBER: `sip:${number}@h`, ...more });
const talked = (seconds: number) => ({ BILLING_SECONDS: String(seconds) });
const noSeconds = (cause: string) => ({
	...inbound(9, 0),
	BILLING_SECONDS: undefined,
	HANGUP_CAUSE: cause,
});

// What calls mean is in evidence.test.ts and sameCall.test.ts.
describe('a call from its legs', () => {
	it.each<[string, IDataObject[], IDataObject]>([
		[
			'that no inbound leg began, talked on its earliest leg alone',
			[leg(1, { ...outside, BILLING_SECONDS: 30, CALLEE_ID_NUMBER: '101' }), to('102')],
			{ outcome: 'answered', employee: '101', talkSeconds: 30, details: { answeredBy: '101' } },
		],
		[
			'by click-to-call, with the name in the leg to the customer alone',
			[
				to('101', talked(45)),
				leg(9, { CALLER_ID_NUMBER: '101 (IVANOVA MA)', CALLEE_ID_NUMBER: '+12125550123' }),
			],
			{ callType: 'outgoing', employee: '101', details: { employeeName: 'IVANOVA MA' } },
		],
		[
			'of which the PBX does not say whether it was answered',
			[noSeconds('NORMAL_CLEARING')],
			{ outcome: 'answered', talkSeconds: null },
		],
		[
			'without seconds, but with a cause that tells',
			[noSeconds('no answer')],
			{ outcome: 'noAnswer', talkSeconds: null },
		],
		[
			'of a phone of which nothing is said',
			[inbound(9, 20), to('101', { BILLING_SECONDS: undefined, HANGUP_CAUSE: undefined })],
			{ outcome: 'answered' },
		],
		[
			'with nothing but a Bridge-ID',
			[{ bridge_id: 'b@h' }],
			{ callId: 'b@h', callType: null, customerNumber: null, at: null, details: { firstAt: null } },
		],
	])('%s', (_, legs, expected) => {
		expect(summarize(legs)).toMatchObject(expected);
	});

	it('says when the call began and ended, as far as the PBX does', () => {
		const [rang, longer] = [leg(9, { DURATION_SECONDS: '30' }), leg(5, { DURATION_SECONDS: '5' })];
		expect(summarize([rang, longer]).details).toMatchObject({
			startedAt: '2026-11-20T11:59:39Z',
			endedAt: '2026-11-20T12:00:09Z',
		});
		expect(simplifyCdr(longer).details).toMatchObject({ startedAt: '2026-11-20T12:00:00Z' });
	});

	it('has compact legs, oldest first', () => {
		const { legs } = summarize([
			to('101', talked(30)),
			inbound(9, 33),
			to('102', { TIMESTAMP: '63962395203' }),
		]).details;
		expect(legs).toMatchObject([
			{ to: '102', outcome: 'noAnswer', hangupCause: 'NO_ANSWER' },
			{ outcome: 'answered', talkSeconds: 33 },
			{
				from: '12125550123',
				to: '101',
				at: '2026-11-20T12:00:09Z',
				outcome: 'answered',
				talkSeconds: 30,
			},
		]);
	});

	it('begins with the leg whose own call ID is the Bridge-ID, where the PBX gives call IDs', () => {
		const first = leg(5, { call_id: 'b@h', CALLER_ID_NUMBER: '1' });
		expect(simplifyCall([inbound(3, 1), first]).details).toMatchObject({ from: '1' });
	});

	it.each([
		[['outbound', 'inbound', 'internal'], 1],
		[['outbound', 'internal'], 1],
		[['OUTBOUND', ''], 1],
		[['outbound', 'outgoing'], undefined],
	])('of legs %j is begun by number %j', (directions, index) => {
		const legs = directions.map((direction) =>
			legOfCdr(new Cdr(leg(1, { CALL_DIRECTION: direction }))),
		);
		expect(firstLegOf(legs)).toBe(index === undefined ? undefined : legs[index]);
	});
});

describe('a CDR', () => {
	it('is read alike in upper and lower case', () => {
		const lower = Object.fromEntries(
			Object.entries(inbound(1, 5)).map(([name, value]) => [name.toLowerCase(), value]),
		);
		expect(simplifyCdr(lower)).toEqual(simplifyCdr(inbound(1, 5)));
		expect(recordKey(lower)).toEqual(recordKey(inbound(1, 5)));
	});

	it('has its time in Gregorian seconds from 1970 on, other units tolerated', () => {
		expect(simplifyCdr({ TIMESTAMP: 62_167_219_200 }).at).toBe('1970-01-01T00:00:00Z');
		expect(new Cdr({ TIMESTAMP: '1795176000000' }).endedAt).toBe(1_795_176_000_000);
		expect(simplifyCdr({ TIMESTAMP: 'soon' })).toMatchObject({
			at: null,
			details: { timestamp: 'soon' },
		});
	});

	it('has a key that the recording, the order and the case of its fields do not change', () => {
		const { REC_LINK, ...record } = { ...leg(1), extra: { a: 1 }, REC_LINK: 'x' };
		expect(recordKey({ REC_FILE: 'y', ...record, REC_LINK })).toBe(recordKey(record));
		expect(recordKey({ ...record, extra: { a: 2 } })).toBe(recordKey(record));
		expect(recordKey({ ...record, BILLING_SECONDS: '1' })).not.toBe(recordKey(record));
		expect(recordKey({ ...record, call_id: '1' })).not.toBe(recordKey(record));
	});
});
