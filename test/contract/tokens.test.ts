import type { NodeApiError } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/auth/login';
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
	private tokens = 0;
	served = 0;
	/** One session per user: a login ends the earlier one. */
	isSingle = false;
	/** The password is wrong. */
	isLocked = false;
	loginMs = 30;
	refusal: ScriptedAnswer | (() => ScriptedAnswer) = REFUSED;
	answer: (request: SeenRequest) => ScriptedAnswer = () => ({ body: { data: [{ id: 'a' }] } });

	async start(): Promise<this> {
		this.server = await startScriptedPbx((request) => {
			if (request.path.endsWith('/user_auth')) return { ...this.logIn(), delayMs: this.loginMs };
			const isValid = this.valid.has(String(request.headers['x-auth-token']));
			if (isValid) this.served++;
			if (isValid) return this.answer(request);
			return typeof this.refusal === 'function' ? this.refusal() : this.refusal;
		});
		return this;
	}

	private logIn(): ScriptedAnswer {
		this.logins++;
		if (this.isLocked) return { status: 401, body: { message: 'Incorrect password' } };
		if (this.isSingle) this.valid.clear();
		const token = `session-${++this.tokens}`;
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

const login = { login: 'demo', password: 'secret-word', realm: 'r' };
const stored = async () => await storeCredential({ baseUrl: pbx.server.url, ...login });

async function read(credential: StoredCredential, count = 1, operation: object = {}) {
	const items = Array.from({ length: count }, (_, index) => ({ index }));
	const parameters = { resource: 'callflow', operation: 'getMany', ...operation };
	const run = await runNode({ type: 'virtualPbx', parameters, credential, items });
	return { ...run, error: run.error as NodeApiError | undefined };
}

describe.each([false, true])('a token that has run out (one session per user: %s)', (isSingle) => {
	let credential: StoredCredential;
	beforeEach(async () => {
		pbx.isSingle = isSingle;
		credential = await stored();
		await read(credential);
		pbx.valid.clear();
		pbx.logins = 0;
	});

	it('in the middle of 60 reads costs one login', async () => {
		await read(credential);
		const before = pbx.served;
		pbx.answer = () => {
			if (pbx.served === before + 30) pbx.valid.clear();
			return { body: { data: [{ id: 'a' }] }, delayMs: Math.random() * 40 };
		};
		const { error, items: given } = await read(credential, 60);

		expect(error).toBeUndefined();
		expect(given).toHaveLength(60);
		expect(pbx.logins).toBe(2);
	});

	it('is renewed for good: the next execution, also of another process, logs in no more', async () => {
		await read(credential, 20);
		await read(credential, 20);
		forgetLogins();
		expect((await read(credential, 20)).error).toBeUndefined();
		expect(pbx.logins).toBe(1);
	});

	it('is not renewed where another process has stored a newer one meanwhile', async () => {
		const old = credential.read();
		await read(credential);
		const newer = credential.read();
		forgetLogins();
		credential.write(old);
		pbx.refusal = () => {
			credential.write(newer);
			return REFUSED;
		};
		expect((await read(credential, 20)).error).toBeUndefined();
		expect(pbx.logins).toBe(1);
	});
});

describe('a PBX that refuses every token', () => {
	it('is told so after one new login', async () => {
		pbx.answer = () => REFUSED;
		const { error } = await read(await stored());
		expect(error?.message).toMatch(/^Callflows could not be read: the PBX does not let this user/);
		expect(error?.description).toContain('one session per user');
		expect(pbx.logins).toBe(2);
	});

	it('with another status than 401 is believed, without a new login', async () => {
		pbx.answer = () => ({ status: 403, body: { message: 'no rights' } });
		const { error } = await read(await stored(), 20);
		expect(error?.description).toContain('The PBX says: "no rights".');
		expect(pbx.logins).toBe(1);
	});
});

describe('an edit of the credential', () => {
	it.each(['login', 'password', 'realm', 'platform'])(
		'of the %s makes a new login, and the old token is never sent again',
		async (field) => {
			const credential = await stored();
			await read(credential);
			credential.write({ [field]: 'other' });
			expect((await read(credential)).error).toBeUndefined();
			const sent = pbx.server
				.seen('GET', '/callflows')
				.map(({ headers }) => headers['x-auth-token']);
			expect(sent).toEqual(['session-1', 'session-2']);
		},
	);
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

	it('are blanked in a log of deliveries', async () => {
		pbx.answer = ({ headers }) => ({
			body: { data: [{ reason: `sent ${String(headers['x-auth-token'])}` }] },
		});
		const log = { resource: 'webhook', operation: 'getAttempts', returnAll: true };
		expect((await read(await stored(), 1, log)).items).toEqual([{ reason: 'sent ***' }]);
	});

	it('are masked in a log of deliveries as a real Kazoo keeps it, in any encoding', async () => {
		const secret = `0123456789abcdef.01234567.${'5ec2e7'.repeat(11).slice(0, 64)}`;
		const basic = Buffer.from('demo:secret-word').toString('base64');
		const entry = {
			req_headers: { 'x-hook-id': 'e9935b05f989912c4f45c94067ef6ed6', authorization: basic },
			req_body: [
				['call_id', '=', '5d1f4d01-in%4010.20.0.5'],
				'&',
				['n8n_webhook_secret', '=', secret],
			],
			resp_body: `<p>no ${basic}, no ${encodeURIComponent('"secret-word"')}</p>`,
		};
		pbx.answer = () => ({ body: { data: [entry] } });
		const log = { resource: 'webhook', operation: 'getAttempts', returnAll: true };
		expect((await read(await stored(), 1, log)).items).toEqual([
			{
				req_headers: { ...entry.req_headers, authorization: '***' },
				req_body: [entry.req_body[0], '&', ['n8n_webhook_secret', '=', '***']],
				resp_body: '<p>no ***, no %22***%22</p>',
			},
		]);
	});
});
