import type { IDataObject } from 'n8n-workflow';
import { callFrom, runCode } from '../../support/exampleCode';

describe('in Zendesk', () => {
	const choose = (users: IDataObject[], identities: IDataObject[] = [], known = {}) =>
		runCode(
			'crm/zendesk/find-customer.json',
			'Choose User',
			{ 'When Called': callFrom('+79162345678'), 'Known Customer': known },
			{ users, identities },
		)[0];
	const ANNA = { id: 7, phone: '+79162345678', active: true, suspended: false };

	it('a caller is found who has the number since two users were merged', () => {
		const merged = { ...ANNA, phone: '+74951234567' };
		const own = { user_id: 7, type: 'phone_number', value: ANNA.phone };
		const known = { entryId: '6', madeAt: new Date().toISOString() };
		const before = { ...ANNA, id: 6, active: false };
		expect(choose([before, merged], [own], known)).toMatchObject({ entryId: '7', isNew: false });
		expect(choose([merged], [{ ...own, user_id: 8 }])).toMatchObject({ entryId: '', isNew: true });
	});

	it('a call of a suspended user has no customer, and creates none', () => {
		const suspended = { ...ANNA, suspended: true };
		expect(choose([suspended])).toMatchObject({ entryId: '', isNew: false });
		expect(choose([suspended, { ...ANNA, id: 8 }])).toMatchObject({ entryId: '8' });
	});

	it('a user who was deleted just now is created again', () => {
		const known = { entryId: '7', madeAt: new Date().toISOString() };
		const deleted = { ...ANNA, active: false };
		expect(choose([deleted], [], known)).toMatchObject({ entryId: '', isNew: true });
	});

	it.each([
		['recording', 'Recordings Not Added', 'Add Recording'],
		['review', 'Reviews Not Added', 'Write Review'],
	])(
		'a missing %s is named with the words of Zendesk, unless its ticket was deleted',
		(...names) => {
			const [name, node, last] = names;
			const errorOf = (message: string) => ({ message: 'Invalid', cause: { message } });
			const deleted = { key: 'a@b', error: errorOf('404 - "RecordNotFound"') };
			const closed = {
				callId: 'c@d',
				error: errorOf('422 - "Status: closed prevents ticket update"'),
			};
			const end = (made: Record<string, IDataObject[]>) =>
				runCode(`crm/zendesk/${name}.json`, node, made, {});
			expect(end({ 'Known Comments': [deleted] })).toEqual([]);
			expect(() => end({ 'Known Comments': [deleted], [last]: [closed] })).toThrow(
				/(^|\. )c@d: 422 - "Status: closed prevents ticket update"$/,
			);
		},
	);

	const CALL = {
		...{ callId: 'a@b', at: '2026-11-20T10:00:00Z', outcome: 'answered', crmUser: '88' },
		...{ numberText: '+7', details: { summary: 'Incoming call' } },
	};
	const RANG = { id: 1, subject: 'Incoming call, ringing', status: 'new', tags: ['ringing_call'] };
	const ticketOf = (call: IDataObject, known: IDataObject[] = []) =>
		runCode(
			'crm/zendesk/log-call.json',
			'Ticket',
			{ 'When Called': { ...CALL, ...call }, 'Find Customer': { entryId: '7' } },
			{ tickets: known },
		)[0];

	it.each([
		['an answered call is solved by the agent who talked', {}, [88, 'solved']],
		['a missed call is open', { missed: true }, [88, undefined]],
		[
			'a missed caller who was reached is solved',
			{ missed: true, isReached: true },
			[88, 'solved'],
		],
		['nobody of the table talked', { crmUser: '' }, [undefined, undefined]],
	])('%s', (_, call, ticket) => {
		const made = ticketOf(call) as { method: string; body: { ticket: IDataObject } };
		const { assignee_id, status } = made.body.ticket;
		expect([made.method, assignee_id, status]).toEqual(['POST', ...ticket]);
	});

	it('the ticket of a call that rang is completed, and what an agent changed stays', () => {
		expect(ticketOf({}, [RANG])).toMatchObject({
			...{ method: 'PUT', path: '/1', isDone: false },
			body: { ticket: { subject: 'Incoming call', status: 'solved', tags: ['phone_call'] } },
		});
		const taken = {
			...RANG,
			subject: 'Wants a chair',
			status: 'open',
			tags: ['vip', 'ringing_call'],
		};
		expect(ticketOf({}, [taken])?.body).toEqual({
			ticket: { tags: ['vip', 'phone_call'], comment: expect.any(Object) as object },
		});
		expect(ticketOf({}, [{ ...RANG, tags: ['phone_call'] }])).toMatchObject({ isDone: true });
		// An agent has merged it into another ticket.
		expect(ticketOf({}, [{ ...RANG, status: 'closed' }])).toMatchObject({ isDone: true });
		expect(ticketOf({}, [{ ...RANG, subject: null }])).toMatchObject({ isDone: false });
	});

	it('a ticket is solved when the caller is reached, only if nobody has touched it', () => {
		const solved = (ticket: IDataObject | undefined, ownerId = '88') =>
			runCode(
				'crm/zendesk/call-back-task.json',
				'To Solve',
				{ 'When Called': CALL, 'Their Tickets': { ownerId } },
				{ tickets: ticket ? [{ id: 1, tags: [], ...ticket }] : [] },
			).length;

		expect(solved({ status: 'open', assignee_id: 88 })).toBe(1);
		expect(solved({ status: 'new', assignee_id: null }, '')).toBe(1);
		expect(solved({ status: 'open', assignee_id: 77 })).toBe(0);
		expect(solved({ status: 'pending', assignee_id: 88 })).toBe(0);
		expect(solved(undefined)).toBe(0);
	});

	it.each([
		['https://n8n/1', { voice_comment: { from: '+7', to: '100', recording_url: 'https://n8n/1' } }],
		['http://n8n/1', { comment: { body: 'Recording: http://n8n/1', public: false } }],
	])('a recording is played where Zendesk can: %s', (recordingLink, ticket) => {
		const call = {
			callId: 'a@b',
			at: '',
			callType: 'incoming',
			customerNumber: '+7',
			employee: '100',
		};
		const added = (comments: IDataObject[]) =>
			runCode(
				'crm/zendesk/recording.json',
				'Voice Comment',
				{
					'Its Ticket': { key: 'a@b', entryId: '1' },
					'Recording Link': { ...call, details: {}, recordingLink },
				},
				{ comments },
			);
		expect(added([])).toMatchObject([{ id: '1', body: { ticket } }]);
		expect(added([{ type: 'VoiceComment' }])).toEqual([]);
		expect(added([{ body: `Recording: ${recordingLink}` }])).toEqual([]);
	});
});
