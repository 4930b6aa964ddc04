import type { CallOrder } from '../../../sandbox';
import { gregorianNow as now } from '../../../sandbox/model/time';
import { eventually } from '../../support/eventually';
import { itemsOf } from '../support/http';
import { useListening } from '../support/listening';

const pbx = useListening();

const cdrs = async (query: string) => itemsOf(await pbx.own('GET', `/cdrs?${query}`));
const range = () => `created_from=${now() - 3600}&created_to=${now() + 60}`;
/** Places a call and returns its CDRs. */
const recorded = async (order: Partial<CallOrder> = {}) => {
	const { call } = await pbx.call(order);
	return await cdrs(`${range()}&filter_bridge_id=${encodeURIComponent(call.first.callId)}`);
};

test('§2.4 there is a CDR per leg, tied by the Call-ID of the inbound leg, with every field as text', async () => {
	const found = await recorded({ to: '100', ring_seconds: 4, talk_seconds: 30 });
	const sipUri = expect.stringMatching(/^sip:.+@.+/);
	const cdr = {
		...{ ACCOUNT_ID: pbx.account.id, BILLING_SECONDS: '30', HANGUP_CAUSE: 'NORMAL_CLEARING' },
		...{ BRIDGE_ID: expect.stringMatching(/^.+@.+$/), TIMESTAMP: expect.stringMatching(/^\d+$/) },
		...{ CALLEE_ID_NUMBER: sipUri, CALLER_ID_NUMBER: sipUri },
		...{ REC_FILE: expect.stringMatching(/./), REC_LINK: expect.stringMatching(/^http/) },
	};
	expect(found).toEqual([
		{ ...cdr, CALL_DIRECTION: 'outbound' },
		{ ...cdr, CALL_DIRECTION: 'inbound' },
	]);
	expect(Math.abs(Number(found[0]?.TIMESTAMP) - now())).toBeLessThan(5);
});

test('§4.3 created_from and created_to bound the list, both included', async () => {
	const records = ['2000', '1000', '3000'].map((TIMESTAMP) => ({ TIMESTAMP }));
	await pbx.control('POST', '/cdrs', { records });
	const times = async (query: string) => (await cdrs(query)).map(({ TIMESTAMP }) => TIMESTAMP);
	expect(await times('created_from=1000&created_to=3000')).toEqual(['3000', '2000', '1000']);
	expect(await times('created_from=1001&created_to=2999')).toEqual(['2000']);
	expect(await times('created_from=3001&created_to=4000')).toEqual([]);
});

test('§4.3 filter_<field> works on any field, all filters together', async () => {
	await pbx.call({ to: '100' });
	await pbx.call({ to: '102', outcome: 'busy' });
	const busy = await cdrs(`${range()}&filter_hangup_cause=USER_BUSY`);
	expect(new Set(busy.map((cdr) => cdr.HANGUP_CAUSE))).toEqual(new Set(['USER_BUSY']));
	const none = 'filter_hangup_cause=USER_BUSY&filter_call_direction=sideways';
	expect(await cdrs(`${range()}&${none}`)).toEqual([]);
	expect(await cdrs(`${range()}&filter_no_such.nested.field=1`)).toEqual([]);
});

test.each([
	'filter_bridge_id=a@b',
	'filter_caller_id_number=1&created_to=2',
	'created_from=yesterday&created_to=2',
	'created_from=2&created_to=1',
	'created_from=1.5',
])('§4.3 %s is refused with 400: a filter needs both ends, and a range is one', async (query) => {
	expect((await pbx.own('GET', `/cdrs?${query}`)).status).toBe(400);
});

test('§2.4 REC_LINK + REC_FILE is a WAV file of the length of the talk, some time after the call; §5.4 it needs a token', async () => {
	await pbx.control('PATCH', '/settings', { recording_delay_seconds: 8000 });
	const [cdr] = await recorded({ talk_seconds: 3 });
	const url = `${String(cdr?.REC_LINK)}${String(cdr?.REC_FILE)}`;
	const path = new URL(url).pathname.replace('/v1/pbx', '');
	expect((await pbx.send('GET', path)).status).toBe(404);
	await eventually(async () => expect((await pbx.send('GET', path)).status).toBe(200));
	const { headers, text } = await pbx.send('GET', path);
	expect(headers.get('content-type')).toBe('audio/wav');
	expect(headers.get('content-length')).toBe(String(44 + 3 * 16_000));
	expect(text.slice(0, 4)).toBe('RIFF');
	expect((await pbx.bare('GET', path)).status).toBe(401);
});
