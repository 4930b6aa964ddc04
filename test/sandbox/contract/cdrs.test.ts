import { changing, itemsOf, openSubject, readOnly, type Subject } from '../support/contract';
import { eventually } from '../../support/eventually';

const GREGORIAN_OFFSET = 62_167_219_200;
const now = () => Math.floor(Date.now() / 1000) + GREGORIAN_OFFSET;

let pbx: Subject;
let cdrs: string;
beforeAll(async () => {
	pbx = await openSubject();
	cdrs = `${pbx.account}/cdrs`;
});
afterAll(async () => await pbx.close());

const FIELDS = [
	'ACCOUNT_ID',
	'BILLING_SECONDS',
	'BRIDGE_ID',
	'CALLEE_ID_NUMBER',
	'CALLER_ID_NUMBER',
	'CALL_DIRECTION',
	'HANGUP_CAUSE',
	'REC_FILE',
	'REC_LINK',
	'TIMESTAMP',
];

const range = (extra = '') =>
	`${cdrs}?created_from=${now() - 3600}&created_to=${now() + 60}${extra}`;
const call = async (order: object = {}) => {
	const { body } = await pbx.control('POST', '/calls', { speed: 10_000, wait: true, ...order });
	return { bridge_id: String(body.bridge_id) };
};

readOnly('§4.3 GET cdrs gives {data: [...]} with 200', async () => {
	const { status, body } = await pbx.send('GET', range());
	expect(status).toBe(200);
	expect(body).toMatchObject({ data: expect.any(Array), status: 'success' });
});

changing('§2.4 a CDR has every field, all values strings', async () => {
	await call();
	const [cdr = {}] = itemsOf(await pbx.send('GET', range()));
	expect(Object.keys(cdr).sort()).toEqual(FIELDS);
	expect(Object.values(cdr).every((value) => typeof value === 'string')).toBe(true);
	expect(cdr).toMatchObject({
		CALLER_ID_NUMBER: expect.stringMatching(/^sip:.+@.+/),
		CALLEE_ID_NUMBER: expect.stringMatching(/^sip:.+@.+/),
		BRIDGE_ID: expect.stringMatching(/^.+@.+$/),
		HANGUP_CAUSE: 'NORMAL_CLEARING',
		ACCOUNT_ID: pbx.accountId,
	});
});

changing('§2.4 there is one CDR per leg, tied by the Call-ID of the inbound leg', async () => {
	const { bridge_id: bridge } = await call({ to: '100', ring_seconds: 4, talk_seconds: 30 });
	const found = itemsOf(
		await pbx.send('GET', range(`&filter_bridge_id=${encodeURIComponent(bridge)}`)),
	);
	expect(found.map((cdr) => [cdr.CALL_DIRECTION, cdr.BILLING_SECONDS]).sort()).toEqual([
		['inbound', '30'],
		['outbound', '30'],
	]);
});

changing('§2.4 TIMESTAMP is in Gregorian seconds', async () => {
	const before = now();
	const { bridge_id: bridge } = await call();
	const [cdr] = itemsOf(
		await pbx.send('GET', range(`&filter_bridge_id=${encodeURIComponent(bridge)}`)),
	);
	expect(Number(cdr?.TIMESTAMP)).toBeGreaterThanOrEqual(before);
	expect(Number(cdr?.TIMESTAMP)).toBeLessThanOrEqual(now());
});

changing('§4.3 created_from and created_to bound the list, both included', async () => {
	const records = ['1000', '2000', '3000'].map((TIMESTAMP) => ({
		TIMESTAMP,
		BRIDGE_ID: `${TIMESTAMP}@x`,
	}));
	await pbx.control('POST', '/cdrs', { records });
	const times = async (query: string) =>
		itemsOf(await pbx.send('GET', `${cdrs}?${query}`)).map(({ TIMESTAMP }) => TIMESTAMP);
	expect(await times('created_from=1000&created_to=3000')).toEqual(['3000', '2000', '1000']);
	expect(await times('created_from=1001&created_to=2999')).toEqual(['2000']);
	expect(await times('created_from=3001&created_to=4000')).toEqual([]);
});

changing('§4.3 filter_caller_id_number finds the calls of a number', async () => {
	await call({ from: '79990001122' });
	const found = itemsOf(await pbx.send('GET', range('&filter_caller_id_number=79990001122')));
	expect(found).toHaveLength(2);
	const uri = encodeURIComponent(String(found[0]?.CALLER_ID_NUMBER));
	expect(itemsOf(await pbx.send('GET', range(`&filter_caller_id_number=${uri}`)))).toHaveLength(2);
});

changing('§4.3 filter_<field> works on any field, all filters together', async () => {
	await call({ to: '102', outcome: 'busy' });
	const busy = itemsOf(await pbx.send('GET', range('&filter_hangup_cause=USER_BUSY')));
	expect(busy.length).toBeGreaterThan(0);
	expect(new Set(busy.map((cdr) => cdr.HANGUP_CAUSE))).toEqual(new Set(['USER_BUSY']));
	const none = range('&filter_hangup_cause=USER_BUSY&filter_call_direction=sideways');
	expect(itemsOf(await pbx.send('GET', none))).toEqual([]);
	expect(itemsOf(await pbx.send('GET', range('&filter_no_such.nested.field=1')))).toEqual([]);
});

readOnly.each([
	'filter_bridge_id=a@b',
	'filter_caller_id_number=1',
	'filter_bridge_id=a@b&created_from=1',
	'filter_caller_id_number=1&created_to=2',
])('§4.3.3 %s without both ends of the range is refused with 400', async (query) => {
	expect((await pbx.send('GET', `${cdrs}?${query}`)).status).toBe(400);
});

changing.each([
	'created_from=yesterday&created_to=2',
	'created_from=2&created_to=1',
	'created_from=1.5',
])('§4.3.1 the range %s is refused with 400', async (query) => {
	expect((await pbx.send('GET', `${cdrs}?${query}`)).status).toBe(400);
});

changing('§4.3.2 the Gregorian offset of §8 leads from Unix time to the range', async () => {
	const unixInMoscow = Math.floor(Date.now() / 1000) + 3600 * 3;
	const gregorian = unixInMoscow - 3600 * 3 + GREGORIAN_OFFSET;
	const { bridge_id: bridge } = await call();
	const query = `created_from=${gregorian - 5}&created_to=${gregorian + 5}`;
	const found = itemsOf(await pbx.send('GET', `${cdrs}?${query}`));
	expect(found.map(({ BRIDGE_ID }) => BRIDGE_ID)).toContain(bridge);
});

describe('recordings', () => {
	const recorded = async () => {
		const { bridge_id: bridge } = await call({ talk_seconds: 3 });
		const [cdr] = itemsOf(
			await pbx.send('GET', range(`&filter_bridge_id=${encodeURIComponent(bridge)}`)),
		);
		return new URL(`${String(cdr?.REC_LINK)}${String(cdr?.REC_FILE)}`).pathname.replace(
			'/v1/pbx',
			'',
		);
	};
	const settle = async (path: string) =>
		await eventually(async () => expect((await pbx.send('GET', path)).status).toBe(200));

	changing('§2.4 REC_LINK + REC_FILE is a WAV file of the length of the talk', async () => {
		const path = await recorded();
		await settle(path);
		const { status, headers, text } = await pbx.send('GET', path);
		expect(status).toBe(200);
		expect(headers.get('content-type')).toBe('audio/wav');
		expect(headers.get('content-length')).toBe(String(44 + 3 * 16_000));
		expect(text.slice(0, 4)).toBe('RIFF');
	});

	changing('§5.4 a recording needs X-Auth-Token: without it 401', async () => {
		const path = await recorded();
		await settle(path);
		expect((await pbx.bare('GET', path)).status).toBe(401);
	});

	changing(
		'§3 a recording becomes available some time after the end of the call: before it 404',
		async () => {
			await pbx.control('PATCH', '/settings', { recording_delay_seconds: 8000 });
			const path = await recorded();
			expect((await pbx.send('GET', path)).status).toBe(404);
			await eventually(async () => expect((await pbx.send('GET', path)).status).toBe(200));
			expect((await pbx.send('GET', path)).status).toBe(200);
			await pbx.control('PATCH', '/settings', { recording_delay_seconds: 3 });
		},
	);
});
