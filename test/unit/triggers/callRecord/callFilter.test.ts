import type { IDataObject } from 'n8n-workflow';

import { summarizeCall } from '../../../../nodes/VirtualPbx/records/summary';
import { passes } from '../../../../nodes/VirtualPbx/records/callFilter';
import { readNumberMatch } from '../../../../nodes/VirtualPbx/values/numbers';

const ANY = { causes: [], minTalkSeconds: 0 };
const leg = (caller: string, callee: string, direction = 'inbound'): IDataObject => ({
	CALL_DIRECTION: direction,
	BRIDGE_ID: 'a@b',
	CALLER_ID_NUMBER: caller,
	CALLEE_ID_NUMBER: callee,
});

describe('the filters of calls read numbers in every form', () => {
	it.each([['171 (IVANOVA MA)'], ['"Ivanova" <sip:171@h>'], ['sip:171@h'], ['171']])(
		'caller, called and either number: %s',
		(party) => {
			const match = readNumberMatch('171');
			const other = leg('sip:79220000001@h', '79220000002');
			expect(passes([leg(party, '79220000001')], { ...ANY, from: match })).toBe(true);
			expect(passes([leg('79220000001', party)], { ...ANY, to: match })).toBe(true);
			expect(passes([leg('79220000001', party)], { ...ANY, number: match })).toBe(true);
			expect(passes([other], { ...ANY, number: match })).toBe(false);
		},
	);

	it.each<[string, IDataObject[], boolean]>([
		['between extensions', [leg('171 (IVANOVA MA)', 'sip:102@h')], true],
		['of outbound legs between extensions', [leg('171', '102', 'outbound')], true],
		['from outside', [leg('sip:74951234567@h', '102'), leg('101', '102', 'outbound')], false],
		['to the outside', [leg('171 (IVANOVA MA)', '79220000001')], false],
		['of nobody', [{ CALL_DIRECTION: 'inbound' }], false],
	])('internal calls: one %s', (_, legs, isInternal) => {
		expect(passes(legs, { ...ANY, internal: 'only' })).toBe(isInternal);
		expect(passes(legs, { ...ANY, internal: 'exclude' })).toBe(!isInternal);
	});

	it('outcomes are those of the whole call', () => {
		const rang = { ...leg('74951234567', '101', 'outbound'), BILLING_SECONDS: '0' };
		const began = { ...leg('74951234567', '74950000100'), BILLING_SECONDS: '20' };
		const legs = [rang, began];
		expect(passes(legs, { ...ANY, outcomes: ['missed', 'voicemail'] })).toBe(true);
		expect(passes(legs, { ...ANY, outcomes: ['answered', 'missed'] })).toBe(false);
		expect(passes(legs, { ...ANY, outcomes: [] })).toBe(true);
	});

	it('causes match however the PBX writes them', () => {
		const legs = [{ ...leg('74951234567', '101'), HANGUP_CAUSE: 'Originator cancel' }];
		expect(passes(legs, { ...ANY, causes: ['ORIGINATOR_CANCEL'] })).toBe(true);
	});

	it('calls tell names beside numbers', () => {
		const call = summarizeCall([leg('171 (IVANOVA MA)', '"Ann" <sip:102@h>')]);
		expect(call).toMatchObject({
			from: '171',
			fromName: 'IVANOVA MA',
			to: '102',
			details: { toName: 'Ann' },
		});
		expect(summarizeCall([leg('171', '102')])).toMatchObject({
			fromName: null,
			details: { toName: null },
		});
	});
});
