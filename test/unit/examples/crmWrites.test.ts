import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { callFrom, runCode } from '../../support/exampleCode';

// That each call is written once, with its task, is shown by test/kits/crm.test.ts with local stand-ins for the CRMs.

const ago = (hours: number) => DateTime.utc().minus({ hours }).toISO();
const NUMBER = '+79162345678';
const CALL = {
	...{ ...callFrom(NUMBER), callId: 'a@b', at: ago(1), outcome: 'answered', employee: '100' },
	...{ employees: '100 88@x.example', neverLog: '', newContactsPerDay: 3, defaultOwner: '' },
	...{ playLink: 'https://n8n/webhook/1?key=', callSearch: 'notes', taskSearch: 'tasks=' },
	details: { ...(callFrom(NUMBER).details as object), summary: 'Call' },
};
const MISSED = { outcome: 'noAnswer', missed: true };
const RINGING = { outcome: 'ringing' };

/** What earlier nodes of each workflow have returned. */
const MADE: Record<string, Record<string, IDataObject | IDataObject[]>> = {
	hubspot: {
		...{ 'Log Call': { results: [] }, 'Choose Contact': { owner: '7' } },
		'Prepare Call': { contactId: '5' },
	},
	pipedrive: { 'Choose Person': { contactId: '5', owner: 7 }, 'Find User': { data: [{ id: 8 }] } },
	amocrm: {
		'Get Users': { _embedded: { users: [{ id: 88, email: '88@x.example' }] } },
		'Choose Contact': { own: {}, contactId: '5', phone: '8 916', employee: 88, owner: 77 },
		...{ 'Create Link Key': { key: 'new1' }, 'Prepare Call': { contact: 5, state: 'logged' } },
		'Create Contact or Find Call': [{ body: '' }, { body: { _embedded: { tasks: [] } } }],
	},
	zendesk: { 'Choose User': { contactId: '7' } },
};

/** Runs a Code node of a CRM's workflow with changes to the call. */
const run = (
	[crm, node]: readonly [crm: string, node: string],
	more: IDataObject,
	input: IDataObject | IDataObject[] = {},
	made: Record<string, IDataObject | IDataObject[]> = {},
) => {
	const settings = { Settings: { ...CALL, ...more }, 'Get Earlier Calls': [] };
	return runCode(`crm/${crm}.json`, node, { ...settings, ...MADE[crm], ...made }, input);
};

describe('the task of a missed call', () => {
	const TASKS = [
		['hubspot', 'Prepare Task'],
		['pipedrive', 'Prepare Call'],
		['amocrm', 'Prepare Task'],
	] as const;

	it.each(TASKS)('in %s says if the number is foreign or premium', (crm, node) => {
		const said = (more: IDataObject) =>
			JSON.stringify(run([crm, node], { ...MISSED, ...more }, { data: [] }));
		expect(said({})).toContain(`Call back ${NUMBER}`);
		expect(said({ isForeign: true })).toContain(`Call back ${NUMBER} (foreign number: RU)`);
		expect(said({ isPremium: true })).toContain(`Call back ${NUMBER} (premium number)`);
		// In amoCRM, the node before says whether a task is due.
		if (crm !== 'amocrm') expect(said({ at: ago(72) })).not.toContain('Call back');
	});

	it('in amoCRM is completed if the caller is reached, unless a person has written a result', () => {
		const tasks = [
			...[1, 4].map((id) => ({ id, is_completed: false })),
			{ id: 2, is_completed: true },
			{ id: 3, is_completed: false, result: { text: 'Wants chairs' } },
		];
		const row = (hours: number, taskId: string, outcome = 'noAnswer') => ({
			...{ number: NUMBER, callId: `${hours}`, outcome, at: ago(hours), taskId },
		});
		// The tasks before the last answered call are not touched.
		const rows = [
			row(9, '4'),
			row(8, '', 'answered'),
			...['1', '2', '3', '5'].map((id) => row(7, id)),
		];
		const found = [{ body: '' }, { body: { _embedded: { tasks } } }];
		const made = { 'Get Earlier Calls': rows, 'Create Contact or Find Call': found };
		const paths = run(['amocrm', 'Prepare Task'], {}, {}, made).map(({ path }) => path);
		expect(paths).toEqual(['tasks/1']);
	});
});

describe('in Pipedrive', () => {
	const prepare = (more: IDataObject, data: IDataObject[] | null) =>
		run(['pipedrive', 'Prepare Call'], more, { data })[0];

	it('a call is known by its whole ID, and an empty list can be null', () => {
		const other = { id: 1, subject: 'Call', note: 'Call<br>Call ID: a@bc' };
		const own = { id: 2, subject: 'Call', note: '<p>Wants chairs</p><p>Call ID: a@b</p>' };
		expect(prepare({}, null)).toMatchObject({ method: 'POST', body: { done: true, owner_id: 8 } });
		expect(prepare({}, [other])).toMatchObject({ method: 'POST' });
		expect(prepare({}, [other, own])).toMatchObject({ method: 'GET', path: 'activities/2' });
	});

	it('the activity of a call that rang is completed, and what a person wrote stays', () => {
		const rang = { id: 2, subject: 'Call, ringing', note: 'Hello<br>Call ID: a@b (ringing)' };
		expect(prepare({}, [rang])).toMatchObject({ method: 'PATCH', body: { subject: 'Call' } });
		expect(prepare({}, [{ ...rang, subject: 'Chairs' }])?.body).not.toHaveProperty('subject');
		expect(prepare(RINGING, [rang])).toMatchObject({ method: 'GET' });
	});
});

describe('in amoCRM', () => {
	const note = (params: IDataObject | null) => ({ body: { _embedded: { notes: [{ params }] } } });
	const prepare = (more: IDataObject, lists: IDataObject[], chosen: IDataObject = {}) => {
		const contact = { ...(MADE.amocrm?.['Choose Contact'] as IDataObject), ...chosen };
		return run(['amocrm', 'Prepare Call'], more, lists, { 'Choose Contact': contact })[0];
	};

	it('a missed call is due for two days', () => {
		expect(prepare(MISSED, [])).toMatchObject({ state: 'logged' });
		expect(prepare({ ...MISSED, at: ago(72) }, [])).toMatchObject({ state: 'done' });
	});

	it('a call of nobody in the settings has no user', () => {
		const [call] = prepare({}, [note(null)], { employee: undefined })?.body as IDataObject[];
		expect(call).not.toHaveProperty('call_responsible');
	});

	it('a recording is linked where amoCRM plays it, and a link that is there stays', () => {
		const recordingUrl = 'https://pbx/1.wav';
		const link = 'https://n8n/webhook/1?key=new1';
		expect(prepare({ recordingUrl }, [])).toMatchObject({ key: 'new1', body: [{ link }] });
		expect(prepare({ recordingUrl, playLink: 'http://n8n?key=' }, [])).toMatchObject({
			body: [{ call_result: 'Call http://n8n?key=new1' }],
		});
		expect(prepare({}, [])).toMatchObject({ key: '', body: [{ call_result: 'Call' }] });
		const old = note({ uniq: 'a@b', link: 'https://n8n/webhook/1?key=old1' });
		expect(prepare({ recordingUrl }, [old])).toMatchObject({ key: 'old1' });
	});

	it('a call that rings is a pop-up only for people in the settings, also of a hidden number', () => {
		const employee = undefined;
		expect(prepare({ ...RINGING, employees: '' }, [], { employee })?.body).toBeUndefined();
		const hidden = { ...RINGING, details: { ...CALL.details, numbers: [] } };
		const users = [88];
		expect(prepare(hidden, [])?.body).toMatchObject({
			add: [{ phone_number: 'anonymous', users }],
		});
	});
});

describe('in Bitrix24', () => {
	const choose = (lists: IDataObject, more: IDataObject = {}) => {
		const empty = { CONTACT: [], COMPANY: [], LEAD: [], user: [], mode: 1 };
		const found = { result: { ...empty, ...lists }, result_error: { LEAD: 'Denied' } };
		const made = { 'Get Customers': { result: found } };
		return run(['bitrix24', 'Choose Customer'], more, {}, made)[0];
	};
	const listed = (ID: string) => ({ ID, PHONE: [{ VALUE: '8 916 234-56-78' }] });

	it('a call is of the contact, else the company, else the lead, and the oldest of several', () => {
		const LEAD = [listed('9'), listed('10')];
		const COMPANY = [listed('7')];
		const CONTACT = [listed('11'), listed('8')];
		expect(choose({ LEAD })).toMatchObject({ contactId: '1_9' });
		expect(choose({ LEAD, COMPANY })).toMatchObject({ contactId: '4_7' });
		expect(choose({ LEAD, COMPANY, CONTACT })).toMatchObject({ contactId: '3_8' });
		expect(choose({ mode: 2 })).toMatchObject({ newType: 'contact', isNew: true });
		// A list that can't be read creates nothing.
		expect(() => choose({ LEAD: undefined })).toThrow('Denied');
	});

	it('a new lead is of the employee with the extension in Bitrix24', () => {
		const user = ['', '100'].map((UF_PHONE_INNER, ID) => ({ ID: `8${ID}`, UF_PHONE_INNER }));
		expect(choose({ user })).toMatchObject({ employee: '81', fields: { ASSIGNED_BY_ID: 81 } });
		expect(choose({ user }, { employee: '' })?.fields).not.toHaveProperty('ASSIGNED_BY_ID');
	});

	it('a call that rang is completed, and what a person wrote or completed stays', () => {
		const own = { state: 'ringing', entryId: '4' };
		const prepare = (more: IDataObject, known: IDataObject) => {
			const chosen = { own, contactId: '3_5', employee: '88', owner: '77' };
			const settings = { callSearch: {}, ...more };
			const made = { 'Choose Customer': chosen };
			return run(['bitrix24', 'Prepare Call'], settings, { result: [known] }, made)[0];
		};
		const RANG = { ID: '4', SUBJECT: 'Call, ringing', COMPLETED: 'N' };
		const body = { id: '4', fields: { SUBJECT: 'Call', COMPLETED: 'Y' } };
		expect(prepare({}, RANG)).toMatchObject({ method: 'update', body });
		const written = prepare({}, { ...RANG, SUBJECT: 'Chairs' });
		expect(written).toMatchObject({ method: 'update', body: { fields: { COMPLETED: 'Y' } } });
		expect(JSON.stringify(written?.body)).not.toContain('SUBJECT');
		expect(prepare({}, { ...RANG, COMPLETED: 'Y' })).toMatchObject({ method: 'list' });
		expect(prepare(RINGING, RANG)).toMatchObject({ method: 'list' });
		const old = { ...MISSED, at: ago(72) };
		expect(prepare(MISSED, RANG)).toMatchObject({ isDue: true });
		expect(prepare(old, RANG)).toMatchObject({
			isDue: false,
			body: { fields: { COMPLETED: 'Y' } },
		});
	});
});

describe('in Zendesk', () => {
	const RANG = { id: 1, subject: 'Call, ringing', status: 'new', tags: ['ringing_call'] };
	const AGENT = { email: '88@x.example', role: 'agent', suspended: false };
	const ticketOf = (more: IDataObject, users: IDataObject[], known: IDataObject[] = []) =>
		run(['zendesk', 'Prepare Ticket'], more, [{ tickets: known }, { users }])[0] as {
			method: string;
			body: { ticket: IDataObject };
		};

	it.each<[string, IDataObject, IDataObject[], unknown[]]>([
		['the agent who talked, who solved it', {}, [AGENT], [AGENT.email, 'solved']],
		['the agent who was called', MISSED, [AGENT], [AGENT.email, undefined]],
		[
			'nobody, if only an end user or a suspended agent talked',
			{},
			[
				{ ...AGENT, role: 'end-user' },
				{ ...AGENT, suspended: true },
			],
			[undefined, undefined],
		],
		['the default agent', { defaultOwner: 'd@x.example' }, [], ['d@x.example', 'solved']],
	])('a ticket is of %s', (_, call, users, expected) => {
		const { assignee_email, status } = ticketOf(call, users).body.ticket;
		expect([assignee_email, status]).toEqual(expected);
	});

	it('the ticket of a call that rang is completed, and what an agent changed stays', () => {
		const completed = (changes: IDataObject) => ticketOf({}, [AGENT], [{ ...RANG, ...changes }]);
		expect(completed({})).toMatchObject({
			...{ method: 'PUT', path: '/1' },
			body: { ticket: { subject: 'Call', status: 'solved', tags: ['phone_call'] } },
		});
		const more = { subject: 'Wants a chair', status: 'open', tags: ['vip', 'ringing_call'] };
		expect(completed(more).body).toEqual({
			ticket: { tags: ['vip', 'phone_call'], comment: expect.any(Object) as object },
		});
		expect(completed({ tags: ['phone_call'] })).toMatchObject({ method: 'GET' });
		// An agent has merged it into another ticket.
		expect(completed({ status: 'closed' })).toMatchObject({ method: 'GET' });
	});
});
