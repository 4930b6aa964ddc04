import type { NodeApiError } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import { useClock } from '../support/clock';
import { runNode, storeCredential, testCredential } from '../support/core';
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
	/** What a login gets that is refused. */
	lock: ScriptedAnswer | undefined;
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
		if (this.lock) return this.lock;
		if (this.isSingle) this.valid.clear();
		const token = `session-${++this.tokens}`;
		this.valid.add(token);
		return loginAnswer(token);
	}
}

let pbx: TokenPbx;
const clock = useClock();
const MINUTE = 60_000;
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
		clock.pass(MINUTE);
		pbx.valid.clear();
		pbx.logins = 0;
	});

	it('in the middle of 60 reads costs one login', async () => {
		await read(credential);
		const before = pbx.served;
		pbx.answer = () => {
			if (pbx.served === before + 30) {
				clock.pass(MINUTE);
				pbx.valid.clear();
			}
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
	it('is asked for a new one once a minute at most, and is told so', async () => {
		pbx.answer = () => REFUSED;
		const credential = await stored();
		for (const logins of [2, 3, 4]) {
			const { error } = await read(credential, 3);
			expect(error?.message).toMatch(
				/^Callflows couldn't be read: the PBX doesn't allow this user/,
			);
			expect(error?.description).toContain('one session per user');
			expect(pbx.logins).toBe(logins);
			clock.pass(MINUTE);
		}
	});

	it('with another status than 401 is believed, without a new login', async () => {
		pbx.answer = () => ({ status: 403, body: { message: 'no rights' } });
		const { error } = await read(await stored(), 20);
		expect(error?.description).toContain('The PBX says: "no rights".');
		expect(pbx.logins).toBe(1);
	});
});

/** How many logins the PBX sees while n8n polls every minute for an hour. */
async function loginsOfAnHour(poll: () => Promise<unknown>): Promise<number[]> {
	const counts: number[] = [];
	for (let minute = 0; minute < 60; minute++, clock.pass(60_000)) {
		pbx.logins = 0;
		await poll();
		counts.push(pbx.logins);
	}
	return counts;
}

describe('logins that do not help', () => {
	const recordings = {
		resource: 'recording',
		operation: 'download',
		source: 'url',
	};
	/** Lists call records, which works, then downloads recordings, which does not. */
	const poll = (credential: StoredCredential) => async () => {
		expect((await read(credential)).error).toBeUndefined();
		const { error } = await read(credential, 8, {
			...recordings,
			recordingUrl: `=${pbx.server.url}/recorded/{{ $json.index }}.mp3`,
		});
		expect(error?.message).toContain("the PBX doesn't allow this user to do that");
	};
	beforeEach(() => {
		pbx.answer = ({ path }) =>
			path.includes('/recorded/') ? REFUSED : { body: { data: [{ id: 'a' }] } };
	});

	it('are one a minute at most, however many recordings answer 401', async () => {
		pbx.loginMs = 0;
		const [first, ...later] = await loginsOfAnHour(poll(await stored()));
		expect(first).toBe(2);
		expect(Math.max(...later)).toBe(1);
	});

	it('end when the PBX lets the user do it', async () => {
		const credential = await stored();
		await poll(credential)();
		pbx.answer = ({ path }) =>
			path.includes('/recorded/')
				? { body: 'audio', headers: { 'content-type': 'audio/mpeg' } }
				: { body: { data: [] } };
		clock.pass(MINUTE);
		pbx.valid.clear();
		expect((await read(credential)).error).toBeUndefined();
		const file = { ...recordings, recordingUrl: `${pbx.server.url}/recorded/1.mp3` };
		expect((await read(credential, 1, file)).error).toBeUndefined();
	});
});

describe('a login that the PBX refuses', () => {
	it.each([
		['401', { status: 401, body: { message: 'Incorrect password' } }],
		['403', { status: 403, body: { message: 'User is locked' } }],
		['200 with an error', { status: 200, body: { error_code: '5', error_message: 'locked' } }],
	])('is tried again ever later by operations, and says when: %s', async (_, refusal) => {
		pbx.loginMs = 0;
		pbx.lock = refusal;
		const credential = await stored();
		const words: string[] = [];
		const counts = await loginsOfAnHour(async () => {
			const { error } = await read(credential, 3);
			words.push(`${error?.message} ${error?.description}`);
		});
		expect(counts.flatMap((count, minute) => (count === 0 ? [] : [minute]))).toEqual([
			0, 1, 3, 7, 15, 31,
		]);
		expect(Math.max(...counts)).toBe(1);
		expect(words[0]).toContain('n8n tries again in a minute');
		expect(words[8]).toContain('n8n tries again in 7 minutes');
		for (const one of words) expect(one).toContain("'Login', 'Password', and 'Realm'");
		for (const one of words) expect(one).not.toContain('secret-word');
	});

	it('is tried at once when the credential has changed', async () => {
		pbx.lock = REFUSED;
		const credential = await stored();
		await read(credential);
		pbx.lock = undefined;
		expect((await read(credential)).error?.description).toContain('n8n tries again');
		credential.write({ password: 'another-word' });
		expect((await read(credential)).error).toBeUndefined();
	});

	it('is tried at once when a person tests the credential, and then works for all', async () => {
		pbx.lock = REFUSED;
		const credential = await stored();
		await read(credential);
		for (const logins of [2, 3]) {
			expect((await testCredential(credential)).status).toBe('Error');
			expect(pbx.logins).toBe(logins);
		}
		pbx.lock = undefined;
		expect((await testCredential(credential)).status).toBe('OK');
		expect((await read(credential)).error).toBeUndefined();
	});

	it('says nothing of a PBX that is down: the next request tries again', async () => {
		pbx.lock = { status: 503, body: {} };
		const credential = await stored();
		await read(credential);
		pbx.lock = undefined;
		expect((await read(credential)).error).toBeUndefined();
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
});
