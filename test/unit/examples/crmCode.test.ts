import parsePhoneNumber, { getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import type { IDataObject } from 'n8n-workflow';
import { numberDetails } from '../../../nodes/VirtualPbx/util/phone/forms';
import { callFrom, runCode } from '../../support/exampleCode';
import { readExampleFile } from '../../support/exampleTexts';
import { COUNTRY_CODES } from '../util/phoneJudge';

type Choose = (call: IDataObject, known: IDataObject, phones: string[]) => IDataObject | undefined;

const chooseHubspot: Choose = (call, known, phones) =>
	runCode(
		'crm/hubspot/find-customer.json',
		'Choose Contact',
		{ 'When Called': call, 'Known Customer': known },
		{ results: phones.map((phone, index) => ({ id: String(index), properties: { phone } })) },
	)[0];

const choosePipedrive: Choose = (call, known, phones) =>
	runCode(
		'crm/pipedrive/find-customer.json',
		'Choose Person',
		{
			...{ 'When Called': call, 'Known Customer': known },
			'Search Persons': {
				data: { items: phones.map((phone, id) => ({ item: { id, phones: [phone] } })) },
			},
		},
		{ data: [] },
	)[0];

const chooseAmocrm: Choose = (call, known, phones) =>
	runCode(
		'crm/amocrm/find-customer.json',
		'Choose Contact',
		{
			...{ 'When Called': call, 'Known Customer': known, 'Known or Newest': {} },
			'Find Contacts': {
				body: {
					_embedded: {
						contacts: phones.map((value, id) => ({
							...{ id, updated_at: -id },
							custom_fields_values: [{ field_code: 'PHONE', values: [{ value }] }],
						})),
					},
				},
			},
		},
		{},
	)[0];

const chooseZendesk: Choose = (call, known, phones) =>
	runCode(
		'crm/zendesk/find-customer.json',
		'Choose User',
		{ 'When Called': call, 'Known Customer': known },
		{ users: phones.map((phone, id) => ({ id, phone, active: true })), identities: [] },
	)[0];

/** A sheet is read whole, so nothing has to be remembered. A contact's name is its row. */
const chooseInSheet: Choose = (call, _, phones) => {
	const contacts = {
		values: [['name', 'phone'], ...phones.map((phone, row) => [`${row}`, phone])],
	};
	const given = { valueRanges: [contacts, { values: [['callId', 'outcome']] }, {}] };
	const file = 'crm/google-sheets/write-entry.json';
	const [chosen] = runCode(file, 'Choose Contact', { 'When Called': call }, given as never);
	return { entryId: chosen?.customer, isNew: chosen?.isNew };
};

describe.each([
	['HubSpot', chooseHubspot],
	['Pipedrive', choosePipedrive],
	['amoCRM', chooseAmocrm],
	['Zendesk', chooseZendesk],
	['Google Sheets', chooseInSheet],
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
			...{ entryId: '7', ownerId: '' },
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
		if (service !== 'Google Sheets')
			expect(choose(call, { entryId: '1' }, phones)?.entryId).toBe('1');
	});
});

describe('in HubSpot, a caller', () => {
	const file = 'crm/hubspot/find-customer.json';
	it('is found in every country, by the number that HubSpot searches', () => {
		const missed = COUNTRY_CODES.filter((country) => {
			const example = getExampleNumber(country, examples);
			if (!example) return false;
			const call = callFrom(example.number);
			const [search] = runCode(file, 'Search', { 'When Called': call }, {});
			const stored = example.formatInternational();
			const searchable = parsePhoneNumber(stored)?.nationalNumber;
			const isFound = JSON.stringify(search).includes(`"${searchable}"`);
			return !isFound;
		});

		expect(missed).toEqual([]);
	});

	it.each([
		['https://n8n.example/1', { hs_call_recording_url: 'https://n8n.example/1' }],
		['http://n8n/1', { hs_call_body: 'Text<br><a href="http://n8n/1">Recording</a>' }],
	])('has the recording where HubSpot takes it: %s', (recordingLink, properties) => {
		const known = { results: [{ id: '7', properties: { hs_call_body: 'Text' } }] };
		const made = { 'Recording Link': { callId: 'a@b', recordingLink } };
		expect(runCode('crm/hubspot/recording.json', 'Recording', made, known)).toEqual([
			{ callId: 'a@b', id: '7', body: { properties } },
		]);
		expect(runCode('crm/hubspot/recording.json', 'Recording', made, { results: [] })).toEqual([]);
	});

	it('has a review once, and none of a call that was deleted', () => {
		const talk = { callId: 'a@b', at: '2026-11-20T10:00:00Z', summary: 'Wants <2> chairs' };
		const review = (results: IDataObject[], key: string) =>
			runCode(
				'crm/hubspot/review.json',
				'Review',
				{ 'Call Reviewed': talk, 'Known Text': { results } },
				{ key },
			);
		const text = 'Summary: Wants &#60;2&#62; chairs';

		expect(review([], '')).toMatchObject([
			{ body: { inputs: [{ properties: { hs_timestamp: talk.at, hs_call_body: text } }] } },
		]);
		expect(review([{ properties: { hs_call_body: 'Old' } }], 'a@b')).toMatchObject([
			{ body: { inputs: [{ properties: { hs_call_body: `Old<br>${text}` } }] } },
		]);
		expect(review([{ properties: { hs_call_body: text } }], 'a@b')).toEqual([]);
		expect(review([], 'a@b')).toEqual([]);
	});
});

describe('in Pipedrive', () => {
	it('an empty list can be null', () => {
		const call = { ...callFrom('+79162345678'), callId: 'a@b', at: '2026-11-20T10:00:00Z' };
		const made = {
			...{ 'When Called': call, 'Known Customer': {} },
			'Search Persons': { data: null },
		};
		const [person] = runCode('crm/pipedrive/find-customer.json', 'Choose Person', made, {
			data: null,
		});
		expect(person).toMatchObject({ isNew: true });
		const [activity] = runCode('crm/pipedrive/write-entry.json', 'Activity', made, { data: null });
		expect(activity).toMatchObject({ method: 'POST' });
	});

	it('a review is added to an activity whose note is empty', () => {
		const talk = { callId: 'a@b', summary: 'Wants chairs' };
		const made = { 'Get Activity': { key: 'a@b' }, 'Call Reviewed': talk };
		const review = (data: IDataObject[] | null) =>
			runCode('crm/pipedrive/review.json', 'Review', made, { data });
		expect(review([{ id: 1, note: null }])).toMatchObject([
			{ id: 1, body: { note: 'Summary: Wants chairs' } },
		]);
		expect(review(null)).toEqual([]);
	});
});

it('a past call is looked for among what a CRM changed last, since it lists only some', () => {
	const call = { callId: 'a@b', at: '2025-12-01T10:00:00Z', customerId: '7', details: {} };
	const [period] = runCode('crm/pipedrive/write-entry.json', 'Period', { 'When Called': call }, {});
	expect(period?.query).toContain('sort_by=update_time&sort_direction=desc');
	const notes = readExampleFile('crm/amocrm/write-entry.json').nodes.find(
		({ name }) => name === 'Recent Notes',
	);
	expect(notes?.parameters.queryParameters).toMatchObject({
		parameters: expect.arrayContaining([{ name: 'order[updated_at]', value: 'desc' }]) as unknown,
	});
});
