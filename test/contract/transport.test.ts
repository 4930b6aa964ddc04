import type { INodeParameters, NodeApiError } from 'n8n-workflow';

import { credentialOf, operate } from '../support/operate';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

let pbx: ScriptedPbx;

/** Lists callflows while the PBX gives these answers in turn, the last one for ever. */
async function listWith(...answers: ScriptedAnswer[]) {
	let turn = 0;
	pbx = await startScriptedPbx(({ path }) =>
		path.endsWith('/callflows') ? answers[Math.min(turn++, answers.length - 1)] : undefined,
	);
	const run = await operate(await credentialOf(pbx), 'callflow:getMany', { returnAll: true });
	const error = run.error as NodeApiError | undefined;
	return { ...run, error, sent: pbx.seen('GET', '/callflows').length };
}

/** Runs an operation while the PBX gives one answer to everything but the login. */
async function runWith(
	resource: string,
	operation: string,
	parameters: object,
	answer: ScriptedAnswer,
) {
	pbx = await startScriptedPbx(({ path }) => (path.endsWith('/user_auth') ? undefined : answer));
	const order = [`${resource}:${operation}`, parameters as INodeParameters] as const;
	return await operate(await credentialOf(pbx), ...order);
}

afterEach(async () => await pbx.close());

const good: ScriptedAnswer = { body: { data: [{ id: 'a' }], status: 'success' } };

describe('answers (§2.1)', () => {
	it.each([
		[
			'an envelope',
			{ data: [{ id: 'a' }], revision: '1', request_id: 'r', status: 'success', auth_token: 't' },
		],
		['a bare array', [{ id: 'a' }]],
		['an envelope that says OK', { data: [{ id: 'a' }], status: 'OK' }],
	])('reads a list in %s', async (_, body) => {
		expect((await listWith({ body })).items).toEqual([{ id: 'a' }]);
	});

	it.each<[string, ScriptedAnswer]>([
		['null', { body: { data: null } }],
		['an empty object', { body: {} }],
		['one document', { body: { data: { id: 'a', numbers: ['1'], patterns: [] } } }],
		['nothing', { raw: (response) => void response.writeHead(200).end() }],
	])('never takes %s for an empty list', async (_, answer) => {
		const { items, error, sent } = await listWith(answer);
		expect(items).toEqual([]);
		expect(error?.message).toBe('The PBX answered without a list');
		expect(error?.description).toContain('Run again');
		expect(sent).toBe(1);
	});

	it.each(['error', 'Failed', 'timeout'])('takes the status "%s" at its word', async (status) => {
		const { error, sent } = await listWith({ body: { status, message: 'db down', data: [] } });
		expect(error?.message).toBe('Callflows could not be read: the PBX reports an error');
		expect(error?.description).toContain('The PBX says: "db down".');
		expect(sent).toBe(1);
		await pbx.close();
		const { error: silent } = await listWith({ body: { status, data: [{ id: 'a' }] } });
		expect(silent?.description).toContain(`The PBX says: "status "${status}""`);
	});

	it('takes "status": "error" at its word when it writes, and writes once', async () => {
		const parameters = { webhookId: 'w1' };
		const body = { status: 'error', message: 'locked', data: {} };
		const { error } = await runWith('webhook', 'delete', parameters, { body });
		expect(error?.message).toBe('Webhook w1 could not be deleted: the PBX reports an error');
		expect(error?.description).toContain('The PBX says: "locked".');
		expect(pbx.seen('DELETE', '/webhooks/w1')).toHaveLength(1);
	});

	it('takes an error message without data at its word when it writes', async () => {
		const body = { error_message: 'invalid_credentials' };
		const { error } = await runWith('webhook', 'delete', { webhookId: 'w1' }, { body });
		expect(error?.message).toBe('Webhook w1 could not be deleted: the PBX reports an error');
		expect(error?.description).toContain('The PBX says: "invalid_credentials".');
	});

	it.each<[string, ScriptedAnswer, string]>([
		['null', { body: { data: null } }, 'The PBX answered without a list'],
		[
			'nothing',
			{ raw: (response) => void response.writeHead(200).end() },
			'The PBX answered without a list',
		],
		[
			'an error',
			{ body: { data: [], status: 'error', message: 'db down' } },
			'Call records could not be read: the PBX reports an error',
		],
	])('does so for call records, which it reads as they come in: %s', async (_, answer, words) => {
		const { error } = await runWith('cdr', 'getMany', { returnAll: true }, answer);
		expect(error?.message).toBe(words);
	});

	it('counts a page once that comes again because the PBX does not understand the cursor', async () => {
		const { items, sent } = await listWith({ body: { data: [{ id: 'a' }], next_start_key: 'k' } });
		expect({ items, sent }).toEqual({ items: [{ id: 'a' }], sent: 2 });
	});

	it('reads on after an empty page, and where one entry comes again', async () => {
		const page = (ids: string[], next_start_key?: string) => ({
			body: { data: ids.map((id) => ({ id })), next_start_key },
		});
		const pages = [page(['a', 'b'], '1'), page([], '2'), page([], '3'), page(['a', 'c'])];
		const { items } = await listWith(...pages);
		expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'a', 'c']);
	});
});

describe('retries (design §4)', () => {
	it.each([429, 503, 504])('sends a GET again after %d', async (status) => {
		const { items, sent } = await listWith(
			{ status, body: {}, headers: { 'retry-after': '0' } },
			good,
		);
		expect(items).toHaveLength(1);
		expect(sent).toBe(2);
	});

	it('waits as long as Retry-After says', async () => {
		const start = Date.now();
		await listWith({ status: 429, body: {}, headers: { 'retry-after': '1' } }, good);
		expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
	});

	it('gives up at once when Retry-After is far away', async () => {
		const { error, sent } = await listWith({
			status: 429,
			body: {},
			headers: { 'retry-after': '3600' },
		});
		expect(sent).toBe(1);
		expect(error?.httpCode).toBe('429');
	});

	it('sends a GET again after a dropped connection and after JSON that was cut off', async () => {
		const dropped: ScriptedAnswer = { raw: (response) => void response.destroy() };
		const cutOff: ScriptedAnswer = {
			raw: (response) =>
				void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id"'),
		};
		const { items, sent } = await listWith(dropped, cutOff, good);
		expect(items).toHaveLength(1);
		expect(sent).toBe(3);
	});

	it.each([400, 404, 415, 500])('never sends again after %d', async (status) => {
		const { error, sent } = await listWith({ status, body: { message: 'own words' } }, good);
		expect(sent).toBe(1);
		expect(error?.httpCode).toBe(String(status));
		expect(error?.message).toMatch(/^Callflows could not be read: /);
		expect(error?.description).toContain('The PBX says: "own words".');
	});

	it('stops after four times, with the words of the PBX', async () => {
		const { error, sent } = await listWith({
			status: 503,
			body: { message: 'datastore_down' },
			headers: { 'retry-after': '0' },
		});
		expect(sent).toBe(4);
		expect(error?.message).toMatch(/^Callflows could not be read: /);
		expect(error?.description).toContain('The PBX says: "datastore_down".');
	});
});

describe('errors', () => {
	it('name the field, the rule’s words, status and request id', async () => {
		const body = {
			data: { numbers: { unique: { message: 'Number 100 exists in callflow X', cause: 'X' } } },
			message: 'validation error',
			status: 'error',
			request_id: 'req-1',
		};
		const { error } = await listWith({ status: 400, body });
		expect(error?.message).toBe('Numbers: Number 100 exists in callflow X');
		expect(error?.description).toMatch(/GET \/callflows, status 400, request ID req-1/);
	});

	it.each<[string, string, object, number, string]>([
		['callflow', 'get', { callflowId: 'cf1' }, 404, 'Callflow cf1 was not found'],
		['webhook', 'delete', { webhookId: 'w1' }, 404, 'Webhook w1 was not found'],
		['cdr', 'getMany', { returnAll: true }, 404, 'the PBX has nothing at this address'],
		[
			'callflow',
			'delete',
			{ callflowId: 'cf1' },
			403,
			'Callflow cf1 could not be deleted: the PBX does not let this user do that',
		],
		[
			'cdr',
			'getMany',
			{ returnAll: true },
			403,
			'Call records could not be read: the PBX does not let',
		],
		[
			'callflow',
			'get',
			{ callflowId: 'cf1' },
			415,
			'could not be read: the PBX does not accept JSON',
		],
		['callflow', 'get', { callflowId: 'cf1' }, 418, 'could not be read: the PBX refuses it'],
	])(
		'say what failed in the user’s words, and below what the PBX says: %s %s %j %d',
		async (...[resource, operation, parameters, status, headline]) => {
			const body = { message: 'bad identifier', request_id: 'req-2' };
			const { error } = await runWith(resource, operation, parameters, { status, body });
			expect(error?.message).toContain(headline);
			expect(error?.message).not.toContain('bad identifier');
			expect(error?.description).toContain('The PBX says: "bad identifier".');
			expect(error?.description).toContain(`status ${status}, request ID req-2`);
		},
	);

	it('say what to do when a web page answers', async () => {
		const { error, sent } = await listWith({ body: '<!doctype html><title>Router</title>' });
		expect(error?.message).toContain('not from a PBX');
		expect(error?.description).toContain('Base URL');
		expect(sent).toBe(1);
	});

	it('do not follow a redirect with the token', async () => {
		const other = await startScriptedPbx();
		const { error } = await listWith({
			status: 302,
			headers: { location: `${other.url}/x` },
			body: {},
		});
		expect(error?.message).toContain('redirected the request to another address');
		expect(other.requests).toEqual([]);
		await other.close();
	});
});

describe('IDs that would change the path', () => {
	it.each([
		['webhook', 'webhookId', '..'],
		['callflow', 'callflowId', '.'],
		['webhook', 'accountId', '..'],
	])('of a %s are refused before anything is sent: %s "%s"', async (resource, name, id) => {
		const ids = { webhookId: 'x', callflowId: 'x', [name]: id };
		const parameters = name === 'accountId' ? { ...ids, options: { accountId: id } } : ids;
		const { error } = await runWith(resource, 'delete', parameters, { body: {} });
		expect(error?.message).toBe(`The ID "${id}" cannot be used`);
		expect(pbx.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
	});
});
