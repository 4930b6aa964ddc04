import type { CallOrder } from '../../sandbox';
import { inShort, useListening } from './support/listening';

const pbx = useListening();

test('when the called side hangs up, its leg ends first', async () => {
	const { events } = await pbx.call({ hangup_by: 'callee' });
	expect(inShort(events).slice(-2)).toEqual([
		'DESTROY outbound 100 NORMAL_CLEARING',
		'DESTROY inbound 100 NORMAL_CLEARING',
	]);
});

test('an answered call walks both legs and ends with NORMAL_CLEARING', async () => {
	const { call, events } = await pbx.call({ to: '100' });
	expect(call.result).toBe('answered');
	expect(inShort(events)).toEqual([
		'CREATE inbound 100@demo.sandbox.local',
		'CREATE outbound 100',
		'ANSWER outbound 100',
		'ANSWER inbound 100',
		'DESTROY inbound 100 NORMAL_CLEARING',
		'DESTROY outbound 100 NORMAL_CLEARING',
	]);
});

test('of several devices the first to answer wins, the others lose the race', async () => {
	const { call } = await pbx.call({ to: '101' });
	expect(call.view().legs.map((leg) => [leg.device, leg.hangup_cause])).toEqual([
		[null, 'NORMAL_CLEARING'],
		['Desk phone', 'NORMAL_CLEARING'],
		['Softphone', 'LOSE_RACE'],
	]);
});

test.each<[Partial<CallOrder>, string, string, string]>([
	[{ outcome: 'busy' }, 'busy', 'USER_BUSY', 'sip:486'],
	[{ outcome: 'declined' }, 'declined', 'CALL_REJECTED', 'sip:603'],
	[{ outcome: 'no-answer' }, 'no-answer', 'NO_ANSWER', 'sip:480'],
	[{ outcome: 'cancelled' }, 'cancelled', 'ORIGINATOR_CANCEL', 'sip:487'],
])('%j ends both legs with its cause, unanswered', async (order, result, cause, code) => {
	const { call, events } = await pbx.call(order);
	expect(call.result).toBe(result);
	expect(inShort(events)).toEqual([
		'CREATE inbound 100@demo.sandbox.local',
		'CREATE outbound 100',
		`DESTROY outbound 100 ${cause}`,
		`DESTROY inbound 100 ${cause}`,
	]);
	for (const { body } of events.slice(2)) {
		expect(body.args).toMatchObject({
			'Hangup-Code': code,
			'Billing-Seconds': '0',
			Disposition: 'failure',
		});
	}
});

test('to voicemail: the mailbox of the callflow answers and takes the message', async () => {
	const { call, events } = await pbx.call({
		to: '74950000100',
		outcome: 'voicemail',
		talk_seconds: 7,
	});
	expect(call.result).toBe('voicemail');
	expect(inShort(events)).toEqual([
		'CREATE inbound 74950000100@demo.sandbox.local',
		'CREATE outbound 100',
		'DESTROY outbound 100 NO_ANSWER',
		'ANSWER inbound 74950000100',
		'DESTROY inbound 74950000100 NORMAL_CLEARING',
	]);
	expect(call.steps).toContain('mailbox of 100 takes a message');
});

test('to voicemail without a mailbox in the callflow: that of the employee who rang last', async () => {
	expect((await pbx.call({ to: '100', outcome: 'voicemail' })).call.result).toBe('voicemail');
	expect((await pbx.call({ to: '102', outcome: 'voicemail' })).call.result).toBe('no-answer');
});

test('nobody answers in time: the callflow goes on to the next employee, then to the mailbox', async () => {
	const { call } = await pbx.call({ to: '74950000400', ring_seconds: 12, answered_by: '102' });
	expect(call.result).toBe('voicemail');
	expect(call.steps).toEqual([
		'callflow Sales group',
		'user 101 rings simultaneous',
		'user 102 rings single',
		'mailbox of 101 takes a message',
	]);
});

test('module callflow goes on in another callflow; callflows in a circle come to an end', async () => {
	expect((await pbx.call({ to: '74950000500' })).call.steps).toContain(
		'goes to callflow Sales group',
	);
	pbx.putFlow('555', { module: 'callflow', data: { id: 'circle' }, children: {} }, 'circle');
	expect((await pbx.call({ to: '555' })).call.steps.at(-1)).toBe('callflows lead in a circle');
});

test('module play answers, then the callflow goes on', async () => {
	const { call, events } = await pbx.call({ to: '74950000300', outcome: 'voicemail' });
	expect(call.steps).toContain('plays after-hours.wav');
	expect(inShort(events).filter((event) => event.startsWith('ANSWER'))).toEqual([
		'ANSWER inbound 74950000300',
	]);
	expect(call.result).toBe('voicemail');
});

test('a missing employee, device, mailbox, sound or module leads to the child', async () => {
	const end = { module: 'play', data: { filename: 'welcome.wav' }, children: {} };
	for (const module of ['user', 'device', 'voicemail', 'callflow', 'play', 'fax']) {
		const data = { id: 'none', filename: 'none' };
		pbx.putFlow('556', { module, data, children: { _: end } }, 'x');
		expect((await pbx.call({ to: '556' })).call.result).toBe('played');
	}
});

test.each([
	['another one', '101', 0, { 'Originator-Type': 'device', 'Global-Resource': 'false' }],
	['outside', '79995554433', 1, { 'Global-Resource': 'true' }],
])('an employee calls %s', async (_, to, index, vars) => {
	const { call, events } = await pbx.call({ from: '100', to });
	expect(call.result).toBe('answered');
	expect(events[index]?.body.args['Custom-Channel-Vars']).toMatchObject(vars);
});
