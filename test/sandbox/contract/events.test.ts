import type { Received } from '../support/receiver';
import { Listening } from '../support/listening';

/** The field table of §6, typed off the contract by hand: what it says, not what the sandbox thinks. */
const ALL = ['create', 'answer', 'destroy'].flatMap((kind) => [
	`${kind}:inbound`,
	`${kind}:outbound`,
]);
const LATER = ALL.slice(2);
const STARTED = ['create:inbound', ...LATER];
const OTHER_LEG = ['create:outbound', 'answer:outbound', 'destroy:inbound', 'destroy:outbound'];
const DESTROY = ['destroy:inbound', 'destroy:outbound'];
const CALLEE = ['create:outbound', ...LATER];
/** Fields by the legs and moments at which they are there; those of other types than text are in TYPES. */
const PRESENT: Array<[fields: string, present: string[]]> = [
	['Answer-State Switch-URI Switch-URL Custom-SIP-Headers Media-Server Presence-ID', ALL],
	['Caller-ID-Name Caller-ID-Number Request From To Call-Direction Timestamp', ALL],
	['Custom-Channel-Vars Call-ID Node Msg-ID App-Version App-Name Event-Name', ALL],
	['Event-Category', ALL],
	['From-Tag From-Uri To-Uri Disposition', STARTED],
	['To-Tag', LATER],
	['Callee-ID-Name Callee-ID-Number', CALLEE],
	['Other-Leg-Call-ID Other-Leg-Destination-Number Other-Leg-Direction', OTHER_LEG],
	['Other-Leg-Caller-ID-Number Other-Leg-Caller-ID-Name', OTHER_LEG],
	['Ringing-Seconds Billing-Seconds Duration-Seconds Remote-SDP User-Agent', DESTROY],
	['Hangup-Code Hangup-Cause', DESTROY],
];
const TYPES: Record<string, string> = {
	Timestamp: 'number',
	'Custom-SIP-Headers': 'object',
	'Custom-Channel-Vars': 'object',
};

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

test.each(ALL)('§6 a call has the event %s, with exactly the fields of the table', (place) => {
	const fields = PRESENT.filter(([, places]) => places.includes(place)).flatMap(([names]) =>
		names.split(' '),
	);
	const expected = fields.map((name) => [name, TYPES[name] ?? 'string']);
	const found = Object.entries(argsOf(place)).map(([name, value]) => [name, typeof value]);
	expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

test('§6 Bridge-ID ties the legs together: it equals the Call-ID of the inbound leg', () => {
	const bridge = argsOf('create:inbound')['Call-ID'];
	expect(ALL.map((place) => varsOf(place)['Bridge-ID'])).toEqual(ALL.map(() => bridge));
});

test('§6 Other-Leg fields of each leg describe the other one', () => {
	const [inbound, outbound] = [argsOf('destroy:inbound'), argsOf('destroy:outbound')];
	for (const [one, other] of [
		[inbound, outbound],
		[outbound, inbound],
	] as const) {
		expect(one).toMatchObject({
			'Other-Leg-Call-ID': other['Call-ID'],
			'Other-Leg-Destination-Number': other['Callee-ID-Number'],
			'Other-Leg-Caller-ID-Number': other['Caller-ID-Number'],
			'Other-Leg-Caller-ID-Name': other['Caller-ID-Name'],
			'Other-Leg-Direction': other['Call-Direction'],
		});
	}
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

test('§6 an inbound leg that never had another one has no Other-Leg fields', async () => {
	const { events } = await pbx.call({ to: '12125550199' });
	const last = events.at(-1)?.body.args ?? {};
	expect(last).toMatchObject({
		...{ 'Hangup-Cause': 'NO_ROUTE_DESTINATION', 'Hangup-Code': 'sip:404' },
		...{ 'Billing-Seconds': '0', Disposition: 'failure' },
	});
	expect(Object.keys(last).filter((field) => field.startsWith('Other-Leg'))).toEqual([]);
});
