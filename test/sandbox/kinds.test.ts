import type { CallOrder } from '../../sandbox';
import type { Truth } from '../../sandbox/calls/truth';
import { GREGORIAN_OFFSET } from '../../sandbox/model/time';
import { useListening } from './support/listening';

const pbx = useListening({ profile: 'field', legs: 'both' });

const FROM = '12125550123';
const MAIN = '12125550100';
const GROUP = '12125550104';
const OUT = '12125550147';

const OK = 'NORMAL_CLEARING';
/** An incoming call to the main number that no one answers, with one cause for both legs. */
const lost = (cause: string) => [`inbound ${FROM}>${MAIN} ${cause}`, `>100 ${cause}`];
const SPLIT = [
	{ extension: '100', seconds: 10 },
	{ extension: '101', seconds: 20 },
];
const missed: Partial<Truth> = { type: 'incoming', customer: FROM, missed: true, employees: [] };

test.each<[string, Partial<CallOrder>, string[], Partial<Truth>]>([
	['a busy line', { outcome: 'busy' }, lost('USER_BUSY'), { ...missed, result: 'busy' }],
	[
		'a declined call',
		{ outcome: 'declined' },
		lost('CALL_REJECTED'),
		{ ...missed, result: 'declined' },
	],
	[
		'a call that no one answers',
		{ outcome: 'no-answer' },
		lost('NO_ANSWER'),
		{ ...missed, result: 'no-answer' },
	],
	[
		'a caller who gives up',
		{ outcome: 'cancelled' },
		lost('ORIGINATOR_CANCEL'),
		{ ...missed, result: 'cancelled' },
	],
	[
		'a message in the mailbox of the callflow',
		{ outcome: 'voicemail', talk_seconds: 7 },
		[`inbound ${FROM}>${MAIN} ${OK}`, '>100 NO_ANSWER'],
		{ ...missed, result: 'voicemail' },
	],
	[
		'a message in the mailbox of the employee who rang last',
		{ to: '100', outcome: 'voicemail' },
		[`inbound ${FROM}>100 ${OK}`, '>100 NO_ANSWER'],
		{ ...missed, result: 'voicemail' },
	],
	[
		'a call to an employee without a mailbox',
		{ to: '102', outcome: 'voicemail' },
		[`inbound ${FROM}>102 NO_ANSWER`, '>102 NO_ANSWER', '>102 NO_ANSWER'],
		{ ...missed, result: 'no-answer' },
	],
	[
		'a caller’s text',
		{ from: '+12125550147;verstat=TN-Validation-Passed', caller_number: OUT },
		[`inbound +12125550147;verstat=TN-Validation-Passed>${MAIN} ${OK}`, `>100 ${OK}`],
		{ type: 'incoming', customer: OUT, company_number: MAIN, missed: false, talk_seconds: 10 },
	],
	[
		'a withheld number',
		{ from: 'Hidden', caller_number: '', outcome: 'busy' },
		[`inbound Hidden>${MAIN} USER_BUSY`, '>100 USER_BUSY'],
		{ type: 'incoming', customer: null, missed: true, rang: ['100'], employees: [] },
	],
	[
		'a prefix, with a company number shown',
		{ from: '101', to: `9${OUT}`, reaches: OUT, shown_number: MAIN },
		[`inbound 101>9${OUT} ${OK}`, `outbound ${MAIN}>${OUT} ${OK}`],
		{ type: 'outgoing', caller: '101', customer: OUT, missed: false },
	],
	[
		'an emergency number',
		{ from: '101', to: '112' },
		[`inbound 101>112 ${OK}`, `outbound 101>112 ${OK}`],
		{ type: 'outgoing', customer: '112' },
	],
	[
		'a pickup',
		{ picked_up_by: '101' },
		[`inbound ${FROM}>${MAIN} ${OK}`, '>100 PICKED_OFF', `inbound 101>**100 ${OK}`],
		{ rang: ['100'], employees: [{ extension: '101', seconds: 10 }] },
	],
	[
		'a transfer',
		{ transferred_to: '101', then_seconds: 20 },
		[`inbound ${FROM}>${MAIN} ${OK}`, '>100 BLIND_TRANSFER', `>101 ${OK}`],
		{ employees: SPLIT, talk_seconds: 30 },
	],
	[
		'a parked call',
		{ retrieved_by: '101', then_seconds: 20 },
		[`inbound ${FROM}>${MAIN} ${OK}`, '>100 BLIND_TRANSFER', `inbound 101>*401 ${OK}`],
		{ employees: SPLIT },
	],
	[
		'a forwarded call that nobody answers',
		{ forward_to: OUT, outcome: 'cancelled' },
		[
			`inbound ${FROM}>${MAIN} ORIGINATOR_CANCEL`,
			`>${OUT} ORIGINATOR_CANCEL`,
			`inbound ${FROM}>${OUT} ORIGINATOR_CANCEL`,
			`>${OUT} ORIGINATOR_CANCEL`,
		],
		{ ...missed, rang: [] },
	],
	[
		'a fax',
		{ taken_by: 'fax', talk_seconds: 45 },
		[`inbound ${FROM}>${MAIN} ${OK}`],
		{ type: 'incoming', result: 'fax', missed: false, talk_seconds: 45 },
	],
])('places %s, and knows what happened', async (_, order, expected, truth) => {
	const at = Date.UTC(2026, 9, 1) / 1000;
	const { call, events } = await pbx.call({ from: FROM, to: MAIN, ...order, at });
	const legs = call.legs.map(
		({ direction, caller, callee, cause }) =>
			`${direction} ${caller.number}>${callee.number} ${cause}`,
	);
	expect(legs).toEqual(
		expected.map((leg) => (leg.startsWith('>') ? `outbound ${order.from ?? FROM}${leg}` : leg)),
	);
	const { body } = await pbx.control('GET', '/truth');
	expect(body).toMatchObject({ count: 1, calls: [truth] });
	expect(pbx.account.cdrs.size).toBe(expected.length);
	for (const { body: fields } of events) {
		const leg = call.legs.find(({ callId }) => callId === fields.call_id);
		expect(fields.is_internal_leg === 'true').toBe(leg?.role === 'loopback');
		if (fields.hook_event === 'channel_destroy')
			expect(fields.emergency_resource_used ?? 'false').toBe(String(order.to === '112'));
		expect(Number(fields.timestamp) - GREGORIAN_OFFSET).toBeGreaterThanOrEqual(at);
	}
});

test('a phone that answers has no record with only_losers, and a Call-ID can come again', async () => {
	const order = { to: GROUP, only_losers: true, call_id: 'again', answered_by: '101' } as const;
	await pbx.call({ ...order, at: 1_790_000_000 });
	await pbx.call({ ...order, at: 1_790_010_800 });
	const records = pbx.account.cdrs.range(0, Infinity);
	expect(new Set(records.map(({ BRIDGE_ID }) => BRIDGE_ID))).toEqual(new Set(['again']));
	expect(
		records
			.filter(({ CALL_DIRECTION }) => CALL_DIRECTION === 'outbound')
			.map(({ HANGUP_CAUSE }) => HANGUP_CAUSE),
	).toEqual(['LOSE_RACE', 'LOSE_RACE']);
});
