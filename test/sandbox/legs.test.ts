import { inShort, Listening } from './support/listening';

const pbx = new Listening();
beforeAll(async () => await pbx.open());
beforeEach(async () => await pbx.renew());
afterAll(async () => await pbx.close());

const cdrs = () => [...pbx.account.cdrs.range(0, Number.MAX_SAFE_INTEGER - 1)].reverse();

describe('calls that show only their outbound legs', () => {
	test.each(['order', 'setting'])(
		'by an %s: neither event nor CDR of an inbound leg',
		async (by) => {
			if (by === 'setting') pbx.sandbox.pbx.change({ legs: 'outbound' });
			const { call, events } = await pbx.call(by === 'order' ? { legs: 'outbound' } : {});
			expect(inShort(events)).toEqual([
				'CREATE outbound 100',
				'ANSWER outbound 100',
				'DESTROY outbound 100 NORMAL_CLEARING',
			]);
			expect(cdrs()).toMatchObject([{ CALL_DIRECTION: 'outbound', BRIDGE_ID: call.first.callId }]);
			expect(events[0]?.body.args['Other-Leg-Call-ID']).toBe(call.first.callId);
		},
	);

	test('an order can show both legs where the setting does not', async () => {
		pbx.sandbox.pbx.change({ legs: 'outbound' });
		expect((await pbx.call({ legs: 'both' })).events).toHaveLength(6);
	});

	test('its recording is named by the outbound record', async () => {
		await pbx.call({ legs: 'outbound' });
		expect(cdrs()[0]?.REC_FILE).toMatch(/\.wav$/);
	});
});

describe('a click-to-call', () => {
	const order = { kind: 'click_to_call', from: '100', to: '79995554433' } as const;

	test('rings the employee, then the number, and has two outbound legs', async () => {
		const { call, events } = await pbx.call(order);
		expect(inShort(events)).toEqual([
			'CREATE outbound 100',
			'ANSWER outbound 100',
			'CREATE outbound 79995554433',
			'ANSWER outbound 79995554433',
			'DESTROY outbound 100 NORMAL_CLEARING',
			'DESTROY outbound 79995554433 NORMAL_CLEARING',
		]);
		expect(call.result).toBe('answered');
	});

	test('its legs name each other, from the second one on', async () => {
		const { call, events } = await pbx.call(order);
		const [first, second] = call.legs.map(({ callId }) => callId);
		expect(
			events.map(({ body: { args } }) => [args['Call-ID'], args['Other-Leg-Call-ID']]),
		).toEqual([
			[first, undefined],
			[first, undefined],
			[second, first],
			[second, first],
			[first, second],
			[second, first],
		]);
		expect(events.at(-1)?.body.args['Caller-ID-Number']).toBe('100');
		expect(events.at(-1)?.body.args['Other-Leg-Direction']).toBe('outbound');
	});

	test('leaves two outbound CDRs', async () => {
		const { call } = await pbx.call(order);
		expect(cdrs().map((cdr) => [cdr.CALL_DIRECTION, cdr.BRIDGE_ID])).toEqual([
			['outbound', call.first.callId],
			['outbound', call.first.callId],
		]);
	});

	test.each([
		['busy', 'USER_BUSY'],
		['no-answer', 'NO_ANSWER'],
		['cancelled', 'ORIGINATOR_CANCEL'],
	] as const)('that ends %s tells so on the second leg', async (outcome, cause) => {
		const { call } = await pbx.call({ ...order, outcome });
		expect([call.result, ...call.legs.map((leg) => leg.cause)]).toEqual([
			outcome,
			'NORMAL_CLEARING',
			cause,
		]);
	});

	test('of nobody is refused', async () => {
		await expect(pbx.call({ ...order, from: '999' })).rejects.toThrow();
		const url = `${pbx.sandbox.url}/sandbox/calls`;
		const body = JSON.stringify({ ...order, from: '999' });
		const headers = { 'content-type': 'application/json' };
		expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(404);
	});
});
