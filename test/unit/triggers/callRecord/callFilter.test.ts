import type { IDataObject } from 'n8n-workflow';

import type { CallFilters } from '../../../../nodes/VirtualPbx/calls/filter';
import { rejectionReason } from '../../../../nodes/VirtualPbx/calls/filter';
import { callOfRecords } from '../../../../nodes/VirtualPbx/calls/record';
import { cdrsIn } from '../../../support/cdrs';
import { readNumberMatch } from '../../../../nodes/VirtualPbx/util/numbers';

const ANY = { countVoicemail: true };
const passes = (legs: IDataObject[], filters: CallFilters) =>
	rejectionReason(callOfRecords(cdrsIn(legs)), filters) === undefined;
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

	it('missed calls are told as the option counts voicemail', () => {
		const legs = [{ ...leg('74951234567', '74950000100'), BILLING_SECONDS: '20' }];
		for (const countVoicemail of [true, false])
			for (const missed of [true, false])
				expect(passes(legs, { countVoicemail, missed })).toBe(countVoicemail === missed);
		expect(passes([leg('101', '102')], { ...ANY, missed: true })).toBe(false);
	});

	it('employees are those of the whole call', () => {
		const legs = [leg('74951234567', '74950000100'), leg('74951234567', '101', 'outbound')];
		const employees = readNumberMatch('1*');
		expect(passes(legs, { ...ANY, employees })).toBe(true);
		expect(passes(legs.slice(0, 1), { ...ANY, employees })).toBe(false);
	});

	it('outcomes are those of the whole call', () => {
		const rang = { ...leg('74951234567', '101', 'outbound'), BILLING_SECONDS: '0' };
		const began = { ...leg('74951234567', '74950000100'), BILLING_SECONDS: '20' };
		const legs = [rang, began];
		expect(passes(legs, { ...ANY, outcomes: ['noAnswer', 'voicemail'] })).toBe(true);
		expect(passes(legs, { ...ANY, outcomes: ['answered', 'noAnswer'] })).toBe(false);
		expect(passes(legs, { ...ANY, outcomes: [] })).toBe(true);
	});
});
