import { changing, itemOf, useSubject, readOnly } from '../support/contract';
import { Receiver } from '../support/receiver';

const pbx = useSubject();
const receiver = new Receiver();
beforeAll(async () => void (await receiver.open()));
afterAll(async () => await receiver.close());

const payload = (changes: object = {}) => ({
	data: {
		name: 'Test',
		uri: receiver.url,
		http_verb: 'post',
		hook: 'channel_destroy',
		retries: 2,
		...changes,
	},
});

async function create(changes: object = {}): Promise<Record<string, unknown>> {
	return itemOf(await pbx.own('PUT', '/webhooks', payload(changes)));
}

readOnly.each(['', '/attempts'])('§4.4 GET webhooks%s gives a list', async (path) => {
	const answer = await pbx.own('GET', `/webhooks${path}`);
	expect([answer.status, answer.body.data]).toEqual([200, expect.any(Array)]);
});

changing('§4.4 PUT webhooks creates a webhook with 201', async () => {
	const body = payload({ custom_data: { secret: 's', nested: { deep: 1 } } });
	const answer = await pbx.own('PUT', '/webhooks', body);
	expect(answer.status).toBe(201);
	expect(itemOf(answer)).toMatchObject({
		...body.data,
		id: expect.stringMatching(/^[0-9a-f]{32}$/),
	});
	const path = `/webhooks/${String(itemOf(answer).id)}`;
	expect(itemOf(await pbx.own('GET', path))).toEqual(itemOf(answer));
});

changing('§4.4 POST webhooks/{webhook_id} changes the webhook as a whole', async () => {
	const { id } = await create({ custom_data: { secret: 's' } });
	const body = payload({ name: 'Changed', hook: 'channel_answer', retries: 0 });
	const answer = await pbx.own('POST', `/webhooks/${String(id)}`, body);
	expect([200, 201]).toContain(answer.status);
	const read = itemOf(await pbx.own('GET', `/webhooks/${String(id)}`));
	expect(read).toEqual({ ...body.data, id, enabled: true });
});

changing('§4.4 DELETE webhooks/{webhook_id} deletes the webhook', async () => {
	const path = `/webhooks/${String((await create()).id)}`;
	expect((await pbx.own('DELETE', path)).status).toBe(200);
	expect((await pbx.own('GET', path)).status).toBe(404);
	expect((await pbx.own('DELETE', path)).status).toBe(404);
});

changing('§4.4 a DELETE that names its content type but has no body is accepted', async () => {
	const path = `/webhooks/${String((await create()).id)}`;
	const headers = { 'content-type': 'application/json' };
	expect((await pbx.own('DELETE', path, undefined, headers)).status).toBe(200);
});

changing.each<[string, unknown]>([
	...['name', 'uri', 'http_verb', 'hook', 'retries'].map((name): [string, unknown] => [
		name,
		undefined,
	]),
	['hook', 'channel_bridge'],
	['hook', 'CHANNEL_CREATE'],
	['retries', '2'],
	['retries', 1.5],
	['uri', 'ftp://example.com'],
	['custom_data', 'text'],
	['http_verb', 'POST'],
])('§2.5 a webhook whose %s is %j is refused with 400', async (field, value) => {
	const answer = await pbx.own('PUT', '/webhooks', payload({ [field]: value }));
	expect(answer.status).toBe(400);
	expect(Object.keys(answer.body.data as object)).toContain(field);
});
