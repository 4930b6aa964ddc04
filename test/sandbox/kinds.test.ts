import type { CallOrder } from '../../sandbox';
import type { Truth } from '../../sandbox/calls/truth';
import { useListening } from './support/listening';

const pbx = useListening({ profile: 'field', legs: 'both' });

/** The legs of a call as `direction from>to cause`. */
const legs = (call: {
	legs: Array<{
		direction: string;
		caller: { number: string };
		callee: { number: string };
		cause?: string;
	}>;
}) =>
	call.legs.map(
		({ direction, caller, callee, cause }) =>
			`${direction} ${caller.number}>${callee.number} ${cause}`,
	);

const FROM = '12125550123';
const MAIN = '12125550100';
const GROUP = '12125550104';
const OUT = '12125550147';

test.each<[string, Partial<CallOrder>, string[], Partial<Truth>]>([
	[
		'a caller’s text',
		{ to: MAIN, from: '+12125550147;verstat=TN-Validation-Passed', caller_number: OUT },
		[
			`inbound +12125550147;verstat=TN-Validation-Passed>${MAIN} NORMAL_CLEARING`,
			'>100 NORMAL_CLEARING',
		],
		{ type: 'incoming', customer: OUT, company_number: MAIN, missed: false, talk_seconds: 10 },
	],
	[
		'a withheld number',
		{ to: MAIN, from: 'Hidden', caller_number: '', outcome: 'busy' },
		[`inbound Hidden>${MAIN} USER_BUSY`, '>100 USER_BUSY'],
		{ type: 'incoming', customer: null, missed: true, rang: ['100'], employees: [] },
	],
	[
		'a prefix, with a company number shown',
		{ from: '101', to: `9${OUT}`, reaches: OUT, shown_number: MAIN },
		[`inbound 101>9${OUT} NORMAL_CLEARING`, `outbound ${MAIN}>${OUT} NORMAL_CLEARING`],
		{ type: 'outgoing', caller: '101', customer: OUT, missed: false },
	],
	[
		'an emergency number',
		{ from: '101', to: '112' },
		['inbound 101>112 NORMAL_CLEARING', 'outbound 101>112 NORMAL_CLEARING'],
		{ type: 'outgoing', customer: '112' },
	],
	[
		'a pickup',
		{ to: MAIN, picked_up_by: '101' },
		[
			`inbound ${FROM}>${MAIN} NORMAL_CLEARING`,
			'>100 PICKED_OFF',
			'inbound 101>**100 NORMAL_CLEARING',
		],
		{ rang: ['100'], employees: [{ extension: '101', seconds: 10 }] },
	],
	[
		'a transfer',
		{ to: MAIN, transferred_to: '101', then_seconds: 20 },
		[`inbound ${FROM}>${MAIN} NORMAL_CLEARING`, '>100 BLIND_TRANSFER', '>101 NORMAL_CLEARING'],
		{
			employees: [
				{ extension: '100', seconds: 10 },
				{ extension: '101', seconds: 20 },
			],
			talk_seconds: 30,
		},
	],
	[
		'a parked call',
		{ to: MAIN, retrieved_by: '101', then_seconds: 20 },
		[
			`inbound ${FROM}>${MAIN} NORMAL_CLEARING`,
			'>100 BLIND_TRANSFER',
			'inbound 101>*401 NORMAL_CLEARING',
		],
		{
			employees: [
				{ extension: '100', seconds: 10 },
				{ extension: '101', seconds: 20 },
			],
		},
	],
	[
		'a forwarded call that nobody answers',
		{ to: MAIN, forward_to: OUT, outcome: 'cancelled' },
		[
			`inbound ${FROM}>${MAIN}`,
			`outbound ${FROM}>${OUT}`,
			`inbound ${FROM}>${OUT}`,
			`outbound ${FROM}>${OUT}`,
		].map((leg) => `${leg} ORIGINATOR_CANCEL`),
		{ type: 'incoming', customer: FROM, missed: true, employees: [], rang: [] },
	],
	[
		'a fax',
		{ to: MAIN, taken_by: 'fax', talk_seconds: 45 },
		[`inbound ${FROM}>${MAIN} NORMAL_CLEARING`],
		{ type: 'incoming', result: 'fax', missed: false, talk_seconds: 45 },
	],
])('places %s, and knows what happened', async (_, order, expected, truth) => {
	const at = Date.UTC(2026, 9, 1) / 1000;
	const { call, events } = await pbx.call({ from: FROM, ...order, at });
	expect(legs(call as never)).toEqual(
		expected.map((leg) => (leg.startsWith('>') ? `outbound ${order.from ?? FROM}${leg}` : leg)),
	);
	expect(pbx.sandbox.exchange.truths()).toMatchObject([truth]);
	expect(pbx.account.cdrs.size).toBe(expected.length);
	for (const { fields } of events.map(({ body }) => ({
		fields: body as Record<string, unknown>,
	}))) {
		const isLoop = fields.is_internal_leg === 'true';
		expect(isLoop).toBe(
			order.forward_to !== undefined &&
				call.legs.some((leg) => leg.role === 'loopback' && leg.callId === fields.call_id),
		);
		if (fields.hook_event === 'channel_destroy')
			expect(fields.emergency_resource_used ?? 'false').toBe(String(order.to === '112'));
		expect(Number(fields.timestamp) - 62_167_219_200).toBeGreaterThanOrEqual(at);
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

test('GET /sandbox/truth returns what happened', async () => {
	await pbx.call({ to: MAIN, from: '900', outcome: 'no-answer' });
	const response = await fetch(`${pbx.sandbox.url}/sandbox/truth`);
	expect(await response.json()).toMatchObject({
		count: 1,
		calls: [{ type: 'incoming', customer: '900', missed: true, result: 'no-answer' }],
	});
});
