import type { NodeApiError } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import { runNode, storeCredential } from '../support/core';
import type { StoredCredential } from '../support/core';
import { loginAnswer, startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx, SeenRequest } from '../support/scriptedPbx';

const REFUSED: ScriptedAnswer = { status: 401, body: { message: 'invalid_credentials' } };

/** A PBX with logins of its own. */
class TokenPbx {
	server!: ScriptedPbx;
	valid = new Set<string>();
	logins = 0;
	served = 0;
	/** One session per user: a login ends the earlier one. */
	isSingle = false;
	refusal: ScriptedAnswer | (() => ScriptedAnswer) = REFUSED;
	answer: (request: SeenRequest) => ScriptedAnswer = () => ({ body: { data: [{ id: 'a' }] } });

	async start(): Promise<this> {
		this.server = await startScriptedPbx((request) => {
			if (request.path.endsWith('/user_auth')) return { ...this.logIn(), delayMs: 30 };
			const isValid = this.valid.has(String(request.headers['x-auth-token']));
			if (isValid) this.served++;
			if (isValid) return this.answer(request);
			return typeof this.refusal === 'function' ? this.refusal() : this.refusal;
		});
		return this;
	}

	private logIn(): ScriptedAnswer {
		if (this.isSingle) this.valid.clear();
		const token = `session-${++this.logins}`;
		this.valid.add(token);
		return loginAnswer(token);
	}
}

let pbx: TokenPbx;
beforeEach(async () => {
	forgetLogins();
	pbx = await new TokenPbx().start();
});
afterEach(async () => await pbx.server.close());

const stored = async () =>
	await storeCredential({
		baseUrl: pbx.server.url,
		login: 'demo',
		password: 'secret-word',
		realm: 'r',
	});

async function read(credential: StoredCredential, count = 1, operation: object = {}) {
	const items = Array.from({ length: count }, (_, index) => ({ index }));
	const parameters = { resource: 'callflow', operation: 'get', callflowId: 'cf1', ...operation };
	pbx.answer = answerOf(pbx.answer);
	const run = await runNode({ type: 'virtualPbx', parameters, credential, items });
	return { ...run, error: run.error as NodeApiError | undefined };
}

/** Single documents instead of lists, unless the test has its own answer. */
function answerOf(own: TokenPbx['answer']): TokenPbx['answer'] {
	return (request) => {
		const answer = own(request);
		return request.path.endsWith('/cf1') && answer.status === undefined
			? { ...answer, body: { data: { id: 'cf1', numbers: ['1'], flow: {} } } }
			: answer;
	};
}

describe.each([false, true])('a token that has run out (one session per user: %s)', (isSingle) => {
	beforeEach(() => (pbx.isSingle = isSingle));

	it.each([60, 200])(
		'costs one login for %d reads whose refusals come 40 ms apart',
		async (count) => {
			const credential = await stored();
			await read(credential);
			pbx.valid.clear();
			let turn = 0;
			pbx.refusal = () => ({ ...REFUSED, delayMs: 40 * (turn++ % 20) });
			const { error, items } = await read(credential, count);

			expect(error).toBeUndefined();
			expect(items).toHaveLength(count);
			expect(pbx.logins).toBe(2);
		},
	);

	it('in the middle of 200 reads costs one login', async () => {
		const credential = await stored();
		await read(credential);
		const before = pbx.served;
		pbx.answer = () => {
			if (pbx.served === before + 100) pbx.valid.clear();
			return { body: { data: [] }, delayMs: Math.random() * 40 };
		};
		let turn = 0;
		pbx.refusal = () => ({ ...REFUSED, delayMs: 40 * (turn++ % 20) });
		const { error, items } = await read(credential, 200);

		expect(error).toBeUndefined();
		expect(items).toHaveLength(200);
		expect(pbx.logins).toBe(2);
	});

	it('is renewed for good: the next execution, also of another process, logs in no more', async () => {
		const credential = await stored();
		await read(credential);
		pbx.valid.clear();
		await read(credential, 20);
		await read(credential, 20);
		forgetLogins();
		expect((await read(credential, 20)).error).toBeUndefined();
		expect(pbx.logins).toBe(2);
	});

	it('is not renewed where another process has stored a newer one', async () => {
		const credential = await stored();
		await read(credential);
		const old = credential.read();
		forgetLogins();
		pbx.valid.clear();
		await read(credential);
		const newer = credential.read();
		forgetLogins();
		credential.write(old);
		let isFirst = true;
		pbx.refusal = () => {
			if (isFirst) credential.write(newer);
			isFirst = false;
			return REFUSED;
		};
		expect((await read(credential, 20)).error).toBeUndefined();
		expect(pbx.logins).toBe(2);
	});

	it('is renewed for two executions at once by one login', async () => {
		const credential = await stored();
		await read(credential);
		pbx.valid.clear();
		const runs = await Promise.all([read(credential, 30), read(credential, 30)]);
		expect(runs.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(pbx.logins).toBe(2);
	});
});

describe('a PBX that refuses every token', () => {
	it('is told so, without an endless loop', async () => {
		pbx.answer = () => REFUSED;
		const { error } = await read(await stored());
		expect(error?.message).toBe('The PBX does not let this user read callflow cf1');
		expect(error?.description).toContain('one session per user');
		expect(pbx.logins).toBe(2);
	});

	it('because somebody else logs in all the time, costs no endless loop', async () => {
		pbx.refusal = () => REFUSED;
		pbx.answer = () => {
			pbx.valid.clear();
			return REFUSED;
		};
		const { error } = await read(await stored(), 20);
		expect(error?.httpCode).toBe('401');
		expect(pbx.server.requests.length).toBeLessThan(140);
	});
});

describe('a token that the PBX reports as ended in another way', () => {
	const ways: Array<[string, ScriptedAnswer]> = [
		['403', { status: 403, body: { message: 'forbidden' } }],
		['400 and error_message', { status: 400, body: { error_message: 'invalid_credentials' } }],
		['404 and message', { status: 404, body: { message: 'token expired' } }],
		[
			'200 and an error',
			{ status: 200, body: { status: 'error', error: '401', message: 'invalid_credentials' } },
		],
		['200 and error_message', { body: { status: 'error', error_message: 'Session has expired' } }],
	];
	it.each(ways)('is renewed once: %s', async (_, refusal) => {
		const credential = await stored();
		await read(credential);
		pbx.valid.clear();
		pbx.refusal = refusal;
		const { error, items } = await read(credential, 40);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(40);
		expect(pbx.logins).toBe(2);
	});

	it.each(ways)('is renewed also for a list: %s', async (_, refusal) => {
		const credential = await stored();
		await read(credential);
		pbx.valid.clear();
		pbx.refusal = refusal;
		const { error } = await read(credential, 1, { operation: 'getMany', returnAll: true });
		expect(error).toBeUndefined();
		expect(pbx.logins).toBe(2);
	});

	it('is not renewed again and again where the user may not do it', async () => {
		const credential = await stored();
		pbx.answer = ({ path }) =>
			path.endsWith('/cf1')
				? { status: 403, body: { message: 'no rights' } }
				: { body: { data: [] } };
		await read(credential, 1, { operation: 'getMany', returnAll: true });
		for (let run = 0; run < 5; run++) {
			const { error } = await read(credential, 20);
			expect(error?.message).toBe('The PBX does not let this user read callflow cf1');
			expect(error?.description).toContain('The PBX says: "no rights".');
		}
		expect(pbx.logins).toBe(2);
	});
});

describe('words of the PBX that repeat secrets', () => {
	const everything = (value: unknown) =>
		JSON.stringify(value, (_, one: unknown) =>
			one instanceof Error
				? Object.fromEntries(
						Object.getOwnPropertyNames(one).map((name) => [name, one[name as never]]),
					)
				: one,
		);

	it.each([400, 401, 403, 404, 500])('are blanked: %d', async (status) => {
		const words = (token: string) =>
			`no ${token} for secret-word, nor ${encodeURIComponent('secret-word')}`;
		pbx.answer = ({ headers }) => {
			const token = String(headers['x-auth-token']);
			const body = {
				message: words(token),
				auth_token: token,
				data: { name: { x: { message: words(token) } } },
				request_id: token,
			};
			return { status, body };
		};
		const { error } = await read(await stored());
		expect(everything(error)).not.toMatch(/session-\d|secret-word/);
		expect(`${error?.message} ${error?.description}`).toContain('no *** for ***');
	});

	it('are blanked where the words are cut short', async () => {
		pbx.answer = ({ headers }) => ({
			status: 400,
			body: { message: `${'x'.repeat(292)} ${String(headers['x-auth-token'])}` },
		});
		const { error } = await read(await stored());
		expect(error?.description).toContain('***');
		expect(everything(error)).not.toContain('sess');
	});

	it('are blanked in a log of deliveries', async () => {
		pbx.answer = ({ headers }) => ({
			body: { data: [{ reason: `sent ${String(headers['x-auth-token'])}` }] },
		});
		const log = { resource: 'webhook', operation: 'getAttempts', returnAll: true };
		expect((await read(await stored(), 1, log)).items).toEqual([{ reason: 'sent ***' }]);
	});
});
