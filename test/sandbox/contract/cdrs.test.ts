import { changing, itemsOf, useSubject, readOnly } from '../support/contract';
import { eventually } from '../../support/eventually';

const GREGORIAN_OFFSET = 62_167_219_200;
const now = () => Math.floor(Date.now() / 1000) + GREGORIAN_OFFSET;

const pbx = useSubject();

const range = (extra = '') => `/cdrs?created_from=${now() - 3600}&created_to=${now() + 60}${extra}`;
const call = async (order: object = {}) => {
	const { body } = await pbx.control('POST', '/calls', { speed: 10_000, wait: true, ...order });
	return { bridge_id: String(body.bridge_id) };
};

changing('§2.4 a CDR has every field, all values strings', async () => {
	await call();
	const [cdr = {}] = itemsOf(await pbx.own('GET', range()));
	const sipUri = expect.stringMatching(/^sip:.+@.+/);
	expect(cdr).toEqual({
		ACCOUNT_ID: pbx.accountId,
		BILLING_SECONDS: expect.any(String),
		BRIDGE_ID: expect.stringMatching(/^.+@.+$/),
		CALLEE_ID_NUMBER: sipUri,
		CALLER_ID_NUMBER: sipUri,
		CALL_DIRECTION: expect.any(String),
		HANGUP_CAUSE: 'NORMAL_CLEARING',
		REC_FILE: expect.any(String),
		REC_LINK: expect.any(String),
		TIMESTAMP: expect.any(String),
	});
});

changing('§2.4 there is one CDR per leg, tied by the Call-ID of the inbound leg', async () => {
	const { bridge_id: bridge } = await call({ to: '100', ring_seconds: 4, talk_seconds: 30 });
	const found = itemsOf(
		await pbx.own('GET', range(`&filter_bridge_id=${encodeURIComponent(bridge)}`)),
	);
	expect(found.map((cdr) => [cdr.CALL_DIRECTION, cdr.BILLING_SECONDS]).sort()).toEqual([
		['inbound', '30'],
		['outbound', '30'],
	]);
	expect(Math.abs(Number(found[0]?.TIMESTAMP) - now())).toBeLessThan(5);
});

changing('§4.3 created_from and created_to bound the list, both included', async () => {
	const records = ['1000', '2000', '3000'].map((TIMESTAMP) => ({
		TIMESTAMP,
		BRIDGE_ID: `${TIMESTAMP}@x`,
	}));
	await pbx.control('POST', '/cdrs', { records });
	const times = async (query: string) =>
		itemsOf(await pbx.own('GET', `/cdrs?${query}`)).map(({ TIMESTAMP }) => TIMESTAMP);
	expect(await times('created_from=1000&created_to=3000')).toEqual(['3000', '2000', '1000']);
	expect(await times('created_from=1001&created_to=2999')).toEqual(['2000']);
	expect(await times('created_from=3001&created_to=4000')).toEqual([]);
});

changing('§4.3 filter_<field> works on any field, all filters together', async () => {
	await call({ to: '102', outcome: 'busy' });
	const busy = itemsOf(await pbx.own('GET', range('&filter_hangup_cause=USER_BUSY')));
	expect(busy.length).toBeGreaterThan(0);
	expect(new Set(busy.map((cdr) => cdr.HANGUP_CAUSE))).toEqual(new Set(['USER_BUSY']));
	const none = range('&filter_hangup_cause=USER_BUSY&filter_call_direction=sideways');
	expect(itemsOf(await pbx.own('GET', none))).toEqual([]);
	expect(itemsOf(await pbx.own('GET', range('&filter_no_such.nested.field=1')))).toEqual([]);
});

readOnly.each([
	'filter_bridge_id=a@b',
	'filter_caller_id_number=1&created_to=2',
	'created_from=yesterday&created_to=2',
	'created_from=2&created_to=1',
	'created_from=1.5',
])('§4.3 %s is refused with 400: a filter needs both ends, and a range is one', async (query) => {
	expect((await pbx.own('GET', `/cdrs?${query}`)).status).toBe(400);
});

describe('recordings', () => {
	const recorded = async () => {
		const { bridge_id: bridge } = await call({ talk_seconds: 3 });
		const [cdr] = itemsOf(
			await pbx.own('GET', range(`&filter_bridge_id=${encodeURIComponent(bridge)}`)),
		);
		return new URL(`${String(cdr?.REC_LINK)}${String(cdr?.REC_FILE)}`).pathname.replace(
			'/v1/pbx',
			'',
		);
	};

	changing(
		'§2.4 REC_LINK + REC_FILE is a WAV file of the length of the talk; §5.4 it needs a token',
		async () => {
			const path = await recorded();
			await eventually(async () => expect((await pbx.send('GET', path)).status).toBe(200));
			const { headers, text } = await pbx.send('GET', path);
			expect(headers.get('content-type')).toBe('audio/wav');
			expect(headers.get('content-length')).toBe(String(44 + 3 * 16_000));
			expect(text.slice(0, 4)).toBe('RIFF');
			expect((await pbx.bare('GET', path)).status).toBe(401);
		},
	);

	changing(
		'§3 a recording becomes available some time after the end of the call: before it 404',
		async () => {
			await pbx.control('PATCH', '/settings', { recording_delay_seconds: 8000 });
			const path = await recorded();
			expect((await pbx.send('GET', path)).status).toBe(404);
			await eventually(async () => expect((await pbx.send('GET', path)).status).toBe(200));
			await pbx.control('PATCH', '/settings', { recording_delay_seconds: 3 });
		},
	);
});
