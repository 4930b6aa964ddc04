import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { callFrom, runCode } from '../../support/exampleCode';

const AT = DateTime.utc().minus({ hours: 1 }).toISO();
const NUMBER = '+79162345678';
const CALL = {
	...{ ...callFrom(NUMBER), callId: 'a@b', at: AT, outcome: 'answered', employee: '100' },
	...{ employees: '100 Anna@x.example', neverLog: '', newContactsPerDay: 3, defaultOwner: '66' },
	...{ playLink: 'https://n8n/webhook/1?key=', callSearch: 'notes', taskSearch: 'tasks=' },
	details: { ...(callFrom(NUMBER).details as object), summary: 'Call' },
};
const USERS = { _embedded: { users: [{ id: 88, email: 'anna@x.example' }] } };
const MISSED = { outcome: 'noAnswer', missed: true };

/** An earlier call of the same caller. */
const row = (hours: number, more: IDataObject) => ({
	...{ number: NUMBER, callId: `${hours}`, outcome: 'noAnswer', ...more },
	at: DateTime.utc().minus({ hours }).toISO(),
});

describe('in amoCRM', () => {
	const note = (params: IDataObject | null) => ({ body: { _embedded: { notes: [{ params }] } } });
	const prepare = (more: IDataObject, lists: IDataObject[], chosen: IDataObject = {}) => {
		const made = {
			...{ Settings: { ...CALL, ...more }, 'Get Users': USERS, 'Get Earlier Calls': [] },
			'Choose Contact': { own: {}, contactId: '5', phone: '8 916', employee: 88, ...chosen },
			'Create Link Key': { key: 'new1' },
		};
		return runCode('crm/amocrm.json', 'Prepare Call', made, lists)[0];
	};

	it('a call is written once, by its ID, with the employee who took it', () => {
		const user = { call_responsible: 88, responsible_user_id: 88, created_by: 88 };
		expect(prepare({}, [{ body: '' }, note(null), note({ uniq: 'c' })])).toMatchObject({
			...{ method: 'POST', path: 'v4/calls', contact: 5, state: 'done' },
			body: [{ uniq: 'a@b', phone: '8 916', call_status: 4, ...user }],
		});
		expect(prepare({}, [note({ uniq: 'a@b' })])).toMatchObject({ method: 'GET' });
		// A person may have deleted it.
		expect(prepare({}, [], { own: { state: 'logged' } })).toMatchObject({ method: 'GET' });
		const made = [{ body: [{ contact_id: 9 }] }];
		expect(prepare({}, made, { isNew: true })).toMatchObject({ method: 'POST', contact: 9 });
	});

	it('a call of nobody in the settings has no user', () => {
		const [call] = prepare({}, [], { employee: undefined })?.body as IDataObject[];
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

	it('a call that rings is a pop-up for the employee, or else for all in the settings', () => {
		const rings = (chosen: IDataObject, more: IDataObject = {}) =>
			prepare({ outcome: 'ringing', ...more }, [], chosen)?.body;
		const shown = { type: 'phone_call', phone_number: NUMBER, users: [88] };
		expect(rings({})).toEqual({ add: [shown] });
		expect(rings({ employee: undefined })).toEqual({ add: [shown] });
		expect(rings({ employee: undefined }, { employees: '' })).toBeUndefined();
		const hidden = { ...CALL.details, numbers: [] };
		expect(rings({}, { details: hidden })).toMatchObject({ add: [{ phone_number: 'anonymous' }] });
	});

	const task = (more: IDataObject, tasks: IDataObject[] = [], rows: IDataObject[] = []) =>
		runCode(
			'crm/amocrm.json',
			'Prepare Task',
			{
				...{ Settings: { ...CALL, ...more }, 'Get Earlier Calls': rows },
				...{ 'Choose Contact': { owner: 77 }, 'Prepare Call': { contact: 5, state: 'logged' } },
				'Create Contact or Find Call': [{ body: '' }, { body: { _embedded: { tasks } } }],
			},
			{},
		);

	it('a missed call becomes a task of the owner, once', () => {
		const [made] = task({ ...MISSED, isPremium: true });
		const [{ text, ...body } = {}] = made?.body as IDataObject[];
		expect(text).toMatch(/^Call back \+79162345678 \(premium number\) \(/);
		expect(body).toMatchObject({ entity_id: 5, responsible_user_id: 77 });
		const known = [{ id: 3, text }];
		expect(task({ ...MISSED, isPremium: true }, known)).toMatchObject([
			{ method: 'GET', path: 'tasks/3' },
		]);
	});

	it('the open tasks of one who is reached are completed, unless a person has written a result', () => {
		const tasks = [
			...[
				{ id: 1, is_completed: false },
				{ id: 2, is_completed: true },
			],
			{ id: 3, is_completed: false, result: { text: 'Wants chairs' } },
			{ id: 4, is_completed: false },
		];
		const rows = [
			...[row(9, { taskId: '4' }), row(8, { outcome: 'answered' }), row(7, { taskId: '1' })],
			...[row(6, { taskId: '2' }), row(5, { taskId: '3' }), row(4, { taskId: '5' })],
		];
		expect(task({}, tasks, rows).map(({ path }) => path)).toEqual(['tasks/1']);
	});
});

describe('in Bitrix24', () => {
	const choose = (lists: IDataObject, more: IDataObject = {}) => {
		const empty = { CONTACT: [], COMPANY: [], LEAD: [], user: [], mode: 1 };
		const found = { result: { ...empty, ...lists }, result_error: { LEAD: 'Denied' } };
		const Settings = { ...CALL, defaultOwner: '', ...more };
		const made = { Settings, 'Get Customers': { result: found }, 'Get Earlier Calls': [] };
		return runCode('crm/bitrix24.json', 'Choose Customer', made, {})[0];
	};
	const listed = (ID: string) => ({ ID, PHONE: [{ VALUE: '8 916 234-56-78' }] });

	it('a call is of the contact, else the company, else the lead, and the oldest of several', () => {
		const LEAD = [listed('9'), listed('10')];
		expect(choose({ LEAD })).toMatchObject({ contactId: '1_9' });
		expect(choose({ LEAD, COMPANY: [listed('7')] })).toMatchObject({ contactId: '4_7' });
		const all = { LEAD, COMPANY: [listed('7')], CONTACT: [listed('11'), listed('8')] };
		expect(choose(all)).toMatchObject({ contactId: '3_8' });
		expect(choose({ mode: 2 })).toMatchObject({ newType: 'contact', isNew: true });
	});

	it('a list that can’t be read creates nothing', () => {
		expect(() => choose({ LEAD: undefined })).toThrow('Denied');
	});

	it('a new lead is of the employee with the extension in Bitrix24', () => {
		const user = [
			{ ID: '1', UF_PHONE_INNER: '' },
			{ ID: '88', UF_PHONE_INNER: '100' },
		];
		expect(choose({ user })).toMatchObject({ employee: '88', fields: { ASSIGNED_BY_ID: 88 } });
		const fields = choose({ user }, { employee: '' })?.fields;
		expect(fields).not.toHaveProperty('ASSIGNED_BY_ID');
	});

	const prepare = (more: IDataObject, known: IDataObject[], chosen: IDataObject = {}) => {
		const made = {
			Settings: { ...CALL, defaultOwner: '', callSearch: {}, ...more },
			'Choose Customer': { own: {}, contactId: '3_5', employee: '88', owner: '77', ...chosen },
			'Get Earlier Calls': [],
		};
		return runCode('crm/bitrix24.json', 'Prepare Call', made, { result: known })[0];
	};
	const RANG = { ID: '4', SUBJECT: 'Call, ringing', COMPLETED: 'N' };

	it('a call is written once, and what a person deleted isn’t brought back', () => {
		const fields = { ORIGIN_ID: 'a@b', COMPLETED: 'Y', RESPONSIBLE_ID: 88, OWNER_ID: 5 };
		expect(prepare({}, [])).toMatchObject({ method: 'add', body: { fields } });
		expect(prepare({}, [{ ...RANG, SUBJECT: 'Call' }])).toMatchObject({ method: 'list' });
		const own = { state: 'ringing', entryId: '4' };
		expect(prepare({}, [], { own })).toMatchObject({ method: 'list', entryId: '4' });
	});

	it('a call that rang is completed, and what a person wrote or completed stays', () => {
		const body = { id: '4', fields: { SUBJECT: 'Call', COMPLETED: 'Y' } };
		expect(prepare({}, [RANG])).toMatchObject({ method: 'update', body });
		const own = { state: 'ringing', entryId: '4' };
		const written = prepare({}, [{ ...RANG, SUBJECT: 'Chairs' }], { own });
		expect(written).toMatchObject({ method: 'update', body: { fields: { COMPLETED: 'Y' } } });
		expect(JSON.stringify(written?.body)).not.toContain('SUBJECT');
		const completed = { ...RANG, COMPLETED: 'Y' };
		expect(prepare({}, [completed], { own })).toMatchObject({ method: 'list' });
		expect(prepare({ outcome: 'ringing' }, [RANG])).toMatchObject({ method: 'list' });
	});

	it('a missed call stays open, for the owner of the customer', () => {
		const fields = { SUBJECT: `Call back ${NUMBER}`, COMPLETED: 'N', RESPONSIBLE_ID: 77 };
		expect(prepare(MISSED, [])).toMatchObject({ isDue: true, body: { fields } });
		const old = { ...MISSED, at: DateTime.utc().minus({ days: 3 }).toISO() };
		expect(prepare(old, [])).toMatchObject({ isDue: false, body: { fields: { COMPLETED: 'Y' } } });
	});
});
