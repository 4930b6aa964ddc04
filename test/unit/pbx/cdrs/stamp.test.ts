import type { IDataObject } from 'n8n-workflow';

import * as calls from '../../../../nodes/VirtualPbx/calls/record';
import { Cdr } from '../../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { PbxRequest } from '../../../../nodes/VirtualPbx/pbx/http/connection';
import { pbxBy, pbxOf } from '../../support/rangePbx';

const END = 63_962_753_793;
const WAYS = { fromInclusive: true, toInclusive: true };
const recordOf = (stamp: number, seconds: number, more: IDataObject = {}): IDataObject => ({
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: 'a@10.0.0.5',
	TIMESTAMP: String(stamp),
	BILLING_SECONDS: String(seconds),
	...more,
});
const filed = (stamp: number, seconds: number, more?: IDataObject) => ({
	time: END,
	record: recordOf(stamp, seconds, more),
});
const endOf = (record: Cdr) => Math.round((record.endedAt ?? 0) / 1000) + 62_167_219_200;

describe('TIMESTAMP is when the call began or when it ended (§2.4)', () => {
	it.each<[string, number, number, IDataObject, { from: number; to: number }]>([
		['begun long before the range', END - 20_000, 20_000, {}, { from: END - 7200, to: END + 7200 }],
		['ended, and longer than the range', END, 20_000, {}, { from: END - 7200, to: END + 7200 }],
		['begun, by a request', END - 900, 900, {}, { from: END - 7200, to: END + 7200 }],
		['ended, by a request', END, 900, {}, { from: END - 7200, to: END + 7200 }],
		[
			'begun, by the time in REC_FILE',
			END - 30,
			30,
			{ REC_FILE: '20261124-153633-acc-call_recording_a@10.0.0.5.mp3' },
			{ from: END - 7200, to: END + 7200 },
		],
		[
			'ended, by iso_8601',
			END,
			30,
			{ iso_8601_combined: '2026-11-24T15:36:03Z' },
			{ from: END - 7200, to: END + 7200 },
		],
		[
			'begun, by the names of a stock platform',
			END - 30,
			30,
			{ rfc_1036: '', unix_timestamp: String(END - 30 - 62_167_219_200) },
			{ from: END - 7200, to: END + 7200 },
		],
	])('%s: the end of the call is the same', async (...[, stamp, seconds, more, range]) => {
		const { pbx } = pbxOf([filed(stamp, seconds, more)], WAYS);
		const { records } = await pbx.cdrs.list(range);
		expect(records.map(endOf)).toEqual([END]);
		expect(calls.simplifyCall(records).at).toBe('2026-11-24T15:36:33Z');
	});

	it('is the end where nothing tells, also where the PBX does not keep to ranges', async () => {
		const send = async () => ({ data: [recordOf(END, 900)] });
		const { records } = await pbxBy(send).cdrs.list({});
		expect(records.map(endOf)).toEqual([END]);
	});

	it('is not asked again once it is known', async () => {
		const { pbx, requests } = pbxOf([filed(END - 900, 900)], WAYS);
		const range = { from: END - 7200, to: END + 7200 };
		const { stamp } = await pbx.cdrs.list(range);
		expect([stamp, requests.length]).toEqual(['begin', 3]);
		await pbx.cdrs.list(range, { known: stamp });
		expect(requests).toHaveLength(4);
	});
});

/** A record as a stock platform lists it. */
const STOCK: IDataObject = {
	id: '202611-a',
	call_id: 'a@10.0.0.5',
	bridge_id: 'a@10.0.0.5',
	direction: 'inbound',
	caller_id_number: '79990000001',
	caller_id_name: 'Bob Buyer',
	callee_id_number: '',
	dialed_number: '74950000101',
	duration_seconds: 30,
	billing_seconds: 25,
	timestamp: END,
	hangup_cause: 'NORMAL_CLEARING',
	recording_url: 'https://rec.example/v2/a%20b.mp3?x=1',
	media_recordings: ['https://rec.example/c.mp3', { url: 'https://rec.example/d.mp3' }, 'e'],
};

describe('the field names of a stock platform', () => {
	it('are read like those of the contract, numbers as numbers', () => {
		expect(calls.legOfCdr(new Cdr(STOCK))).toMatchObject({
			callId: 'a@10.0.0.5',
			side: 'caller',
			from: { number: '79990000001', name: 'Bob Buyer' },
			to: { number: '74950000101' },
			talk: 25,
		});
		expect(new Cdr(STOCK).timestamp).toBe(String(END));
		expect(new Cdr(STOCK).recordings).toEqual([
			{ file: 'a b.mp3', address: 'https://rec.example/v2/a%20b.mp3?x=1' },
			{ file: 'c.mp3', address: 'https://rec.example/c.mp3' },
			{ file: 'd.mp3', address: 'https://rec.example/d.mp3' },
		]);
	});

	it('let Call → Get find a call where the filter finds nothing', async () => {
		const send = async ({ query = {} }: PbxRequest) => ({
			data: 'filter_bridge_id' in query ? [] : [STOCK, { ...STOCK, bridge_id: 'b@10.0.0.5' }],
		});
		const { cdrs } = pbxBy(send);
		const legs = await cdrs.ofCall('a@10.0.0.5', { from: END - 60, to: END + 60 });
		expect(legs).toEqual([new Cdr(STOCK)]);
	});
});

describe('a filter judges a call record by what its item shows', () => {
	const inbound = { ...STOCK, billing_seconds: 5 };
	const outbound = { ...inbound, direction: 'outbound', callee_id_number: '100' };
	it.each([
		['inbound', inbound],
		['outbound', outbound],
	])('%s leg of an answered call', (_, original) => {
		const record = new Cdr(original);
		const filters = { countVoicemail: true };
		const shown = calls.simplifyCdr(record);
		expect(shown).toMatchObject({ outcome: 'answered', talkSeconds: 5 });
		for (const missed of [true, false])
			expect(calls.recordPasses(record, { ...filters, missed })).toBe(shown.missed === missed);
		expect(calls.recordPasses(record, { ...filters, outcomes: ['answered'] })).toBe(true);
		expect(calls.recordPasses(record, { ...filters, outcomes: ['voicemail'] })).toBe(false);
		expect(calls.recordPasses(record, { ...filters, minTalkSeconds: 10 })).toBe(false);
		expect(calls.recordPasses(record, { ...filters, minTalkSeconds: 5 })).toBe(true);
		expect(calls.recordPasses(record, { ...filters, callTypes: ['incoming'] })).toBe(
			shown.callType === 'incoming',
		);
	});
});
