import { summaryOf } from '../../../nodes/VirtualPbx/calls/call';

type Told = Parameters<typeof summaryOf>[0];
const said = (type: Told['type'], outcome: Told['outcome'], more: Partial<Told> = {}) =>
	summaryOf({ type, outcome, talk: 0, employee: { user: '101' }, ...more } as Told);

describe('the summary of a call', () => {
	it.each([
		[said('incoming', 'answered', { talk: 72 }), ' answered by employee 101, lasted 1 min 12 s'],
		[said('incoming', 'noAnswer'), ' for employee 101, not answered'],
		[said('incoming', 'voicemail', { employee: undefined }), ', reached only voicemail'],
		[said('incoming', 'ringing'), ' for employee 101, ringing'],
	])('is: %s', (summary, rest) => {
		expect(summary).toBe(`Incoming call${rest}`);
	});

	it.each([
		[
			said('outgoing', 'answered', { talk: 3725 }),
			'Outgoing call by employee 101, lasted 1 h 2 min 5 s',
		],
		[said('outgoing', 'busy'), 'Outgoing call by employee 101, busy'],
		[said('internal', 'answered', { talk: 0 }), 'Internal call by employee 101, lasted 0 s'],
		[said(undefined, 'answered', { talk: undefined }), 'Call answered by employee 101'],
	])('is: %s', (summary, expected) => {
		expect(summary).toBe(expected);
	});

	it('has no markup, whatever a SIP user is called', () => {
		const employee = { user: '<b>*_[x](//evil)' };
		expect(said('outgoing', 'noAnswer', { employee })).toBe(
			'Outgoing call by employee bxevil, not answered',
		);
	});
});
