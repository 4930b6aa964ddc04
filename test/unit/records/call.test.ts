import type { IDataObject } from 'n8n-workflow';

import { firstLegOf, groupByCall, summarizeCall } from '../../../nodes/VirtualPbx/records/call';
import { recordKey } from '../../../nodes/VirtualPbx/records/recordKey';
import { cdrTime, simplifyCdr } from '../../../nodes/VirtualPbx/records/cdr';

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

describe('a call from its legs', () => {
	it.each<[string, IDataObject[], IDataObject]>([
		[
			'answered',
			[inbound(9, 33), leg(9, { BILLING_SECONDS: '30', CALLEE_ID_NUMBER: 'sip:101@h' })],
			{ answered: true, answeredBy: '101', talkSeconds: 30 },
		],
		[
			'transferred',
			[inbound(9, 300), leg(4, { BILLING_SECONDS: '100' }), leg(9, { BILLING_SECONDS: '190' })],
			{ answered: true, talkSeconds: 290 },
		],
		['missed', [leg(5), inbound(9, 0)], { answered: false, answeredBy: null, talkSeconds: 0 }],
		['taken by a mailbox', [leg(5), inbound(9, 20)], { answered: false, talkSeconds: 0 }],
		['of one leg', [inbound(9, 20)], { answered: true, talkSeconds: 20, legCount: 1 }],
		[
			'with nothing but a Bridge-ID',
			[{ bridge_id: 'b@h' }],
			{ bridgeId: 'b@h', from: null, talkSeconds: 0, firstAt: null },
		],
	])('%s', (_, legs, expected) => {
		expect(summarizeCall(legs)).toMatchObject(expected);
	});

	it('begins with the leg whose own call ID is the Bridge-ID, where the PBX gives call IDs', () => {
		const first = leg(5, { call_id: 'b@h', CALLER_ID_NUMBER: '1' });
		expect(summarizeCall([inbound(3, 1), first])).toMatchObject({
			direction: 'outbound',
			from: '1',
		});
	});

	it.each([
		[['outbound', 'inbound', 'internal'], 1],
		[['outbound', 'internal'], 1],
		[['OUTBOUND', ''], 1],
		[['outbound', 'outgoing'], undefined],
	])('of legs %j is begun by number %j', (directions, index) => {
		const legs = directions.map((direction) => leg(1, { CALL_DIRECTION: direction }));
		expect(firstLegOf(legs)).toBe(index === undefined ? undefined : legs[index]);
	});

	it('names each recording once', () => {
		const rec = { REC_LINK: 'https://r.example/', REC_FILE: 'a.mp3' };
		const call = summarizeCall([leg(1, rec), leg(2, rec), leg(3, { ...rec, REC_FILE: 'b.mp3' })]);
		expect((call.recordings as IDataObject[]).map(({ recordingFile }) => recordingFile)).toEqual([
			'a.mp3',
			'b.mp3',
		]);
	});

	it('is put together by Bridge-ID, and a record without one stands alone', () => {
		const calls = groupByCall([
			leg(1),
			leg(2, { BRIDGE_ID: '' }),
			leg(3),
			leg(4, { BRIDGE_ID: '' }),
		]);
		expect(calls.map(({ legs }) => legs.length)).toEqual([2, 1, 1]);
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

	it('has its time in Gregorian seconds from 1970 to 9999, other units tolerated', () => {
		expect(simplifyCdr({ TIMESTAMP: '315569519999' }).at).toBe('9999-12-31T23:59:59Z');
		expect(simplifyCdr({ TIMESTAMP: 62_167_219_200 }).at).toBe('1970-01-01T00:00:00Z');
		expect(cdrTime({ TIMESTAMP: '1795176000000' })).toBe(1_795_176_000_000);
		expect(simplifyCdr({ TIMESTAMP: 'soon' })).toMatchObject({ at: null, timestamp: 'soon' });
	});

	it('has a key that the recording, the order and the case of its fields do not change', () => {
		const { REC_LINK, ...record } = { ...leg(1), extra: { a: 1 }, REC_LINK: 'x' };
		expect(recordKey({ REC_FILE: 'y', ...record, REC_LINK })).toEqual(recordKey(record));
		expect(recordKey({ ...record, extra: { a: 2 } }).stable).toBe(recordKey(record).stable);
		expect(recordKey({ ...record, extra: { a: 2 } }).full).not.toBe(recordKey(record).full);
		expect(recordKey({ ...record, BILLING_SECONDS: '1' }).stable).not.toBe(
			recordKey(record).stable,
		);
	});
});
