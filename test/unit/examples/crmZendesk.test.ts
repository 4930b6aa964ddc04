import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { numberDetails } from '../../../nodes/VirtualPbx/util/phone';
import { callFrom, runCode } from '../../support/exampleCode';

const FILE = 'crm/zendesk.json';
const NUMBER = '+12125550178';

describe('in Zendesk', () => {
	const CALL = {
		...{ ...callFrom(NUMBER, 'US'), callId: 'a@b', outcome: 'answered', employee: '100' },
		...{ employees: '100 88@x.example', defaultOwner: '', neverLog: '', newContactsPerDay: 3 },
		at: DateTime.utc().minus({ hours: 1 }).toISO(),
		details: { ...numberDetails(NUMBER, 'US'), summary: 'Call' },
	};
	const choose = (users: IDataObject[]) =>
		runCode(FILE, 'Choose User', { Settings: CALL, 'Get Earlier Calls': [] }, { users })[0];
	const ANNA = { id: 7, phone: NUMBER, active: true, suspended: false };

	it('a caller is found who has the number since two users were merged', () => {
		const merged = { ...ANNA, phone: '+12125550123' };
		expect(choose([{ ...ANNA, active: false }, merged])).toMatchObject({ contactId: '7' });
		// One who has the number itself comes first.
		expect(choose([merged, { ...ANNA, id: 8 }])).toMatchObject({ contactId: '8' });
		const foreign = { ...ANNA, phone: '+7 212 555 0178' };
		expect(choose([foreign])).toMatchObject({ contactId: '', isNew: true });
	});

	it('the employee is looked for among the agents, by email', () => {
		const paths = (more: IDataObject) =>
			runCode(
				FILE,
				'Choose User',
				{ Settings: { ...CALL, ...more }, 'Get Earlier Calls': [] },
				{ users: [] },
			).map(({ path, isNew }) => [path, isNew]);
		const create = ['users/create_or_update.json', true];
		expect(paths({})).toEqual([create, ['users/search.json?query=email%3A88%40x.example', false]]);
		expect(paths({ employees: '100 ' })).toEqual([create]);
		expect(paths({ employee: null })).toEqual([create]);
	});

	it('a call of a suspended user has no customer, and creates none', () => {
		const suspended = { ...ANNA, suspended: true };
		expect(choose([suspended])).toMatchObject({ contactId: '', isNew: false });
		expect(choose([suspended, { ...ANNA, id: 8 }])).toMatchObject({ contactId: '8' });
	});

	const RANG = { id: 1, subject: 'Call, ringing', status: 'new', tags: ['ringing_call'] };
	const AGENT = { email: '88@x.example', role: 'agent', suspended: false };
	const ticketOf = (
		more: IDataObject,
		known: IDataObject[] = [],
		rows: IDataObject[] = [],
		users: IDataObject[] = [AGENT],
	) =>
		runCode(
			FILE,
			'Prepare Ticket',
			{
				Settings: { ...CALL, ...more },
				...{ 'Choose User': { contactId: '7' }, 'Get Earlier Calls': rows },
			},
			[{ tickets: known }, { users }],
		)[0] as { method: string; path: string; isDue: boolean; body: { ticket: IDataObject } };
	const missed = { missed: true, outcome: 'noAnswer' };
	const later = {
		number: NUMBER,
		outcome: 'answered',
		at: DateTime.utc().toISO(),
	};

	it.each([
		[
			'an answered call is solved by the agent who talked',
			{},
			[],
			['88@x.example', 'solved'],
			[AGENT],
		],
		['a missed call is open', missed, [], ['88@x.example', undefined], [AGENT]],
		[
			'a missed caller who was reached is solved',
			missed,
			[later],
			['88@x.example', 'solved'],
			[AGENT],
		],
		['nobody who is an agent talked', {}, [], [undefined, undefined], []],
		[
			'nor do an end user or a suspended agent become assignees',
			...[{}, [], [undefined, undefined]],
			[
				{ ...AGENT, role: 'end-user' },
				{ ...AGENT, suspended: true },
			],
		],
		['the default agent', { defaultOwner: 'd@x.example' }, [], ['d@x.example', 'solved'], []],
	] as Array<[string, IDataObject, IDataObject[], unknown[], IDataObject[]]>)(
		'%s',
		(_, call, rows, ticket, users) => {
			const made = ticketOf(call, [], rows, users);
			const { assignee_email, status } = made.body.ticket;
			expect([made.method, assignee_email, status]).toEqual(['POST', ...ticket]);
		},
	);

	it('the ticket of a call that rang is completed, and what an agent changed stays', () => {
		expect(ticketOf({}, [RANG])).toMatchObject({
			...{ method: 'PUT', path: '/1' },
			body: { ticket: { subject: 'Call', status: 'solved', tags: ['phone_call'] } },
		});
		const more = { subject: 'Wants a chair', status: 'open', tags: ['vip', 'ringing_call'] };
		expect(ticketOf({}, [{ ...RANG, ...more }]).body).toEqual({
			ticket: { tags: ['vip', 'phone_call'], comment: expect.any(Object) as object },
		});
		expect(ticketOf({}, [{ ...RANG, tags: ['phone_call'] }])).toMatchObject({ method: 'GET' });
		// An agent has merged it into another ticket.
		expect(ticketOf({}, [{ ...RANG, status: 'closed' }])).toMatchObject({ method: 'GET' });
	});

	it('tickets since the last answered call are solved, unless someone has changed them', () => {
		const row = (hours: number, more: IDataObject) => ({
			...{ number: NUMBER, callId: `${hours}`, ticketUrl: `${hours}`, ...more },
			at: DateTime.utc().minus({ hours }).toISO(),
		});
		const rows = [
			row(9, { openSince: 'a', outcome: 'noAnswer' }),
			row(8, { outcome: 'answered' }),
			row(7, { openSince: 'b', user: '88', outcome: 'noAnswer' }),
			row(6, { openSince: 'c', user: '', outcome: 'noAnswer' }),
			row(0, { openSince: 'd', outcome: 'noAnswer' }),
		];
		const made = { Settings: CALL, 'Get Earlier Calls': rows, 'Prepare Ticket': ticketOf({}) };
		const ticket = { status: 'solved', safe_update: true };
		expect(runCode(FILE, 'Find Open Tickets', made as never, {})).toEqual([
			{ ticketUrl: '7', body: { ticket: { ...ticket, updated_stamp: 'b' } } },
			{
				...{ ticketUrl: '6' },
				body: { ticket: { ...ticket, updated_stamp: 'c', assignee_email: '88@x.example' } },
			},
		]);
	});
});
