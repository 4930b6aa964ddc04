import type { CallOrder } from '../../sandbox';
import { inShort, useListening } from './support/listening';

const pbx = useListening();

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
		to: '12125550100',
		outcome: 'voicemail',
		talk_seconds: 7,
	});
	expect(call.result).toBe('voicemail');
	expect(inShort(events)).toEqual([
		'CREATE inbound 12125550100@demo.sandbox.local',
		'CREATE outbound 100',
		'DESTROY outbound 100 NO_ANSWER',
		'ANSWER inbound 12125550100',
		'DESTROY inbound 12125550100 NORMAL_CLEARING',
	]);
	expect(call.steps).toContain('mailbox of 100 takes a message');
});

test('to voicemail without a mailbox in the callflow: that of the employee who rang last', async () => {
	expect((await pbx.call({ to: '100', outcome: 'voicemail' })).call.result).toBe('voicemail');
	expect((await pbx.call({ to: '102', outcome: 'voicemail' })).call.result).toBe('no-answer');
});
