import { openSubject, type Subject, itemOf, itemsOf } from './support/contract';

let pbx: Subject;
let list: string;
beforeAll(async () => {
	pbx = await openSubject();
	list = `${pbx.account}/callflows`;
});
beforeEach(async () => {
	await pbx.control('DELETE', '/faults');
	await pbx.control('DELETE', '/requests');
});
afterAll(async () => await pbx.close());

const fault = async (order: object) => (await pbx.control('POST', '/faults', order)).body;
const get = async () => await pbx.send('GET', list);
const faults = async () =>
	(await pbx.control('GET', '/faults')).body.faults as Array<Record<string, unknown>>;
const webhook = {
	data: {
		name: 'x',
		uri: 'http://127.0.0.1:9/',
		http_verb: 'post',
		hook: 'channel_create',
		retries: 0,
	},
};

test('latency waits before it answers', async () => {
	await fault({ kind: 'latency', seconds: 0.1 });
	const start = performance.now();
	expect((await get()).status).toBe(200);
	expect(performance.now() - start).toBeGreaterThanOrEqual(95);
});

test('status answers with any code, headers and body', async () => {
	await fault({
		kind: 'status',
		status: 429,
		headers: { 'retry-after': '7' },
		body: { slow: 'down' },
		times: 1,
	});
	const answer = await get();
	expect([answer.status, answer.headers.get('retry-after'), answer.body]).toEqual([
		429,
		'7',
		{ slow: 'down' },
	]);
	await fault({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'text/html' },
		body: '<p>Hello</p>',
		times: 1,
	});
	const page = await get();
	expect([page.headers.get('content-type'), page.text]).toEqual(['text/html', '<p>Hello</p>']);
	await fault({ kind: 'status', status: 503, body: null, times: 1 });
	expect((await get()).text).toBe('');
	expect((await get()).status).toBe(200);
});

test('status with when "before" keeps the request from being acted on, with "after" it does not', async () => {
	const path = `${pbx.account}/webhooks`;
	const count = async () => itemsOf(await pbx.send('GET', path)).length;
	const before = await count();
	await fault({ kind: 'status', status: 500, method: 'PUT', times: 1 });
	expect((await pbx.send('PUT', path, webhook)).status).toBe(500);
	expect(await count()).toBe(before);
	await fault({ kind: 'status', status: 500, method: 'PUT', times: 1, when: 'after' });
	expect((await pbx.send('PUT', path, webhook)).status).toBe(500);
	expect(await count()).toBe(before + 1);
});

test('drop breaks the connection, before or after the request was acted on', async () => {
	const path = `${pbx.account}/webhooks`;
	const count = async () => itemsOf(await pbx.send('GET', path)).length;
	const before = await count();
	await fault({ kind: 'drop', method: 'PUT', times: 1 });
	await expect(pbx.send('PUT', path, webhook)).rejects.toThrow();
	expect(await count()).toBe(before);
	await fault({ kind: 'drop', method: 'PUT', times: 1, when: 'after' });
	await expect(pbx.send('PUT', path, webhook)).rejects.toThrow();
	expect(await count()).toBe(before + 1);
	const { body } = await pbx.control('GET', '/requests?status=0');
	expect(body.count).toBe(2);
});

test('truncate cuts JSON, or breaks it off', async () => {
	await fault({ kind: 'truncate', bytes: 20, times: 1 });
	const cut = await get();
	expect([cut.status, cut.text.length]).toEqual([200, 20]);
	await fault({ kind: 'truncate', abort: true, times: 1 });
	await expect(get()).rejects.toThrow();
});

test('expire-token answers 401 until the next login', async () => {
	await fault({ kind: 'expire-token', times: 1 });
	expect((await get()).status).toBe(401);
	expect((await get()).status).toBe(401);
	await pbx.close();
	pbx = await openSubject();
	expect((await get()).status).toBe(200);
});

test('repeat-cursor gives the same cursor for ever', async () => {
	await fault({ kind: 'repeat-cursor', page_size: 2 });
	const first = (await get()).body.next_start_key;
	const second = await pbx.send('GET', `${list}?start_key=${String(first)}`);
	const third = await pbx.send('GET', `${list}?start_key=${String(second.body.next_start_key)}`);
	expect([second.body.next_start_key, third.body.next_start_key]).toEqual([first, first]);
});

test('webhook-disable and webhook-delete strike the webhook that was just made', async () => {
	const path = `${pbx.account}/webhooks`;
	await fault({ kind: 'webhook-disable', method: 'PUT', times: 1 });
	const disabled = itemOf(await pbx.send('PUT', path, webhook));
	expect(itemOf(await pbx.send('GET', `${path}/${String(disabled.id)}`))).toMatchObject({
		enabled: false,
	});
	await fault({ kind: 'webhook-delete', method: 'PUT', times: 1 });
	const deleted = itemOf(await pbx.send('PUT', path, webhook));
	expect((await pbx.send('GET', `${path}/${String(deleted.id)}`)).status).toBe(404);
});

test('path, method, times and skip choose what is struck; hits are counted', async () => {
	await fault({
		kind: 'status',
		status: 500,
		path: '/accounts/*/callflows',
		method: 'get',
		skip: 1,
		times: 2,
	});
	const statuses = [];
	for (let index = 0; index < 5; index++) statuses.push((await get()).status);
	expect(statuses).toEqual([200, 500, 500, 200, 200]);
	expect((await pbx.send('GET', `${pbx.account}/webhooks`)).status).toBe(200);
	expect(await faults()).toMatchObject([{ kind: 'status', hits: 2 }]);
});

test('a fault can be switched off; an unknown kind or field is refused', async () => {
	const { id } = (await pbx.control('POST', '/faults', { kind: 'drop' })).body;
	expect((await pbx.control('DELETE', `/faults/${String(id)}`)).status).toBe(200);
	expect((await pbx.control('DELETE', `/faults/${String(id)}`)).status).toBe(404);
	expect((await pbx.control('POST', '/faults', { kind: 'fire' })).status).toBe(400);
	expect((await pbx.control('POST', '/faults', { kind: 'drop', tmes: 1 })).status).toBe(400);
	expect((await get()).status).toBe(200);
});
