import type { CallOrder } from '../calls/params';

/** A kind of call whose events the docs show. */
export interface Kind {
	title: string;
	/** What happens, in a sentence. */
	story: string;
	order: Partial<CallOrder>;
	/** What the web service answers, where the callflow asks one. */
	answer?: unknown;
}

const ROUTED = '74950000200';

/** Every kind of call, in the order of the docs. */
export const KINDS: Kind[] = [
	{
		title: 'Answered',
		story:
			'The employee picks up after 3 seconds, they talk for 10 seconds, and the caller hangs up.',
		order: {},
	},
	{
		title: 'Answered, the called side hangs up',
		story: 'As before, but the outbound leg ends first.',
		order: { hangup_by: 'callee' },
	},
	{
		title: 'Answered on one of several devices',
		story: 'Both devices of the employee ring at once (strategy `simultaneous`).',
		order: { to: '101' },
	},
	{
		title: 'Devices ring one after another',
		story: 'Strategy `single`, delay 2, timeout 10: nobody picks up either device.',
		order: { to: '102', outcome: 'no-answer' },
	},
	{ title: 'Busy', story: 'The employee is on the phone.', order: { outcome: 'busy' } },
	{
		title: 'No answer',
		story: 'The phone rings until the employee’s timeout.',
		order: { outcome: 'no-answer' },
	},
	{
		title: 'Canceled by the caller',
		story: 'The caller hangs up after 3 seconds.',
		order: { outcome: 'cancelled' },
	},
	{ title: 'Declined', story: 'The employee rejects the call.', order: { outcome: 'declined' } },
	{
		title: 'To voicemail',
		story:
			'Nobody picks up. The mailbox answers the caller’s leg and takes a message of 10 seconds.',
		order: { to: '74950000100', outcome: 'voicemail' },
	},
	{
		title: 'Next employee of a group',
		story:
			'The first employee’s devices ring until their timeout. Then the second employee picks up.',
		order: { to: '74950000400', answered_by: '102' },
	},
	{
		title: 'Announcement, then voicemail',
		story: 'The `play` module answers the caller’s leg. There are no other legs.',
		order: { to: '74950000300' },
	},
	{
		title: 'Unroutable',
		story: 'No number or pattern of a callflow matches.',
		order: { to: '70000000000' },
	},
	{
		title: 'Between employees',
		story: 'The caller’s leg belongs to a device of the account.',
		order: { from: '101', to: '100' },
	},
	{
		title: 'To an outside number',
		story: 'An employee calls an outside number.',
		order: { from: '100', to: '79995554433' },
	},
	{
		title: 'Click-to-call',
		story:
			'With `kind: "click_to_call"`, the employee’s own phone rings first, then the number: two outbound legs that name each other, and no inbound leg.',
		order: { kind: 'click_to_call', from: '100', to: '79995554433' },
	},
	{
		title: 'Only outbound legs',
		story:
			'With `legs: "outbound"`, the caller’s leg has no events and no CDR. The other leg still names it.',
		order: { legs: 'outbound' },
	},
	{
		title: 'Routed by a web service',
		story:
			'The `pivot` module asks the web service, which plays a file and then rings an employee.',
		order: { to: ROUTED },
		answer: {
			operations: [
				{ type: 'play', filename: 'please-hold.wav' },
				{ type: 'extension', extension: '100', timeout: 15 },
			],
		},
	},
	{
		title: 'Routed by a web service with an invalid answer',
		story:
			'The answer breaks a rule of §2.3 (`timeout` is a string), so the call goes to the child of the pivot node: another employee.',
		order: { to: ROUTED, answered_by: '101' },
		answer: { operations: [{ type: 'extension', extension: '100', timeout: '15' }] },
	},
];
