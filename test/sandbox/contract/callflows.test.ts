import { changing, itemOf, itemsOf, useSubject, readOnly } from '../support/contract';

const pbx = useSubject();

const flow = { module: 'play', data: { filename: 'welcome.wav' }, children: {}, stick_node: false };
let next = 70000;
const payload = (changes: object = {}) => ({
	data: {
		name: 'Test',
		numbers: [String(next++)],
		patterns: [],
		flow,
		fakenumber: false,
		...changes,
	},
});

async function create(changes: object = {}): Promise<Record<string, unknown>> {
	const answer = await pbx.send('PUT', '/callflows', payload(changes));
	expect(answer.status).toBe(201);
	return itemOf(answer);
}

readOnly(
	'§2.1 the callflow list has data, revision, request_id, status and auth_token',
	async () => {
		const { status, body } = await pbx.own('GET', '/callflows');
		expect(status).toBe(200);
		expect(body).toMatchObject({
			data: expect.any(Array),
			revision: expect.any(String),
			request_id: expect.any(String),
			status: 'success',
			auth_token: expect.any(String),
		});
	},
);

readOnly('§4.2 GET callflows lists id, name, numbers, patterns and featurecode', async () => {
	const [first] = itemsOf(await pbx.own('GET', '/callflows'));
	expect(first).toEqual({
		id: expect.any(String),
		name: expect.any(String),
		numbers: expect.any(Array),
		patterns: expect.any(Array),
		featurecode: expect.any(Boolean),
	});
});

readOnly('§4.2 GET callflows with filter_numbers finds the callflow of a number', async () => {
	const all = itemsOf(await pbx.own('GET', '/callflows'));
	const wanted = all.find(({ numbers }) => (numbers as string[]).length > 0);
	const number = encodeURIComponent((wanted?.numbers as string[])[0] ?? '');
	const found = itemsOf(await pbx.own('GET', `/callflows?filter_numbers=${number}`));
	expect(found.map(({ id }) => id)).toEqual([wanted?.id]);
	expect(itemsOf(await pbx.own('GET', '/callflows?filter_numbers=00000000'))).toEqual([]);
});

readOnly('§4.2 GET callflows/{callflow_id} gives the details with the flow', async () => {
	const [first] = itemsOf(await pbx.own('GET', '/callflows'));
	const answer = await pbx.own('GET', `/callflows/${String(first?.id)}`);
	expect(answer.status).toBe(200);
	expect(itemOf(answer)).toMatchObject({
		...first,
		flow: { module: expect.any(String), data: expect.any(Object), children: expect.any(Object) },
	});
});

readOnly('§7 an unknown callflow is refused with 404', async () => {
	expect((await pbx.own('GET', `/callflows/00000000000000000000000000000000`)).status).toBe(404);
});

changing.each(['/callflows', 'account'])(
	'§4.2 PUT %s creates a callflow (note 2: both paths)',
	async (path) => {
		const body = payload();
		const answer = await pbx.send(
			'PUT',
			path === 'account' ? `${pbx.account}/callflows` : path,
			body,
		);
		expect(answer.status).toBe(201);
		expect(itemOf(answer)).toMatchObject({
			...body.data,
			id: expect.stringMatching(/^[0-9a-f]{32}$/),
		});
	},
);

changing('§1 a body without `data` is refused with 400', async () => {
	const answer = await pbx.send('PUT', '/callflows', payload().data);
	expect(answer.status).toBe(400);
	expect(answer.body.data).toHaveProperty('data.required');
});

const JSON_TYPE = 'application/json';
changing.each([
	['an empty body', '', JSON_TYPE, 400],
	['a body that is not JSON', '{"data":', JSON_TYPE, 400],
	['another content type', 'data=1', 'application/x-www-form-urlencoded', 415],
])('§1 %s is refused', async (_what, body, type, status) => {
	const answer = await pbx.send('PUT', '/callflows', body, { 'content-type': type });
	expect(answer.status).toBe(status);
});

const pivot = (data: object) => payload({ flow: { module: 'pivot', data, children: {} } });

changing.each<[string, object, string]>([
	['no flow', payload({ flow: undefined }), 'flow'],
	['numbers that are no array', payload({ numbers: '100' }), 'numbers'],
	['neither number nor pattern', payload({ numbers: [] }), 'numbers'],
	['a pattern that is no expression', payload({ patterns: ['('] }), 'patterns'],
	['an empty flow', payload({ flow: {} }), 'flow.module'],
	['a flow node without a module', payload({ flow: { data: {}, children: {} } }), 'flow.module'],
	['a voice_url of another form', pivot({ voice_url: 'http://x' }), 'flow.data.voice_url'],
	[
		'a req_timeout that is no string',
		pivot({ voice_url: '{dflow}&callflow_id=1&webserver=x/y', req_timeout: 5 }),
		'flow.data.req_timeout',
	],
])(
	'§2.2 a callflow with %s is refused with 400 that names the field',
	async (_what, body, field) => {
		const answer = await pbx.send('PUT', '/callflows', body);
		expect(answer.status).toBe(400);
		expect(Object.keys(answer.body.data as object)).toContain(field);
	},
);

changing('§2.2 a number of another callflow is refused with 400 that names both', async () => {
	const { id } = await create({ name: 'Owner', numbers: ['77700'] });
	const answer = await pbx.send('PUT', '/callflows', payload({ numbers: ['77700'] }));
	expect(answer.status).toBe(400);
	expect(answer.body.data).toEqual({
		numbers: {
			unique: { message: `Number 77700 exists in callflow ${String(id)} Owner`, cause: '77700' },
		},
	});
});
