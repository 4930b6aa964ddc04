import { useListening } from './support/listening';

const pbx = useListening();

const deliveries = () => pbx.sandbox.pbx.deliveries.list();

test('§2.5 a refused delivery is retried `retries` times, and each try is logged', async () => {
	pbx.receiver.respond = (_received, response) => response.writeHead(503).end('later');
	await pbx.call({ to: '12125550199' });
	const tries = deliveries().filter(({ hook }) => hook === 'channel_create');
	const msg_id = tries[0]?.msg_id;
	const failed = { status: 503, result: 'failed', response: 'later', msg_id };
	expect(tries).toMatchObject([1, 2, 3].map((number) => ({ ...failed, try: number })));
});

test('verb get puts the event into the query, verb put sends it with PUT', async () => {
	const [create, , destroy] = pbx.account.webhooks.all();
	Object.assign(create ?? {}, { http_verb: 'get' });
	Object.assign(destroy ?? {}, { http_verb: 'put' });
	await pbx.call({ to: '12125550199' });
	const [first, last] = pbx.receiver.received;
	expect(first?.method).toBe('GET');
	const { searchParams } = new URL(first?.url ?? '', 'http://x');
	expect(searchParams.get('args[Call-Direction]')).toBe('inbound');
	expect(last).toMatchObject({ method: 'PUT', body: { name: 'CHANNEL_DESTROY' } });
});

/** The events of an answered call, and on which legs. */
const [C1, C2, A2, A1, D1, D2] = [
	...['CREATE inbound', 'CREATE outbound', 'ANSWER outbound', 'ANSWER inbound'],
	...['DESTROY inbound', 'DESTROY outbound'],
];
const ANSWER = 'CHANNEL_ANSWER';

test.each([
	['none', undefined, [C1, C2, A2, A1, D1, D2]],
	['delivery-lose', { kind: 'delivery-lose', event: ANSWER, leg: 'inbound' }, [C1, C2, A2, D1, D2]],
	[
		'delivery-duplicate',
		{ kind: 'delivery-duplicate', event: ANSWER, times: 1 },
		[C1, C2, A2, A2, A1, D1, D2],
	],
	[
		'delivery-reorder',
		{ kind: 'delivery-reorder', event: ANSWER, leg: 'inbound' },
		[C1, C2, A2, D1, A1, D2],
	],
] as const)('fault %s', async (_, fault, expected) => {
	if (fault) pbx.sandbox.pbx.faults.add(fault);
	const { events } = await pbx.call({ talk_seconds: 500 });
	const found = events.map(
		({ body: { name, args } }) => `${name.slice('CHANNEL_'.length)} ${args['Call-Direction']}`,
	);
	expect(found).toEqual(expected);
	const messages = new Set(events.map(({ text }) => text));
	expect(messages.size).toBe(new Set(expected).size);
});

test('an account hears of its own calls only', async () => {
	const [, account_id = ''] = pbx.sandbox.pbx.accounts.keys();
	const { events } = await pbx.call({ account_id, to: '200' });
	expect(events).toEqual([]);
});
