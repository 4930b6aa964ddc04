import type { CountryCode, PhoneNumber } from 'libphonenumber-js';
import type { IDataObject } from 'n8n-workflow';
import examples from 'libphonenumber-js/examples.mobile.json';
import parsePhoneNumber, { getExampleNumber } from 'libphonenumber-js/max';

import { callOfRecords, simplifyCall } from '../../../nodes/VirtualPbx/calls/record';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import { missedCallers, contactOf } from '../../../nodes/VirtualPbx/calls/missedCallers';
import { present } from '../../../nodes/VirtualPbx/parameters/output';
import { crmForms, numberDetails } from '../../../nodes/VirtualPbx/util/phone';
import { COUNTRY_CODES, internationalPrefix } from './phoneJudge';

type Writing = (caller: PhoneNumber, pbx: CountryCode) => string;

/** How a PBX writes callers so that nothing is ambiguous; in Brazil, 00 comes before a carrier. */
const WRITINGS: Record<string, Writing> = {
	'E.164': ({ number }) => number,
	'with separators': (number) => number.formatInternational(),
	'with the international prefix': ({ number }, pbx) => internationalPrefix(pbx) + number.slice(1),
	'with 00': ({ number }) => `00${number.slice(1)}`,
};

/** HubSpot's search value of a stored number: "only uses the area code and local number". */
function searchable(stored: string, country: CountryCode): string {
	return parsePhoneNumber(stored, country)?.nationalNumber ?? '';
}

describe('the forms in which CRMs keep a number', () => {
	it.each<[string, string | undefined, string[]]>([
		['89161234567', 'RU', ['+79161234567', '79161234567', '89161234567', '9161234567']],
		['+7 (916) 123-45-67', 'RU', ['+79161234567', '79161234567', '89161234567', '9161234567']],
		['030 123456', 'DE', ['+4930123456', '4930123456', '030123456', '30123456']],
		['030/123456', 'DE', ['+4930123456', '4930123456', '030123456', '30123456']],
		['+4930123456', 'RU', ['+4930123456', '4930123456', '30123456']],
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

	it('are in the details of calls and missed callers, and empty where there is no number', () => {
		const record = (CALLER_ID_NUMBER: string) =>
			new Cdr({
				...{ CALL_DIRECTION: 'inbound', CALLER_ID_NUMBER, CALLEE_ID_NUMBER: '74950000100' },
				...{ BRIDGE_ID: 'a@b', BILLING_SECONDS: '0', HANGUP_CAUSE: 'NO_ANSWER' },
			});
		const legs = [record('89161234567')];
		const missed = contactOf(callOfRecords(legs), { at: 0, isMissed: true });
		const shown = (country: string | undefined, ...items: IDataObject[]) =>
			items.map((item) => present(item, { country, includeDetails: true }).details);
		const items = [simplifyCall(legs), ...missedCallers([missed], (number) => number)];
		const none = { numbers: [], nationalNumber: null, customerCountry: null };
		const known = numberDetails('89161234567', 'RU');
		const digits = { ...none, numbers: ['89161234567', '9161234567'] };
		expect(known).toMatchObject({ nationalNumber: '9161234567', customerCountry: 'RU' });
		expect(shown('RU', ...items)).toMatchObject([known, known]);
		expect(shown(undefined, ...items)).toMatchObject([digits, digits]);
		expect(shown('RU', simplifyCall([record('anonymous')]))).toMatchObject([none]);
	});
});

describe('the national significant number, by which HubSpot searches', () => {
	it.each([
		['0212345678', 'IT', '0212345678', 'IT'],
		['+39 02 1234 5678', 'RU', '0212345678', 'IT'],
		['+54 9 221 512-3456', 'US', '92215123456', 'AR'],
		['0221 15 512 3456', 'AR', '92215123456', 'AR'],
		['+52 55 1234 5678', 'DE', '5512345678', 'MX'],
		['04512345678', 'HU', null, null],
		['+37129123456', 'RU', '29123456', 'LV'],
		['+1 876 555 0123', 'US', '8765550123', 'JM'],
		['+77011234567', 'RU', '7011234567', 'KZ'],
		['+800 1234 5678', 'RU', '12345678', null],
		['100', 'RU', null, null],
		['112', 'DE', null, null],
		['7290', 'TK', null, null],
		['1234567', 'RU', null, null],
		['user_100', 'RU', null, null],
		[undefined, 'RU', null, null],
	])('of %s, called in %s, is %s of %s', (number, country, nationalNumber, customerCountry) => {
		expect(numberDetails(number, country)).toMatchObject({ nationalNumber, customerCountry });
	});

	/** The example number of each country, as the PBX writes its caller; those whose contact HubSpot does not find. */
	const notFound = (pbxIn: (own: CountryCode) => CountryCode, write: Writing) =>
		COUNTRY_CODES.filter((own) => {
			const example = getExampleNumber(own, examples);
			if (!example) return true;
			const { numbers } = numberDetails(write(example, pbxIn(own)), pbxIn(own));
			const stored = [example.number, example.formatInternational(), example.formatNational()];
			return !stored.every((form) => numbers.includes(searchable(form, own)));
		});

	it.each(Object.entries(WRITINGS))(
		'finds the contact of a caller from each of 245 countries, home and abroad: %s',
		(_, write) => {
			expect(COUNTRY_CODES).toHaveLength(245);
			expect(notFound((own) => own, write)).toEqual([]);
			for (const pbx of ['RU', 'DE', 'US', 'IT', 'GB', 'MX'] as const)
				expect(notFound(() => pbx, write)).toEqual([]);
		},
	);
});
