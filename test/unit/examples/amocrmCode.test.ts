import type { IDataObject } from 'n8n-workflow';
import { numberDetails } from '../../../nodes/VirtualPbx/util/phone/forms';
import { runCode } from '../../support/exampleCode';
import { readExampleFile } from '../../support/exampleTexts';

describe('in amoCRM', () => {
	const at = '2026-11-20T10:00:00Z';
	const customerNumber = '+79162345678';
	const call = {
		...{ callId: 'a@b', at, callType: 'incoming', outcome: 'answered', crmUser: '88' },
		...{ customerNumber, createCallers: 'yes', details: numberDetails(customerNumber, 'RU') },
	};
	const file = (name: string) => `crm/amocrm/${name}.json`;
	const listOf = (...notes: object[]) => ({ body: { _embedded: { notes } } });
	const kinds = runCode(file('write-entry'), 'Where to Look', {}, call);
	const entry = (...lists: IDataObject[]) =>
		runCode(
			file('write-entry'),
			'Call Entry',
			{ 'When Called': call, 'Where to Look': kinds },
			lists,
		);

	it('a known contact is read by its ID, since a search lists only 250 that have the digits', () => {
		const { nodes } = readExampleFile(file('find-customer'));
		const { parameters } = nodes.find(({ name }) => name === 'Known or Newest') ?? {};
		const known = "$('Known Customer').first().json.entryId";
		expect(parameters?.queryParameters).toEqual({
			parameters: [
				{
					name: `={{ ${known} ? 'filter[id][]' : 'order[id]' }}`,
					value: `={{ ${known} || 'desc' }}`,
				},
			],
		});
		const details = numberDetails('900', 'RU');
		const phones = [{ field_code: 'PHONE', values: [{ value: '900' }] }];
		const contact = { id: 7, custom_fields_values: phones };
		const made = {
			'When Called': { ...call, customerNumber: '900', details },
			...{ 'Known Customer': { entryId: '7', madeAt: '' }, 'Find Contacts': {} },
			'Known or Newest': { body: { _embedded: { contacts: [contact] } } },
		};
		expect(runCode(file('find-customer'), 'Choose Contact', made, {})).toMatchObject([
			{ entryId: '7', isNew: false },
		]);
	});

	it('a call is not written again if a list couldn’t be read that could have it', () => {
		const empty = {};
		expect(kinds.map(({ kind }) => kind)).toEqual(['contacts', 'leads', 'companies']);
		expect(entry(empty, empty)).toEqual([]);
		expect(entry(empty, empty, listOf({ id: 7, params: { uniq: 'a@b' } }))).toMatchObject([
			{ known: 7 },
		]);
	});

	it('a call is written beside notes without content, by the employee who talked', () => {
		const user = { call_responsible: 88, responsible_user_id: 88, created_by: 88 };
		expect(entry({}, listOf({ id: 7, params: null }), {})).toMatchObject([{ body: [user] }]);
	});

	it('a recording is added to each call without one, without what amoCRM lists as null', () => {
		const links = ['http://n8n/1', 'https://n8n/2', 'https://n8n/3'].map(
			(recordingLink, index) => ({
				...{ callId: `${index}`, at, recordingLink },
			}),
		);
		const made = { 'Recording Link': links, Settings: { address: 'https://amo' } };
		const looked = runCode(file('recording'), 'Where to Look', made, links);
		expect(looked.map(({ page }) => page)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
		const own = { source: 'Virtual PBX', duration: 1, link: null, call_result: null };
		const note = (uniq: string, more = {}) => ({
			...{ id: 7, entity_id: 5, note_type: 'call_in', params: { uniq, ...own, ...more } },
		});
		const notes = [note('0'), note('1', { call_result: 'Old' }), note('2', { link: 'https://x' })];
		const lists = [listOf(...notes, { ...note(''), params: null }), {}, {}];
		const added = runCode(
			file('recording'),
			'Call Note',
			{ ...made, 'Where to Look': looked },
			lists,
		);
		const kept = { source: 'Virtual PBX', duration: 1 };
		expect(added.map(({ url, body }) => [url, (body as IDataObject).params])).toEqual([
			[
				'https://amo/api/v4/contacts/5/notes/7',
				{ uniq: '0', ...kept, call_result: 'http://n8n/1' },
			],
			[
				'https://amo/api/v4/contacts/5/notes/7',
				{ uniq: '1', ...kept, call_result: 'Old', link: 'https://n8n/2' },
			],
		]);
	});

	it('a review is added beside notes without content', () => {
		const made = {
			'Get Call': { key: 'a@b', entryId: '5' },
			Settings: { ...call, summary: 'Chairs' },
		};
		const added = runCode(file('review'), 'Review', made, listOf({ params: null }));
		expect(added).toMatchObject([{ id: '5' }]);
	});

	it('a pop-up has a number, or says that there is none, and names only users', () => {
		const shown = (customerNumber?: string) => {
			const details = numberDetails(customerNumber, 'RU');
			const Settings = { customerNumber: customerNumber ?? null, employee: '100', details };
			const employees = [
				{ extension: '100', crmUser: '88' },
				{ extension: '100', crmUser: '' },
			];
			const [event] = runCode(file('pop-up'), 'Event', { Settings }, employees);
			return (event?.body as { add: IDataObject[] }).add[0];
		};
		expect(shown('+79162345678')).toMatchObject({ phone_number: '+79162345678', users: [88] });
		for (const none of ['user42', undefined]) expect(shown(none)?.phone_number).toBe('anonymous');
	});
});
