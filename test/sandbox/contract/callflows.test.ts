import { itemOf, itemsOf } from '../support/http';
import { useListening } from '../support/listening';

const pbx = useListening();

const flow = { module: 'play', data: { filename: 'welcome.wav' }, children: {}, stick_node: false };
const payload = (changes: object = {}) => ({
	data: {
		...{ name: 'Test', numbers: ['77700'], patterns: [], flow, fakenumber: false },
		...changes,
	},
});

test('§2.1, §4.2 the list has an envelope, and id, name, numbers, patterns and featurecode of each callflow', async () => {
	const answer = await pbx.own('GET', '/callflows');
	expect(answer).toMatchObject({
		status: 200,
		body: {
			...{ revision: expect.any(String), request_id: expect.any(String) },
			...{ status: 'success', auth_token: expect.any(String) },
		},
	});
	for (const item of itemsOf(answer))
		expect(item).toEqual({
			...{ id: expect.any(String), name: expect.any(String), numbers: expect.any(Array) },
			...{ patterns: expect.any(Array), featurecode: expect.any(Boolean) },
		});
});

test('§4.2 filter_numbers finds the callflow of a number', async () => {
	const names = async (number: string) =>
		itemsOf(await pbx.own('GET', `/callflows?filter_numbers=${number}`)).map(({ name }) => name);
	expect(await names('12125550104')).toEqual(['Sales group']);
	expect(await names('00000000')).toEqual([]);
});

test.each(['/callflows', '/accounts/ID/callflows'])(
	'§4.2 PUT %s creates a callflow (note 2: both paths), and GET gives it with its flow',
	async (path) => {
		const created = await pbx.send('PUT', path.replace('ID', pbx.account.id), payload());
		expect(created.status).toBe(201);
		const whole = { ...payload().data, id: expect.stringMatching(/^[0-9a-f]{32}$/) };
		expect(itemOf(created)).toMatchObject(whole);
		const read = await pbx.own('GET', `/callflows/${String(itemOf(created).id)}`);
		expect([read.status, itemOf(read)]).toEqual([200, itemOf(created)]);
	},
);

const JSON_TYPE = 'application/json';
test.each([
	['an empty body', '', JSON_TYPE, 400],
	['a body that is not JSON', '{"data":', JSON_TYPE, 400],
	['a body without `data`', JSON.stringify(payload().data), JSON_TYPE, 400],
	['another content type', 'data=1', 'application/x-www-form-urlencoded', 415],
])('§1 %s is refused', async (_what, body, type, status) => {
	const answer = await pbx.send('PUT', '/callflows', body, { 'content-type': type });
	expect(answer.status).toBe(status);
});

const pivot = (data: object) => ({ flow: { module: 'pivot', data, children: {} } });
const voice_url = '{dflow}&callflow_id=1&webserver=x/y';

test.each<[string, object, string]>([
	['no flow', { flow: undefined }, 'flow'],
	['numbers that are no array', { numbers: '100' }, 'numbers'],
	['neither number nor pattern', { numbers: [] }, 'numbers'],
	['a pattern that is no expression', { patterns: ['('] }, 'patterns'],
	['an empty flow', { flow: {} }, 'flow.module'],
	['a voice_url of another form', pivot({ voice_url: 'http://x' }), 'flow.data.voice_url'],
	[
		'a req_timeout that is no string',
		pivot({ voice_url, req_timeout: 5 }),
		'flow.data.req_timeout',
	],
])(
	'§2.2 a callflow with %s is refused with 400 that names the field',
	async (_what, changes, field) => {
		const answer = await pbx.send('PUT', '/callflows', payload(changes));
		expect(answer.status).toBe(400);
		expect(Object.keys(answer.body.data as object)).toContain(field);
	},
);

test('§2.2 a number of another callflow is refused with 400 that names both', async () => {
	const { id } = itemOf(await pbx.send('PUT', '/callflows', payload({ name: 'Owner' })));
	const answer = await pbx.send('PUT', '/callflows', payload());
	const message = `Number 77700 exists in callflow ${String(id)} Owner`;
	expect(answer.status).toBe(400);
	expect(answer.body.data).toEqual({ numbers: { unique: { message, cause: '77700' } } });
});
