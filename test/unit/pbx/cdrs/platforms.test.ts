import type { IDataObject } from 'n8n-workflow';

import * as calls from '../../../../nodes/VirtualPbx/calls/record';
import { legOfCdr } from '../../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr } from '../../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import { dialectOf } from '../../../../nodes/VirtualPbx/pbx/credential';
import type { PbxRequest } from '../../../../nodes/VirtualPbx/pbx/types';
import { pbxBy } from '../../support/rangePbx';

const END = 63_962_753_793;

it.each([
	['contract', 'ended', END],
	['kazoo', 'began', END - 900],
])('the platform %s says that TIMESTAMP is when the leg %s', async (name, _, stamp) => {
	const record = { BRIDGE_ID: 'a@b', TIMESTAMP: String(stamp), BILLING_SECONDS: '900' };
	const { cdrs } = pbxBy(async () => ({ data: [record] }), dialectOf(name));
	const records = await cdrs.list({ from: END - 7200, to: END + 7200 });
	expect(calls.simplifyCall(records)).toMatchObject({
		at: '2026-11-24T15:36:33Z',
		details: { startedAt: '2026-11-24T15:21:33Z' },
	});
});

/** A record as a stock platform lists it. */
const STOCK: IDataObject = {
	id: '202611-a',
	call_id: 'a@10.0.0.5',
	bridge_id: 'a@10.0.0.5',
	direction: 'inbound',
	caller_id_number: '17185550101',
	caller_id_name: 'Bob Buyer',
	callee_id_number: '',
	dialed_number: '12125550111',
	duration_seconds: 30,
	billing_seconds: 25,
	timestamp: END,
	hangup_cause: 'NORMAL_CLEARING',
	recording_url: 'https://rec.example/v2/a%20b.mp3?x=1',
	media_recordings: ['https://rec.example/c.mp3', '202611-0123', '202611-0123', ''],
};

describe('the field names of a stock platform', () => {
	it('are read like those of the contract, numbers as numbers', () => {
		expect(legOfCdr(new Cdr(STOCK))).toMatchObject({
			callId: 'a@10.0.0.5',
			side: 'caller',
			from: { number: '17185550101', name: 'Bob Buyer' },
			to: { number: '12125550111' },
			talk: 25,
		});
		expect(new Cdr(STOCK).timestamp).toBe(String(END));
		expect(new Cdr(STOCK).recordings).toEqual([
			{ file: 'a b.mp3', address: 'https://rec.example/v2/a%20b.mp3?x=1' },
			{ file: 'c.mp3', address: 'https://rec.example/c.mp3' },
		]);
	});

	it('name recordings by ID, each once, where the platform has addresses for IDs', () => {
		const { cdrs } = pbxBy(async () => ({}), dialectOf('kazoo'));
		expect(cdrs.read(STOCK).recordings.slice(2)).toEqual([
			{ file: '202611-0123', address: 'recordings/202611-0123?accept=audio/mpeg' },
		]);
	});

	it('let Call → Get find a call where the filter finds nothing', async () => {
		const send = async ({ query = {} }: PbxRequest) => ({
			data: 'filter_bridge_id' in query ? [] : [STOCK, { ...STOCK, bridge_id: 'b@10.0.0.5' }],
		});
		const { cdrs } = pbxBy(send);
		const legs = await cdrs.ofCall('a@10.0.0.5', { from: END - 60, to: END + 60 });
		expect(legs.map(({ original }) => original)).toEqual([STOCK]);
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
