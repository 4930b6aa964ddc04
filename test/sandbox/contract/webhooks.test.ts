import { itemOf } from '../support/http';
import { useListening } from '../support/listening';

const pbx = useListening();

const payload = (changes: object = {}) => ({
	data: {
		...{ name: 'Test', uri: 'http://192.0.2.1/hook', http_verb: 'post' },
		...{ hook: 'channel_destroy', retries: 2, ...changes },
	},
});
const create = async (changes: object = {}) => {
	const answer = await pbx.own('PUT', '/webhooks', payload(changes));
	return { answer, path: `/webhooks/${String(itemOf(answer).id)}` };
};
const own = async (method: string, path: string) => (await pbx.own(method, path)).status;

test.each(['', '/attempts'])('§4.4 GET webhooks%s gives a list', async (path) => {
	const answer = await pbx.own('GET', `/webhooks${path}`);
	expect([answer.status, answer.body.data]).toEqual([200, expect.any(Array)]);
});

test('§4.4 PUT webhooks creates a webhook with 201, and POST changes it as a whole', async () => {
	const custom_data = { secret: 's', nested: { deep: 1 } };
	const { answer, path } = await create({ custom_data });
	const whole = { ...payload({ custom_data }).data, id: expect.stringMatching(/^[0-9a-f]{32}$/) };
	expect([answer.status, itemOf(answer)]).toMatchObject([201, whole]);
	expect(itemOf(await pbx.own('GET', path))).toEqual(itemOf(answer));

	const body = payload({ name: 'Changed', hook: 'channel_answer', retries: 0 });
	expect((await pbx.own('POST', path, body)).status).toBe(200);
	const { id } = itemOf(answer);
	expect(itemOf(await pbx.own('GET', path))).toEqual({ ...body.data, id, enabled: true });
});

test('§4.4 DELETE webhooks/{webhook_id} deletes the webhook, also with a content type but no body', async () => {
	const { path } = await create();
	const headers = { 'content-type': 'application/json' };
	expect((await pbx.own('DELETE', path, undefined, headers)).status).toBe(200);
	expect([await own('GET', path), await own('DELETE', path)]).toEqual([404, 404]);
});

const REQUIRED = ['name', 'uri', 'http_verb', 'hook', 'retries'];
test.each<[string, unknown]>([
	...REQUIRED.map((name): [string, unknown] => [name, undefined]),
	['hook', 'channel_bridge'],
	['hook', 'CHANNEL_CREATE'],
	['retries', '2'],
	['retries', 1.5],
	['uri', 'ftp://example.com'],
	['custom_data', 'text'],
	['http_verb', 'POST'],
])('§2.5 a webhook whose %s is %j is refused with 400', async (field, value) => {
	const { answer } = await create({ [field]: value });
	expect(answer.status).toBe(400);
	expect(Object.keys(answer.body.data as object)).toContain(field);
});
