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
async function runWith(operation: string, parameters: object, answer: ScriptedAnswer) {
	pbx = await startScriptedPbx(({ path }) => (path.endsWith('/user_auth') ? undefined : answer));
	return await operate(await credentialOf(pbx), operation, parameters as INodeParameters);
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
		const { error } = await runWith('webhook:delete', { webhookId: 'w1' }, { body });
		expect(error?.message).toBe(
			"Webhook w1 couldn't be deleted: the PBX couldn't process the request",
		);
		expect(error?.description).toContain('The PBX says: "invalid_credentials".');
	});
});

describe('retries', () => {
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
	const id = { callflowId: 'cf1' };
	it.each<[string, object, number, string]>([
		['callflow:get', id, 404, "Callflow cf1 wasn't found"],
		['callflow:get', id, 415, "Callflow cf1 couldn't be read: the PBX doesn't accept JSON here"],
		['callflow:get', id, 418, "Callflow cf1 couldn't be read: the PBX rejected the request"],
		[
			'callflow:delete',
			id,
			403,
			"Callflow cf1 couldn't be deleted: the PBX doesn't allow this user to do that",
		],
		[
			'cdr:getMany',
			{ returnAll: true },
			404,
			"Call records couldn't be read: the PBX has nothing at this address",
		],
	])('say what failed, and below what the PBX says: %s %j %d', async (...given) => {
		const [operation, parameters, status, headline] = given;
		const body = { message: 'bad identifier', request_id: 'req-2' };
		const { error } = await runWith(operation, parameters, { status, body });
		expect(error?.message).toBe(headline);
		expect(error?.description).toContain('The PBX says: "bad identifier".');
		expect(error?.description).toContain(`status ${status}, request ID req-2`);
	});

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
