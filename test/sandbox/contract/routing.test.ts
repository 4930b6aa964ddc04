import { useListening } from '../support/listening';
import { json, Receiver } from '../support/receiver';

const pbx = useListening();
const service = new Receiver();
beforeAll(async () => await service.open());
beforeEach(() => {
	service.clear();
	putPivot();
});
afterAll(async () => await service.close());

const NUMBER = '12125550102';
const child = { module: 'play', data: { filename: 'welcome.wav' }, children: {} };

/** Makes the callflow that asks the web service. */
function putPivot(data: object = {}): void {
	const callflow = pbx.account.callflows.match(NUMBER);
	if (!callflow) throw new Error('The seed has no pivot');
	const url = `{dflow}&callflow_id=${callflow.id}&webserver=${service.host}/route`;
	const pivot = { method: 'GET', req_timeout: '5', req_format: 'pbx', voice_url: url, ...data };
	const flow = { module: 'pivot', data: pivot, children: { _: child } };
	pbx.account.callflows.put({ ...callflow, flow });
}

const ask = async (answer?: unknown, order: object = {}) => {
	if (answer !== undefined) service.respond = json(answer);
	const { call } = await pbx.call({ to: NUMBER, ...order });
	const [entry] = pbx.sandbox.pbx.routing.list();
	return { call, entry, legs: call.view().legs.slice(1) };
};

const many = (operation: object) => ({ operations: [operation] });
const id = (extension: string) => pbx.account.user({ extension })?.id ?? '';
const deviceId = (extension: string) => pbx.account.user({ extension })?.devices[0]?.id ?? '';

test('§2.2 the web service is asked with GET, told who calls whom', async () => {
	const { call } = await ask({ type: 'extension', extension: '100' });
	const [{ method, url } = { method: '', url: '' }] = service.received;
	const question = new URL(url, 'http://x');
	expect([method, question.pathname]).toEqual(['GET', '/route']);
	expect(Object.fromEntries(question.searchParams)).toMatchObject({
		'Call-ID': call.first.callId,
		'Account-ID': pbx.account.id,
		From: '12125550123',
		To: NUMBER,
		Request: NUMBER,
		'Caller-ID-Number': '12125550123',
		'Caller-ID-Name': '12125550123',
		Direction: 'inbound',
	});
});

test.each<[what: string, answer: () => object, rings: string[], last: string]>([
	['an extension as number', () => ({ type: 'extension', extension: 100 }), ['100'], 'user 100'],
	['an extension as text', () => ({ type: 'extension', extension: '100' }), ['100'], 'user 100'],
	['a user by id', () => many({ type: 'id', id: id('101') }), ['101', '101'], 'user 101'],
	['a device', () => many({ type: 'device', id: deviceId('101') }), ['101'], 'device'],
	['voicemail (rule 4)', () => many({ type: 'voicemail', extension: '101' }), [], 'mailbox of 101'],
	[
		'a callflow of a number',
		() => many({ type: 'callflow', extension: '12125550104' }),
		['101', '101'],
		'goes to callflow Sales group',
	],
	['play (rule 5)', () => many({ type: 'play', filename: 'welcome.wav' }), [], 'plays welcome.wav'],
])('§2.3 operation: %s', async (_what, answer, rings, step) => {
	const { call, legs, entry } = await ask(answer());
	expect(entry).toMatchObject({ outcome: 'executed', problems: [], warnings: [] });
	expect(legs.map((leg) => leg.to)).toEqual(rings);
	expect(call.steps).toContainEqual(expect.stringContaining(step));
});

test('§2.3 rule 1: operations run in the order of the array', async () => {
	const operations = [
		{ type: 'play', filename: 'please-hold.wav' },
		{ type: 'extension', extension: '100', timeout: 5 },
		{ type: 'extension', extension: 101 },
	];
	const { call, legs } = await ask({ operations }, { answered_by: '101' });
	expect(call.steps.slice(2)).toEqual([
		'plays please-hold.wav',
		'user 100 rings simultaneous',
		'user 101 rings simultaneous',
	]);
	expect(legs.map((leg) => [leg.to, leg.hangup_cause])).toEqual([
		['100', 'NO_ANSWER'],
		['101', 'NORMAL_CLEARING'],
		['101', 'LOSE_RACE'],
	]);
});

const BARE = '§2.3 bare form is a user operation';
const SECOND_IS_WRONG = {
	operations: [{ type: 'extension', extension: '100' }, { type: 'fax' }],
};
test.each<[answer: unknown, rule: string]>([
	['text', '§2.3 answer is an object'],
	[[], '§2.3 answer is an object'],
	[null, '§2.3 answer is an object'],
	[{}, BARE],
	[{ type: 'play', filename: 'welcome.wav' }, BARE],
	[{ operations: {} }, '§2.3 operations is an array'],
	[{ operations: [] }, '§2.3 operations are not empty'],
	[{ operations: ['play'] }, '§2.3 operation is an object'],
	[SECOND_IS_WRONG, '§2.3 type is known'],
	[many({ type: 'constructor' }), '§2.3 type is known'],
	[many({ type: 'extension' }), '§2.3 extension is a number or string'],
	[many({ type: 'extension', extension: '100', timeout: '20' }), '§2.3 timeout is an integer'],
	[many({ type: 'extension', extension: '100', delay: 0.5 }), '§2.3 delay is an integer'],
	[many({ type: 'extension', extension: '100', strategy: 'all' }), '§2.3 strategy is known'],
	[many({ type: 'device' }), '§2.3 id is a string'],
	[many({ type: 'voicemail', extension: 100 }), '§2.3 extension is a string'],
	[many({ type: 'callflow' }), '§2.3 extension is a string'],
	[many({ type: 'play' }), '§2.3 filename is a string'],
])(
	'§2.3 the wrong answer %j is logged with its rule, and the call goes to the child at once',
	async (answer, rule) => {
		const { call, entry, legs } = await ask(answer);
		expect(entry).toMatchObject({ outcome: 'child', status: 200, problems: [{ rule }] });
		if (answer === SECOND_IS_WRONG) expect(entry?.problems[0]?.step).toBe(2);
		expect(legs).toEqual([]);
		expect(call.steps.at(-1)).toBe('plays welcome.wav');
	},
);

test.each([
	['application/json', 200, '{"operations"', '§2.3 answer is JSON'],
	['text/html', 200, '{"type":"extension","extension":"100"}', '§2.3 answer is JSON'],
	['application/json', 500, '{}', '§2.3 answer is a success'],
	['application/json', 302, '{}', '§2.3 answer is a success'],
])('§2.3 %s with %i and %s is logged with its rule', async (type, status, text, rule) => {
	service.respond = (_received, response) =>
		response.writeHead(status, { 'content-type': type }).end(text);
	const { entry } = await ask();
	expect(entry).toMatchObject({ outcome: 'child', status, problems: [{ rule }] });
});

test('§2.2 req_timeout bounds the wait, in real time', async () => {
	putPivot({ req_timeout: '0.1' });
	service.respond = () => {};
	const start = performance.now();
	const { call, entry } = await ask();
	expect(performance.now() - start).toBeLessThan(1000);
	const problems = [{ rule: '§2.2 answer within req_timeout' }];
	expect(entry).toMatchObject({ outcome: 'child', status: null, problems });
	expect(call.result).toBe('played');
});
