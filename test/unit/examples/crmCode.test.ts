import parsePhoneNumber, { getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import type { IDataObject } from 'n8n-workflow';
import { numberDetails } from '../../../nodes/VirtualPbx/util/phone/forms';
import { runCode } from '../../support/exampleCode';
import { COUNTRY_CODES } from '../util/phoneJudge';

const NEW = { createCallers: 'yes', whichCustomer: 'oldest', callType: 'incoming' };

/** A call of a company in Russia. */
const callOf = (customerNumber: string): IDataObject => ({
	...{ ...NEW, customerNumber, numberText: customerNumber },
	details: numberDetails(customerNumber, 'RU'),
});

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
			...{ 'When Called': call, 'Known Customer': known, 'Newest Contacts': {} },
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

describe.each([
	['HubSpot', chooseHubspot],
	['Pipedrive', choosePipedrive],
	['amoCRM', chooseAmocrm],
])('in %s, a caller', (_, choose) => {
	it('is found in every country, as people there and elsewhere write the number', () => {
		const missed = COUNTRY_CODES.filter((country) => {
			const example = getExampleNumber(country, examples);
			if (!example) return false;
			const at = (own: string) => ({
				...callOf(example.number),
				details: numberDetails(example.number, own),
			});
			const forms = [example.formatInternational(), example.number];
			const isFound = forms.every((form) => choose(at('RU'), {}, [form])?.entryId === '0');
			return !isFound || choose(at(country), {}, [example.formatNational()])?.entryId !== '0';
		});

		expect(missed).toEqual([]);
	});

	it('is not taken for one with the same national number in another country', () => {
		const found = choose(callOf('+79162345678'), {}, ['+1 916 234 5678', '8 916 234-56-78']);
		expect(found).toMatchObject({ entryId: '1', isNew: false });
		expect(choose(callOf('+79162345678'), {}, ['+1 916 234 5678'])).toMatchObject({ isNew: true });
	});

	it('is created once: a new customer is known until the search finds it', () => {
		const known = (minutes: number) => ({
			...{ entryId: '7', ownerId: '' },
			madeAt: new Date(Date.now() - minutes * 60_000).toISOString(),
		});
		const call = callOf('+79162345678');
		expect(choose(call, known(1), [])).toMatchObject({ entryId: '7', isNew: false });
		expect(choose(call, known(60), [])).toMatchObject({ entryId: '', isNew: true });
	});

	it.each([
		['yes', 'outgoing', true],
		['no', 'incoming', false],
		['incoming', 'incoming', true],
		['incoming', 'outgoing', false],
	])('becomes a customer as chosen: %s, %s', (createCallers, callType, isNew) => {
		const call = { ...callOf('+79162345678'), createCallers, callType };
		expect(choose(call, {}, [])).toMatchObject({ isNew });
	});

	it('is the one that the settings choose, of several', () => {
		const call = callOf('+79162345678');
		const phones = ['+79162345678', '8 916 234-56-78'];
		expect(choose(call, {}, phones)?.entryId).toBe('0');
		expect(choose(call, { entryId: '1' }, phones)?.entryId).toBe('1');
	});
});

describe('in HubSpot, a caller', () => {
	const file = 'crm/hubspot/find-customer.json';
	it('is found in every country, by the number that HubSpot searches', () => {
		const missed = COUNTRY_CODES.filter((country) => {
			const example = getExampleNumber(country, examples);
			if (!example) return false;
			const call = callOf(example.number);
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
		const known = { results: [{ properties: { hs_call_body: 'Text' } }] };
		const made = { 'Recording Link': { callId: 'a@b', recordingLink } };
		expect(runCode('crm/hubspot/recording.json', 'Recording', made, known)).toMatchObject([
			{ body: { inputs: [{ id: 'a@b', properties }] } },
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
