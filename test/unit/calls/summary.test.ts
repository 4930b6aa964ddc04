import { summaryOf } from '../../../nodes/VirtualPbx/calls/call';

type Told = Parameters<typeof summaryOf>[0];

describe('the summary of a call', () => {
	it.each<[Told['type'], Told['outcome'], Partial<Told>, string]>([
		[
			'incoming',
			'answered',
			{ talk: 72 },
			'Incoming call answered by employee 101, lasted 1 min 12 s',
		],
		['incoming', 'noAnswer', {}, 'Incoming call for employee 101, not answered'],
		['incoming', 'voicemail', { employee: undefined }, 'Incoming call, reached only voicemail'],
		['incoming', 'ringing', {}, 'Incoming call for employee 101, ringing'],
		['outgoing', 'answered', { talk: 3725 }, 'Outgoing call by employee 101, lasted 1 h 2 min 5 s'],
		['outgoing', 'busy', {}, 'Outgoing call by employee 101, busy'],
		['internal', 'answered', {}, 'Internal call by employee 101, lasted 0 s'],
		[undefined, 'answered', { talk: undefined }, 'Call answered by employee 101'],
		// No markup, whatever a SIP user is called.
		[
			...(['outgoing', 'noAnswer', { employee: { user: '<b>*_[x](//evil)' } }] as const),
			'Outgoing call by employee bxevil, not answered',
		],
	])('of one that is %s, %s, %j, is: %s', (type, outcome, more, summary) => {
		const told = { type, outcome, talk: 0, employee: { user: '101' }, ...more };
		expect(summaryOf(told as Told)).toBe(summary);
	});
});
