import { changing as test } from '../support/contract';
import type { Settings } from '../../../sandbox';
import type { Received } from '../support/receiver';
import { Listening } from '../support/listening';

/** The field table of §6, typed off the contract by hand: what it says, not what the sandbox thinks. */
const ALL = [
	'create:inbound',
	'create:outbound',
	'answer:inbound',
	'answer:outbound',
	'destroy:inbound',
	'destroy:outbound',
];
const LATER = ALL.slice(2);
const STARTED = ['create:inbound', ...LATER];
const OTHER_LEG = ['create:outbound', 'answer:outbound', 'destroy:inbound', 'destroy:outbound'];
const DESTROY = ['destroy:inbound', 'destroy:outbound'];
const TABLE: Array<[field: string, type: string, present: string[]]> = [
	['Answer-State', 'string', ALL],
	['Switch-URI', 'string', ALL],
	['Switch-URL', 'string', ALL],
	['From-Tag', 'string', STARTED],
	['To-Tag', 'string', LATER],
	['Custom-SIP-Headers', 'object', ALL],
	['Callee-ID-Name', 'string', ['create:outbound', ...LATER]],
	['Callee-ID-Number', 'string', ['create:outbound', ...LATER]],
	['Caller-ID-Name', 'string', ALL],
	['Caller-ID-Number', 'string', ALL],
	['Media-Server', 'string', ALL],
	['Presence-ID', 'string', ALL],
	['Request', 'string', ALL],
	['From', 'string', ALL],
	['To', 'string', ALL],
	['From-Uri', 'string', STARTED],
	['To-Uri', 'string', STARTED],
	['Disposition', 'string', STARTED],
	['Call-Direction', 'string', ALL],
	['Timestamp', 'number', ALL],
	['Custom-Channel-Vars', 'object', ALL],
	['Call-ID', 'string', ALL],
	['Node', 'string', ALL],
	['Msg-ID', 'string', ALL],
	['App-Version', 'string', ALL],
	['App-Name', 'string', ALL],
	['Event-Name', 'string', ALL],
	['Event-Category', 'string', ALL],
	['Other-Leg-Call-ID', 'string', OTHER_LEG],
	['Other-Leg-Destination-Number', 'string', OTHER_LEG],
	['Other-Leg-Caller-ID-Number', 'string', OTHER_LEG],
	['Other-Leg-Caller-ID-Name', 'string', OTHER_LEG],
	['Other-Leg-Direction', 'string', OTHER_LEG],
	['Ringing-Seconds', 'string', DESTROY],
	['Billing-Seconds', 'string', DESTROY],
	['Duration-Seconds', 'string', DESTROY],
	['Remote-SDP', 'string', DESTROY],
	['User-Agent', 'string', DESTROY],
	['Hangup-Code', 'string', DESTROY],
	['Hangup-Cause', 'string', DESTROY],
];

const KNOWN_VARS = [
	'Account-ID',
	'Username',
	'Realm',
	'Owner-ID',
	'Authorizing-ID',
	'Inception',
	'Callmgr-Node',
	'Bridge-ID',
	'Channel-Authorized',
	'Originator-Type',
	'Fetch-ID',
	'Reseller-Billing',
	'Reseller-ID',
	'Account-Billing',
	'Global-Resource',
];

const pbx = new Listening();
const byPlace = new Map<string, Received['body']>();
beforeAll(async () => {
	await pbx.open();
	const { events } = await pbx.call({ ring_seconds: 4, talk_seconds: 30 });
	for (const { body } of events) {
		const kind = body.name.slice('CHANNEL_'.length).toLowerCase();
		byPlace.set(`${kind}:${String(body.args['Call-Direction'])}`, body);
	}
});
afterAll(async () => await pbx.close());

const argsOf = (place: string): Record<string, unknown> => byPlace.get(place)?.args ?? {};
const varsOf = (place: string) => argsOf(place)['Custom-Channel-Vars'] as Record<string, unknown>;

test('§6 a call with two legs gives six events, one per leg and kind', () => {
	expect([...byPlace.keys()].sort()).toEqual([...ALL].sort());
});

test.each(TABLE)('§6 %s is a %s exactly where the table says', (field, type, present) => {
	const found = ALL.filter((place) => field in argsOf(place));
	expect(found).toEqual(ALL.filter((place) => present.includes(place)));
	for (const place of found) expect(typeof argsOf(place)[field]).toBe(type);
});

test('§6 no event has a field beyond the table', () => {
	const known = TABLE.map(([field]) => field);
	for (const place of ALL)
		expect(Object.keys(argsOf(place)).filter((field) => !known.includes(field))).toEqual([]);
});

test('§6 an event is {name, args}; Event-Name equals name, Event-Category is call_event', () => {
	for (const [place, body] of byPlace) {
		expect(Object.keys(body)).toEqual(['name', 'args']);
		expect(body.name).toBe(`CHANNEL_${place.split(':')[0]?.toUpperCase()}`);
		expect(body.args).toMatchObject({ 'Event-Name': body.name, 'Event-Category': 'call_event' });
	}
});

test('§6 Custom-Channel-Vars holds known keys only, all strings', () => {
	for (const place of ALL) {
		expect(Object.keys(varsOf(place)).filter((key) => !KNOWN_VARS.includes(key))).toEqual([]);
		expect(Object.values(varsOf(place)).every((value) => typeof value === 'string')).toBe(true);
	}
	const seen = new Set(ALL.flatMap((place) => Object.keys(varsOf(place))));
	expect([...seen].sort()).toEqual([...KNOWN_VARS].sort());
});

test('§6 Bridge-ID ties the legs together: it equals the Call-ID of the inbound leg', () => {
	const bridge = argsOf('create:inbound')['Call-ID'];
	expect(ALL.map((place) => varsOf(place)['Bridge-ID'])).toEqual(ALL.map(() => bridge));
});

test('§6 Other-Leg fields of each leg describe the other one', () => {
	const [inbound, outbound] = [argsOf('destroy:inbound'), argsOf('destroy:outbound')];
	for (const [one, other, direction] of [
		[inbound, outbound, 'outbound'],
		[outbound, inbound, 'inbound'],
	] as const) {
		expect(one).toMatchObject({
			'Other-Leg-Call-ID': other['Call-ID'],
			'Other-Leg-Destination-Number': other['Callee-ID-Number'],
			'Other-Leg-Caller-ID-Number': other['Caller-ID-Number'],
			'Other-Leg-Caller-ID-Name': other['Caller-ID-Name'],
			'Other-Leg-Direction': direction,
		});
	}
});

test('§3 a leg goes from ringing over answered to hangup', () => {
	for (const leg of ['inbound', 'outbound']) {
		expect(
			['create', 'answer', 'destroy'].map((kind) => argsOf(`${kind}:${leg}`)['Answer-State']),
		).toEqual(['ringing', 'answered', 'hangup']);
		const ids = ['create', 'answer', 'destroy'].map((kind) => argsOf(`${kind}:${leg}`)['Call-ID']);
		expect(new Set(ids).size).toBe(1);
	}
});

test('§6 Disposition has the values seen', () => {
	const of = (place: string) => argsOf(place).Disposition;
	expect([of('create:inbound'), of('answer:inbound'), of('destroy:inbound')]).toEqual([
		'DELAYED NEGOTIATION',
		'ANSWER',
		'SUCCESS',
	]);
});

test('§6 seconds, cause and code of a call that was answered', () => {
	expect(argsOf('destroy:inbound')).toMatchObject({
		'Ringing-Seconds': '4',
		'Billing-Seconds': '30',
		'Duration-Seconds': '34',
		'Hangup-Cause': 'NORMAL_CLEARING',
		'Hangup-Code': 'sip:200',
		'Remote-SDP': expect.stringMatching(/^v=0\r\n/),
	});
});

test('§6 Custom-SIP-Headers holds X-AUTH-IP, Timestamp is whole, Msg-ID is new each time', () => {
	for (const place of ALL) {
		expect(argsOf(place)['Custom-SIP-Headers']).toEqual({ 'X-AUTH-IP': expect.any(String) });
		expect(Number.isInteger(argsOf(place).Timestamp)).toBe(true);
	}
	expect(new Set(ALL.map((place) => argsOf(place)['Msg-ID'])).size).toBe(ALL.length);
});

test('§6 an inbound leg that never had another one has no Other-Leg fields', async () => {
	const { events } = await pbx.call({ to: '88888888888' });
	const last = events.at(-1)?.body.args ?? {};
	expect(last).toMatchObject({ 'Hangup-Cause': 'NO_ROUTE_DESTINATION', 'Hangup-Code': 'sip:404' });
	expect(Object.keys(last).filter((field) => field.startsWith('Other-Leg'))).toEqual([]);
});

describe('§2.5 custom_data', () => {
	const custom = { secret: 's3cret', nested: { a: 1 } };
	const lastWith = async (settings: Partial<Settings>) => {
		await pbx.renew();
		pbx.account.webhooks.all().forEach(({ id }) => pbx.account.webhooks.remove(id));
		pbx.listen(custom);
		pbx.sandbox.pbx.change(settings);
		const { events } = await pbx.call();
		return events.at(-1) as Received;
	};

	test('is put at the top level of the event', async () => {
		expect((await lastWith({ custom_data_placement: 'top' })).body).toMatchObject({
			...custom,
			name: 'CHANNEL_DESTROY',
		});
	});

	test('is put into args, by a setting', async () => {
		expect((await lastWith({ custom_data_placement: 'args' })).body.args).toMatchObject(custom);
	});

	test('is put under custom_data, by a setting', async () => {
		expect((await lastWith({ custom_data_placement: 'custom_data' })).body.custom_data).toEqual(
			custom,
		);
	});

	test('is not sent at all, by a setting', async () => {
		expect((await lastWith({ custom_data_placement: 'none' })).text).not.toContain('s3cret');
	});

	test('goes with bare args and with a form, by settings', async () => {
		expect((await lastWith({ event_shape: 'args' })).body).toMatchObject({
			...custom,
			'Event-Name': 'CHANNEL_DESTROY',
		});
		const form = await lastWith({ delivery_format: 'form' });
		expect(form.contentType).toBe('application/x-www-form-urlencoded');
		const fields = new URLSearchParams(form.text);
		expect(fields.get('name')).toBe('CHANNEL_DESTROY');
		expect(fields.get('args[Custom-Channel-Vars][Realm]')).toBe('demo.sandbox.local');
		expect(fields.get('nested[a]')).toBe('1');
	});

	test('is never shown in the log of deliveries', async () => {
		await lastWith({});
		expect(JSON.stringify(pbx.sandbox.pbx.deliveries.list())).not.toContain('s3cret');
	});
});

test('§6 Timestamp is in Gregorian seconds', async () => {
	await pbx.renew();
	const { events } = await pbx.call();
	const seconds = Number(events[0]?.body.args.Timestamp) - 62_167_219_200;
	expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(5);
});
