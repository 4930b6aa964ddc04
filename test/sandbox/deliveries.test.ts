import { useListening } from './support/listening';

const pbx = useListening();

const deliveries = () => pbx.sandbox.pbx.deliveries.list();

test('§2.5 a refused delivery is retried `retries` times, and each try is logged', async () => {
	pbx.receiver.respond = (_received, response) => response.writeHead(503).end('later');
	await pbx.call({ to: '12125550199' });
	const tries = deliveries().filter(({ hook }) => hook === 'channel_create');
	expect(tries.map((entry) => [entry.try, entry.status, entry.result])).toEqual([
		[1, 503, 'failed'],
		[2, 503, 'failed'],
		[3, 503, 'failed'],
	]);
	expect(new Set(tries.map(({ msg_id: id }) => id)).size).toBe(1);
	expect(tries[0]?.response).toBe('later');
});

test('verb get puts the event into the query, verb put sends it with PUT', async () => {
	const [create, , destroy] = pbx.account.webhooks.all();
	Object.assign(create ?? {}, { http_verb: 'get' });
	Object.assign(destroy ?? {}, { http_verb: 'put' });
	await pbx.call({ to: '12125550199' });
	const [first, last] = pbx.receiver.received;
	expect(first?.method).toBe('GET');
	expect(new URL(first?.url ?? '', 'http://x').searchParams.get('args[Call-Direction]')).toBe(
		'inbound',
	);
	expect(last).toMatchObject({ method: 'PUT', body: { name: 'CHANNEL_DESTROY' } });
});

test.each([
	[
		'delivery-lose',
		{ event: 'CHANNEL_ANSWER', leg: 'inbound' },
		['CREATE', 'CREATE', 'ANSWER', 'DESTROY', 'DESTROY'],
	],
	[
		'delivery-duplicate',
		{ event: 'CHANNEL_ANSWER', times: 1 },
		['CREATE', 'CREATE', 'ANSWER', 'ANSWER', 'ANSWER', 'DESTROY', 'DESTROY'],
	],
	[
		'delivery-reorder',
		{ event: 'CHANNEL_ANSWER', leg: 'inbound' },
		['CREATE', 'CREATE', 'ANSWER', 'DESTROY', 'ANSWER', 'DESTROY'],
	],
] as const)('fault %s', async (kind, fields, expected) => {
	pbx.sandbox.pbx.faults.add({ kind, ...fields });
	const { events } = await pbx.call({ talk_seconds: 500 });
	expect(events.map(({ body }) => body.name.slice('CHANNEL_'.length))).toEqual(expected);
	if (kind === 'delivery-duplicate') {
		expect(events[2]?.text).toBe(events[3]?.text);
	}
});

test('an account hears of its own calls only', async () => {
	const second = [...pbx.sandbox.pbx.accounts.values()][1];
	const { events } = await pbx.call({ account_id: second?.id ?? '', to: '200' });
	expect(events).toEqual([]);
});
