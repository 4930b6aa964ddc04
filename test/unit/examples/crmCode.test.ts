import { getExampleNumber } from 'libphonenumber-js/max';
import { DateTime } from 'luxon';
import examples from 'libphonenumber-js/examples.mobile.json';
import type { IDataObject } from 'n8n-workflow';
import { numberDetails } from '../../../nodes/VirtualPbx/util/phone';
import { callFrom, runCode, sheetsOf } from '../../support/exampleCode';
import { COUNTRY_CODES } from '../util/phoneJudge';

type Found = [file: string, node: string, found: IDataObject];

/** What the search of each CRM finds, and which node chooses among it. All but a sheet return the newest first. */
const FOUND: Record<string, (phones: string[]) => Found> = {
	HubSpot: (phones) => [
		...(['hubspot', 'Choose Contact'] as const),
		{ results: phones.map((phone, id) => ({ id: String(id), properties: { phone } })) },
	],
	Pipedrive: (phones) => [
		...(['pipedrive', 'Choose Person'] as const),
		{ data: { items: phones.map((phone, id) => ({ item: { id, phones: [phone] } })).reverse() } },
	],
	amoCRM: (phones) => {
		const fieldsOf = (value: string) => [{ field_code: 'PHONE', values: [{ value }] }];
		const contacts = phones.map((phone, id) => ({ id, custom_fields_values: fieldsOf(phone) }));
		return ['amocrm', 'Choose Contact', { body: { _embedded: { contacts: contacts.reverse() } } }];
	},
	// Its search runs before.
	Bitrix24: () => ['bitrix24', 'Choose Customer', {}],
	Zendesk: (phones) => [
		...(['zendesk', 'Choose User'] as const),
		{ users: phones.map((phone, id) => ({ id, phone, active: true })).reverse() },
	],
	// A sheet is read whole, so nothing has to be remembered. A contact's name is its row.
	'Google Sheets': (phones) => [
		...(['google-sheets', 'Choose Contact'] as const),
		sheetsOf(phones.map((phone, row) => [String(row), phone])),
	],
};

/** No contact: amoCRM and Bitrix24 then take no call. */
const NONE: IDataObject = { contactId: '', isNew: false };

/** Has the workflow of a CRM choose a contact: with rows of earlier calls, and contacts that the search found. */
function contactIn(crm: string, call: IDataObject, phones: string[], rows: IDataObject[] = []) {
	const [file, node, input] = FOUND[crm]?.(phones) ?? ['', '', {}];
	const CONTACT = phones.map((VALUE, ID) => ({ ID: String(ID), PHONE: [{ VALUE }] })).reverse();
	const lists = { CONTACT, COMPANY: [], LEAD: [], user: [], mode: 1 };
	const made = {
		Settings: { employees: '', neverLog: '', newContactsPerDay: 3, defaultOwner: '', ...call },
		...{ 'Find Owner': { results: [] }, 'Get Earlier Calls': rows },
		'Get Users': { _embedded: { users: [] } },
		'Get Customers': { result: { result: lists, result_error: [] } },
	};
	const [chosen = NONE] = runCode(`crm/${file}.json`, node, made, input);
	const id = String(chosen.contactId ?? chosen.customer ?? '').replace('3_', '');
	return { ...chosen, contactId: id };
}

const CALLER = '+79162345678';

describe.each(Object.keys(FOUND))('in %s, a caller', (crm) => {
	const isSheet = crm === 'Google Sheets';

	it('is found in every country, as people there and elsewhere write the number', () => {
		const missed = COUNTRY_CODES.filter((country) => {
			const example = getExampleNumber(country, examples);
			if (!example) return false;
			const isFound = (own: string, form: string) => {
				const call = { ...callFrom(example.number), details: numberDetails(example.number, own) };
				return contactIn(crm, call, [form]).contactId === '0';
			};
			const forms = [example.formatInternational(), example.number];
			return (
				!forms.every((form) => isFound('RU', form)) || !isFound(country, example.formatNational())
			);
		});

		expect(missed).toEqual([]);
	});

	it.each([
		[CALLER, '8 916 234-56-78'],
		[CALLER, '+7 916 234-56-78 доб. 12'],
		[CALLER, '8 (916) 234-56-78 ext 5'],
		[CALLER, '+79162345678;ext=5'],
		[CALLER, '8-495-123-45-67 / 8-916-234-56-78'],
		[CALLER, '+7 916 234-56-78, +7 495 123-45-67'],
		['+493012345678', '0049 30 12345678'],
		['+493012345678', '+49 (0)30 12345678'],
		['+493012345678', '+49 30/12345678'],
		...(isSheet
			? []
			: [
					[CALLER, '+7 8 916 234-56-78'],
					[CALLER, '+8 916 234 56 78'],
					[CALLER, '8 (916) 234-56-78 (12)'],
					[CALLER, '+7 (916) 234-56-78 (доб. 12)'],
					['+442079460000', '+44 020 7946 0000'],
					['+442079460000', '+44 (0)20 7946 0000'],
					['+493012345678', '+49 030 12345678'],
					['+33655555555', '+33 06 55 55 55 55'],
					['+3612345678', '+36 06 1 234 5678'],
				]),
	])('%s is found where people wrote “%s”, and not before', (number = '', text = '') => {
		const others = ['+1 916 234 5678', ''];
		expect(contactIn(crm, callFrom(number), [...others, text])).toMatchObject({
			...{ contactId: '2', isNew: false },
		});
	});

	it.each([
		[CALLER, '+1 916 234 5678'],
		['+4722123456', '+49 30/22123456'],
		['+4722123456', '0049 30 / 22123456'],
		['+4722123456', '+49 30, 22123456'],
		['+74951234567', '+84 951 234 567'],
		['+393331234567', '+39 0333 1234567'],
	])('%s is not taken for “%s”, which only ends like the number', (number, text) => {
		expect(contactIn(crm, callFrom(number), [text])).toMatchObject({ isNew: true });
	});

	it.each([
		['yes', 'outgoing', true],
		['no', 'incoming', false],
		['incoming', 'incoming', true],
		['incoming', 'outgoing', false],
	])('becomes a customer as chosen: %s, %s', (createCallers, callType, isNew) => {
		const call = { ...callFrom(CALLER), createCallers, callType };
		expect(contactIn(crm, call, [])).toMatchObject({ isNew });
	});

	it('is created up to the limit of a day, known ones and withheld numbers are not', () => {
		if (isSheet) return;
		const call = { ...callFrom(CALLER), callId: 'a@b', outcome: 'answered' };
		const rows = (count: number) =>
			Array.from({ length: count }, () => ({ newContactOn: DateTime.utc().toISODate() }));
		expect(contactIn(crm, call, [], rows(2))).toMatchObject({ isNew: true });
		expect(() => contactIn(crm, call, [], rows(3))).toThrow("'newContactsPerDay'");
		expect(contactIn(crm, call, [CALLER], rows(3))).toMatchObject({ isNew: false });
		for (const [customerNumber, numbers] of [
			[null, []],
			['100200', ['100200']],
		] as const) {
			const other = { ...call, customerNumber, details: { numbers: [...numbers] } };
			expect(contactIn(crm, other, [''], rows(3))).toMatchObject(NONE);
		}
	});
});
