import { getExampleNumber } from 'libphonenumber-js/max';
import { DateTime } from 'luxon';
import examples from 'libphonenumber-js/examples.mobile.json';
import type { IDataObject } from 'n8n-workflow';
import { numberDetails } from '../../../nodes/VirtualPbx/util/phone';
import { callFrom, runCode, sheetsOf } from '../../support/exampleCode';
import { COUNTRY_CODES } from '../util/phoneJudge';

type Choose = (call: IDataObject, known: IDataObject, phones: string[]) => IDataObject | undefined;

/** Has the workflow of a CRM choose a contact: with rows of earlier calls, and contacts that the search found. */
function contactIn(service: string, call: IDataObject, rows: IDataObject[], phones: string[]) {
	const found: Record<string, [file: string, node: string, found: IDataObject]> = {
		HubSpot: [
			...(['hubspot', 'Choose Contact'] as const),
			{ results: phones.map((phone, id) => ({ id: String(id), properties: { phone } })) },
		],
		Pipedrive: [
			...(['pipedrive', 'Choose Person'] as const),
			{ data: { items: phones.map((phone, id) => ({ item: { id, phones: [phone] } })).reverse() } },
		],
		amoCRM: [
			...(['amocrm', 'Choose Contact'] as const),
			{ body: { _embedded: { contacts: phones.map(amoContact).reverse() } } },
		],
		Bitrix24: [...(['bitrix24', 'Choose Customer'] as const), {}],
		Zendesk: [
			...(['zendesk', 'Choose User'] as const),
			{ users: phones.map((phone, id) => ({ id, phone, active: true })).reverse() },
		],
		// A sheet is read whole, so nothing has to be remembered. A contact's name is its row.
		'Google Sheets': [
			...(['google-sheets', 'Choose Contact'] as const),
			sheetsOf(phones.map((phone, row) => [String(row), phone])),
		],
	};
	const [file, node, input] = found[service] ?? [];
	const CONTACT = phones.map((VALUE, ID) => ({ ID: String(ID), PHONE: [{ VALUE }] })).reverse();
	const lists = { ...{ CONTACT, COMPANY: [], LEAD: [] }, user: [], mode: 1 };
	const settings = { employees: '', neverLog: '', newContactsPerDay: 3, defaultOwner: '', ...call };
	const made = {
		...{ Settings: settings, 'Find Owner': { results: [] }, 'Get Earlier Calls': rows },
		'Get Users': { _embedded: { users: [] } },
		'Get Customers': { result: { result: lists, result_error: [] } },
	};
	const [chosen] = runCode(`crm/${file}.json`, String(node), made, input ?? {});
	const entryId = String(chosen?.contactId ?? chosen?.customer ?? '').replace('3_', '');
	return chosen && { ...chosen, entryId, contactId: entryId };
}

const amoContact = (value: string, id: number) => ({
	...{ id, custom_fields_values: [{ field_code: 'PHONE', values: [{ value }] }] },
});

const chooseIn =
	(service: string): Choose =>
	(call, known, phones) => {
		const rows = known.entryId ? [{ ...known, number: call.customerNumber }] : [];
		return contactIn(service, call, rows, phones) ?? NONE;
	};

/** No contact: amoCRM and Bitrix24 then take no call. */
const NONE = { contactId: '', entryId: '', isNew: false };

describe.each([
	['HubSpot', chooseIn('HubSpot')],
	['Pipedrive', chooseIn('Pipedrive')],
	['amoCRM', chooseIn('amoCRM')],
	['Bitrix24', chooseIn('Bitrix24')],
	['Zendesk', chooseIn('Zendesk')],
	['Google Sheets', chooseIn('Google Sheets')],
])('in %s, a caller', (service, choose) => {
	it('is found in every country, as people there and elsewhere write the number', () => {
		const missed = COUNTRY_CODES.filter((country) => {
			const example = getExampleNumber(country, examples);
			if (!example) return false;
			const at = (own: string) => ({
				...callFrom(example.number),
				details: numberDetails(example.number, own),
			});
			const forms = [example.formatInternational(), example.number];
			const isFound = forms.every((form) => choose(at('RU'), {}, [form])?.entryId === '0');
			return !isFound || choose(at(country), {}, [example.formatNational()])?.entryId !== '0';
		});

		expect(missed).toEqual([]);
	});

	it('is not taken for one with the same national number in another country', () => {
		const found = choose(callFrom('+79162345678'), {}, ['+1 916 234 5678', '8 916 234-56-78']);
		expect(found).toMatchObject({ entryId: '1', isNew: false });
		expect(choose(callFrom('+79162345678'), {}, ['+1 916 234 5678'])).toMatchObject({
			isNew: true,
		});
	});

	it.each(['+49 30/22123456', '0049 30 / 22123456', '+49 30, 22123456'])(
		'is not taken for “%s”, which only ends like their number',
		(text) => {
			expect(choose(callFrom('+4722123456'), {}, [text])).toMatchObject({ isNew: true });
		},
	);

	it.each([
		['+79162345678', '+7 916 234-56-78 доб. 12'],
		['+79162345678', '8 (916) 234-56-78 ext 5'],
		['+79162345678', '+79162345678;ext=5'],
		['+79162345678', '8-495-123-45-67 / 8-916-234-56-78'],
		['+79162345678', '+7 916 234-56-78, +7 495 123-45-67'],
		['+493012345678', '0049 30 12345678'],
		['+493012345678', '+49 (0)30 12345678'],
		['+493012345678', '+49 30/12345678'],
	])('%s is found where people wrote “%s”', (number, text) => {
		expect(choose(callFrom(number), {}, ['', text])).toMatchObject({ entryId: '1', isNew: false });
	});

	it('is created once: a new customer is known until the search finds it', () => {
		if (service === 'Google Sheets') return;
		const known = (minutes: number) => ({
			...{ entryId: '7', ownerId: '', contactId: '7', newContactOn: 'today' },
			updatedAt: new Date(Date.now() - minutes * 60_000).toISOString(),
			madeAt: new Date(Date.now() - minutes * 60_000).toISOString(),
		});
		const call = callFrom('+79162345678');
		expect(choose(call, known(1), [])).toMatchObject({ entryId: '7', isNew: false });
		expect(choose(call, known(60), [])).toMatchObject({ entryId: '', isNew: true });
	});

	it.each([
		['yes', 'outgoing', true],
		['no', 'incoming', false],
		['incoming', 'incoming', true],
		['incoming', 'outgoing', false],
	])('becomes a customer as chosen: %s, %s', (createCallers, callType, isNew) => {
		const call = { ...callFrom('+79162345678'), createCallers, callType };
		expect(choose(call, {}, [])).toMatchObject({ isNew });
	});

	it('is the one that the settings choose, of several', () => {
		const call = callFrom('+79162345678');
		const phones = ['+79162345678', '8 916 234-56-78'];
		expect(choose(call, {}, phones)?.entryId).toBe('0');
	});
});

describe.each(['HubSpot', 'Pipedrive', 'Zendesk', 'amoCRM', 'Bitrix24'])(
	'in %s, a caller',
	(service) => {
		const call = { ...callFrom('+79162345678'), callId: 'a@b', outcome: 'answered' };

		it.each([
			['+79162345678', '+7 8 916 234-56-78'],
			['+79162345678', '+8 916 234 56 78'],
			['+79162345678', '8 (916) 234-56-78 (12)'],
			['+79162345678', '+7 (916) 234-56-78 (доб. 12)'],
			['+442079460000', '+44 020 7946 0000'],
			['+442079460000', '+44 (0)20 7946 0000'],
			['+493012345678', '+49 030 12345678'],
			['+33655555555', '+33 06 55 55 55 55'],
			['+3612345678', '+36 06 1 234 5678'],
		])('%s is found where people wrote “%s”', (number, text) => {
			expect(contactIn(service, callFrom(number), [], ['', text])).toMatchObject({
				contactId: '1',
			});
		});

		it.each([
			['+74951234567', '+84 951 234 567'],
			['+393331234567', '+39 0333 1234567'],
			[null, ''],
		])('%s is not taken for “%s”', (customerNumber, text) => {
			const details = { numbers: [], nationalNumber: null };
			const given = customerNumber
				? callFrom(customerNumber)
				: { ...call, customerNumber, details };
			expect(contactIn(service, given, [], [text]) ?? NONE).toMatchObject({ contactId: '' });
		});

		it.each([
			['logged before', {}, { state: 'done' }],
			['ringing late', { outcome: 'ringing' }, { state: 'logged' }],
			['never to be logged', { neverLog: ' +49 1, 8 (916) 234-56-78' }, { callId: 'other' }],
		])('is left alone if the call is %s', (_, more, row) => {
			const rows = [{ callId: 'a@b', ...row }];
			expect(contactIn(service, { ...call, ...more }, rows, [])).toBeUndefined();
		});

		it('is created up to the limit of a day, known ones and withheld numbers are not', () => {
			const today = DateTime.utc().toISODate();
			const rows = (count: number) =>
				Array.from({ length: count }, () => ({ newContactOn: today }));
			expect(contactIn(service, call, rows(2), [])).toMatchObject({ isNew: true });
			expect(() => contactIn(service, call, rows(3), [])).toThrow("'newContactsPerDay'");
			expect(contactIn(service, call, rows(3), ['+79162345678'])).toMatchObject({ isNew: false });
			const hidden = { ...call, customerNumber: null, details: { numbers: [] } };
			expect(contactIn(service, hidden, rows(3), []) ?? NONE).toMatchObject({ isNew: false });
			const colleague = { ...call, customerNumber: '100200', details: { numbers: ['100200'] } };
			expect(contactIn(service, colleague, rows(3), []) ?? NONE).toMatchObject({ isNew: false });
		});
	},
);

describe('in HubSpot, a caller', () => {
	const call = { ...callFrom('+79162345678'), callId: 'a@b', outcome: 'answered' };

	const task = (more: IDataObject, rows: IDataObject[] = [], found: IDataObject[] = []) =>
		runCode(
			'crm/hubspot.json',
			'Prepare Task',
			{
				Settings: { ...call, callId: 'a@b', at: NOW, missed: true, outcome: 'noAnswer', ...more },
				...{ 'Get Earlier Calls': rows, 'Log Call': { results: found } },
				...{ 'Choose Contact': { owner: '7' }, 'Prepare Call': { contactId: '5' } },
			},
			{},
		);
	const NOW = DateTime.utc().minus({ hours: 1 }).toISO();
	const later = { number: '+79162345678', outcome: 'answered', at: DateTime.utc().toISO() };

	it('who was missed becomes a task once, which says whether the number is foreign or premium', () => {
		const subjectOf = (more: IDataObject) => JSON.stringify(task(more)[0]?.body);
		expect(subjectOf({})).toContain('"Call back +79162345678"');
		expect(subjectOf({ isForeign: true })).toContain('(foreign number: RU)');
		expect(subjectOf({ isPremium: true })).toContain('(premium number)');
		expect(task({}, [later])).toEqual([]);
		expect(task({}, [], [{ id: '1' }])).toEqual([]);
		expect(task({ missed: false })).toEqual([]);
		expect(task({ at: DateTime.utc().minus({ days: 3 }).toISO() })).toEqual([]);
	});

	it('who is reached has the tasks completed that came since the last answered call', () => {
		const row = (hours: number, more: IDataObject) => ({
			...{
				number: '+79162345678',
				at: DateTime.utc().minus({ hours }).toISO(),
				callId: `${hours}`,
			},
			...more,
		});
		const rows = [
			row(9, { taskId: '1', outcome: 'noAnswer' }),
			row(8, { outcome: 'answered' }),
			row(7, { taskId: '2', outcome: 'noAnswer' }),
			row(0, { taskId: '3', outcome: 'noAnswer' }),
		];
		const answered = { outcome: 'answered', missed: false };
		expect(task(answered, rows)).toMatchObject([{ body: { inputs: [{ id: '2' }] } }]);
		expect(task(answered, rows.slice(0, 2))).toEqual([]);
	});

	it('who rings is written, and then the same entry is completed', () => {
		const prepare = (more: IDataObject, own: IDataObject, found: IDataObject[] = []) =>
			runCode(
				'crm/hubspot.json',
				'Prepare Call',
				{ Settings: { ...call, at: NOW, ...more }, 'Choose Contact': { own, contactId: '5' } },
				{ results: found },
			)[0];
		expect(prepare({ outcome: 'ringing' }, {})).toMatchObject({ method: 'POST', path: 'calls' });
		const ringing = { state: 'ringing', entryId: '8' };
		expect(prepare({}, ringing)).toMatchObject({ method: 'PATCH', path: 'calls/8', entryId: '8' });
		// One that n8n didn't live to note.
		expect(prepare({}, {}, [{ id: '9' }])).toMatchObject({ path: 'tasks/search', entryId: '9' });
	});
});

describe('in Pipedrive', () => {
	const CALL = {
		...{ ...callFrom('+79162345678'), callId: 'a@b', outcome: 'answered', defaultOwner: '' },
		at: DateTime.utc().minus({ hours: 1 }).toISO(),
		details: { ...numberDetails('+79162345678', 'RU'), summary: 'Call' },
	};
	const prepare = (more: IDataObject, found: IDataObject[] | null) =>
		runCode(
			'crm/pipedrive.json',
			'Prepare Call',
			{
				Settings: { ...CALL, ...more },
				...{ 'Choose Person': { contactId: '5', owner: 7 }, 'Find User': { data: [{ id: 8 }] } },
			},
			{ data: found },
		)[0];

	it('a call is written once, by its ID, and an empty list can be null', () => {
		expect(prepare({}, null)).toMatchObject({ method: 'POST', body: { done: true, owner_id: 8 } });
		const other = { id: 1, subject: 'Call', note: 'Call<br>Call ID: a@bc' };
		expect(prepare({}, [other])).toMatchObject({ method: 'POST' });
		const own = { id: 2, subject: 'Call', note: '<p>Wants chairs</p><p>Call ID: a@b</p>' };
		expect(prepare({}, [other, own])).toMatchObject({ method: 'GET', path: 'activities/2' });
	});

	it('the activity of a call that rang is completed, and what a person wrote stays', () => {
		const note = 'Hello<br>Call ID: a@b (ringing)';
		const rang = { id: 2, subject: 'Call, ringing', note };
		expect(prepare({}, [rang])).toMatchObject({ method: 'PATCH', body: { subject: 'Call' } });
		expect(prepare({}, [{ ...rang, subject: 'Chairs' }])?.body).not.toHaveProperty('subject');
		expect(prepare({ outcome: 'ringing' }, [rang])).toMatchObject({ method: 'GET' });
	});

	it('a missed call stays open, for the owner of the person', () => {
		const missed = { missed: true, outcome: 'noAnswer', isPremium: true };
		expect(prepare(missed, [])).toMatchObject({
			body: { subject: 'Call back +79162345678 (premium number)', done: false, owner_id: 7 },
		});
	});
});
