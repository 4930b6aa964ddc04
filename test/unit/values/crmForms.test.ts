import examples from 'libphonenumber-js/examples.mobile.json';
import { getExampleNumber } from 'libphonenumber-js/max';

import { callOfRecords, simplifyCall } from '../../../nodes/VirtualPbx/records/output';
import { missedCallers, noteOf } from '../../../nodes/VirtualPbx/records/missedCallers';
import { inCountry, crmForms } from '../../../nodes/VirtualPbx/values/phone/country';
import { COUNTRY_CODES } from './phoneJudge';

describe('the forms in which CRMs keep a number', () => {
	it.each<[string, string | undefined, string[]]>([
		['89161234567', 'RU', ['+79161234567', '79161234567', '89161234567', '9161234567']],
		['+7 (916) 123-45-67', 'RU', ['+79161234567', '79161234567', '89161234567', '9161234567']],
		['030 123456', 'DE', ['+4930123456', '4930123456', '030123456']],
		['+4930123456', 'RU', ['+4930123456', '4930123456']],
		['(212) 555-0100', 'US', ['+12125550100', '12125550100', '2125550100']],
		['0669812345', 'IT', ['+390669812345', '390669812345', '0669812345']],
		['89161234567', undefined, ['89161234567', '9161234567']],
		['+79161234567', undefined, ['+79161234567', '79161234567', '9161234567']],
		['112', 'RU', ['112']],
	])('%s, dialed in %s, is %j', (number, country, expected) => {
		expect(crmForms(number, country)).toEqual(expected);
	});

	it.each([undefined, '', 'anonymous', 'room4', '*72', '+', '()'])('are none for %j', (number) => {
		expect(crmForms(number, 'RU')).toEqual([]);
	});

	it('have the national form of the library, for a mobile number of every country', () => {
		const others = COUNTRY_CODES.flatMap((country) => {
			const example = getExampleNumber(country, examples);
			if (!example?.isValid()) return [];
			const library = example.formatNational().replace(/\D/g, '');
			return crmForms(example.number, country).includes(library) ? [] : [[country, library]];
		});

		// With 15 instead of the leading 9, as people there dial mobiles.
		expect(others.map(([country]) => country)).toEqual(['AR']);
	});

	it('are in the details of calls and missed callers, and empty where there is no number', () => {
		const record = (caller: string) => ({
			CALL_DIRECTION: 'inbound',
			CALLER_ID_NUMBER: caller,
			CALLEE_ID_NUMBER: '74950000100',
			BRIDGE_ID: 'a@b',
			BILLING_SECONDS: '0',
			HANGUP_CAUSE: 'NO_ANSWER',
		});
		const legs = [record('89161234567')];
		const note = noteOf(callOfRecords(legs), { at: 0, isMissed: true });
		const items = [
			simplifyCall(legs),
			...missedCallers([note], (number) => number),
			simplifyCall([record('anonymous')]),
		];

		const told = items.map((item) => inCountry(item, 'RU').details);
		const numbers = ['+79161234567', '79161234567', '89161234567', '9161234567'];
		expect(told).toMatchObject([{ numbers }, { numbers }, { numbers: [] }]);
		expect(items[0]?.details).toMatchObject({ numbers: ['89161234567', '9161234567'] });
	});
});
