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
	it.each<[string, ScriptedAnswer]>([
		['null', { body: { data: null } }],
		['an empty object', { body: {} }],
		['one document', { body: { data: { id: 'a', numbers: ['1'], patterns: [] } } }],
		['nothing', { raw: (response) => void response.writeHead(200).end() }],
	])('never takes %s for an empty list', async (_, answer) => {
		const { items, error, sent } = await listWith(answer);
		expect(items).toEqual([]);
		expect(error?.message).toBe("The PBX's response has no list");
		expect(error?.description).toContain('Run again');
		expect(sent).toBe(1);
	});

	it.each(['error', 'Failed', 'timeout'])('takes the status "%s" at its word', async (status) => {
		const { error, sent } = await listWith({ body: { status, message: 'db down', data: [] } });
		expect(error?.message).toBe("Callflows couldn't be read: the PBX couldn't process the request");
		expect(error?.description).toContain('The PBX says: "db down".');
		expect(sent).toBe(1);
		await pbx.close();
		const { error: silent } = await listWith({ body: { status, data: [{ id: 'a' }] } });
		expect(silent?.description).toContain(`The PBX says: "status "${status}""`);
	});

	it('takes an error message without data at its word when it writes', async () => {
		const body = { error_message: 'invalid_credentials' };
		const { error } = await runWith('webhook', 'delete', { webhookId: 'w1' }, { body });
		expect(error?.message).toBe(
			"Webhook w1 couldn't be deleted: the PBX couldn't process the request",
		);
		expect(error?.description).toContain('The PBX says: "invalid_credentials".');
	});

	it('fails where a page comes again although the PBX announces more', async () => {
		const { items, error, sent } = await listWith({
			body: { data: [{ id: 'a' }], next_start_key: 'k' },
		});
		expect({ items, sent }).toEqual({ items: [], sent: 2 });
		expect(error?.message).toBe('The PBX sent only part of the list');
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
	it('waits as long as Retry-After says', async () => {
		const start = Date.now();
		await listWith({ status: 429, body: {}, headers: { 'retry-after': '1' } }, good);
		expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
	});

	it('gives up at once when Retry-After is far away', async () => {
		const far = { status: 429, body: {}, headers: { 'retry-after': '3600' } };
		const { error, sent } = await listWith(far);
		expect({ sent, code: error?.httpCode }).toEqual({ sent: 1, code: '429' });
	});

	it.each([400, 404, 415, 500])('never sends again after %d', async (status) => {
		const { error, sent } = await listWith({ status, body: { message: 'own words' } }, good);
		expect(sent).toBe(1);
		expect(error?.httpCode).toBe(String(status));
		expect(error?.message).toMatch(/^Callflows couldn't be read: /);
		expect(error?.description).toContain('The PBX says: "own words".');
	});
});

describe('errors', () => {
	it.each<[string, string, object, number, string]>([
		['callflow', 'get', { callflowId: 'cf1' }, 404, "Callflow cf1 wasn't found"],
		['webhook', 'delete', { webhookId: 'w1' }, 404, "Webhook w1 wasn't found"],
		['cdr', 'getMany', { returnAll: true }, 404, 'the PBX has nothing at this address'],
		[
			'callflow',
			'delete',
			{ callflowId: 'cf1' },
			403,
			"Callflow cf1 couldn't be deleted: the PBX doesn't allow this user to do that",
		],
		[
			'cdr',
			'getMany',
			{ returnAll: true },
			403,
			"Call records couldn't be read: the PBX doesn't allow",
		],
		[
			'callflow',
			'get',
			{ callflowId: 'cf1' },
			415,
			"couldn't be read: the PBX doesn't accept JSON",
		],
		[
			'callflow',
			'get',
			{ callflowId: 'cf1' },
			418,
			"couldn't be read: the PBX rejected the request",
		],
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
		expect(error?.message).toContain("isn't from a PBX");
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
