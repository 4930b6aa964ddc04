import type { IDataObject } from 'n8n-workflow';

import * as calls from '../../../../nodes/VirtualPbx/calls/record';
import { legOfCdr } from '../../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr } from '../../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { PbxRequest } from '../../../../nodes/VirtualPbx/pbx/types';
import { pbxBy } from '../../support/rangePbx';

const END = 63_962_753_793;

/** A record as a stock platform lists it. */
const STOCK: IDataObject = {
	...{ id: '202611-a', call_id: 'a@10.0.0.5', bridge_id: 'a@10.0.0.5', direction: 'inbound' },
	...{ caller_id_number: '17185550101', caller_id_name: 'Bob Buyer', callee_id_number: '' },
	...{ dialed_number: '12125550111', duration_seconds: 30, billing_seconds: 5, timestamp: END },
	...{ hangup_cause: 'NORMAL_CLEARING', recording_url: 'https://rec.example/v2/a%20b.mp3?x=1' },
	media_recordings: ['https://rec.example/c.mp3', '202611-0123', ''],
};

it('the field names of a stock platform are read like those of the contract, numbers as numbers', () => {
	expect(legOfCdr(new Cdr(STOCK))).toMatchObject({
		...{ callId: 'a@10.0.0.5', side: 'caller', talk: 5 },
		from: { number: '17185550101', name: 'Bob Buyer' },
		to: { number: '12125550111' },
	});
	expect(new Cdr(STOCK).timestamp).toBe(String(END));
	// For IDs, this platform has no addresses.
	expect(new Cdr(STOCK).recordings).toEqual([
		{ file: 'a b.mp3', address: 'https://rec.example/v2/a%20b.mp3?x=1' },
		{ file: 'c.mp3', address: 'https://rec.example/c.mp3' },
	]);
});

it('Call → Get finds a call where the filter finds nothing', async () => {
	const send = async ({ query = {} }: PbxRequest) => ({
		data: 'filter_bridge_id' in query ? [] : [STOCK, { ...STOCK, bridge_id: 'b@10.0.0.5' }],
	});
	const legs = await pbxBy(send).cdrs.ofCall('a@10.0.0.5', { from: END - 60, to: END + 60 });
	expect(legs.map(({ original }) => original)).toEqual([STOCK]);
});

it.each([STOCK, { ...STOCK, direction: 'outbound', callee_id_number: '100' }])(
	'a filter judges the $direction record of an answered call by what its item shows',
	(original) => {
		const record = new Cdr(original);
		const passes = (filters: object) =>
			calls.recordPasses(record, { countVoicemail: true, ...filters });
		const shown = calls.simplifyCdr(record);
		expect(shown).toMatchObject({ outcome: 'answered', talkSeconds: 5 });
		for (const missed of [true, false]) expect(passes({ missed })).toBe(shown.missed === missed);
		expect(passes({ callTypes: ['incoming'] })).toBe(shown.callType === 'incoming');
		expect(['answered', 'voicemail'].map((one) => passes({ outcomes: [one] }))).toEqual([
			true,
			false,
		]);
		expect([5, 10].map((minTalkSeconds) => passes({ minTalkSeconds }))).toEqual([true, false]);
	},
);

it.each([
	['https://r.example/2026/', 'a.mp3', 'https://r.example/2026/a.mp3'],
	['https://r.example/2026', 'a.mp3', 'https://r.example/2026a.mp3'],
	['https://r.example/get?file=', 'a.mp3', 'https://r.example/get?file=a.mp3'],
	['https://r.example/', 'call #1.mp3', 'https://r.example/call %231.mp3'],
	['https://r.example/', '50%.wav', 'https://r.example/50%25.wav'],
	['https://r.example/', 'a%20b.wav', 'https://r.example/a%20b.wav'],
	['https://r.example/', 'what?.wav', 'https://r.example/what%3F.wav'],
	['https://r.example/', '1@10.0.0.1.wav', 'https://r.example/1@10.0.0.1.wav'],
	[' https://r.example/ ', ' a.mp3 ', 'https://r.example/a.mp3'],
	['', 'a.mp3', 'a.mp3'],
	['', '', undefined],
])('the address of a recording (§2.4) of %j and %j is %j', (REC_LINK, REC_FILE, address) => {
	expect(new Cdr({ REC_LINK, REC_FILE }).recordings[0]?.address).toBe(address);
});
