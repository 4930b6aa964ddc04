import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import { useClock } from '../support/clock';
import { storeCredential, testCredential } from '../support/core';
import type { StoredCredential } from '../support/core';
import { operate } from '../support/operate';
import { loginAnswer, startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx, SeenRequest } from '../support/scriptedPbx';

const REFUSED: ScriptedAnswer = { status: 401, body: { message: 'invalid_credentials' } };
const MINUTE = 60_000;
const LIST = { body: { data: [{ id: 'a' }] } };

/** A PBX with logins of its own: the tokens that are valid, how many logins and requests it served, and its answers. */
const start = () => ({
	valid: new Set<string>(),
	tokens: 0,
	logins: 0,
	served: 0,
	/** One session per user: a login ends the earlier one. */
	isSingle: false,
	loginMs: 30,
	/** What a login gets that is refused. */
	lock: undefined as ScriptedAnswer | undefined,
	refuse: () => REFUSED,
	answer: (_: SeenRequest): ScriptedAnswer => LIST,
});
let pbx: ReturnType<typeof start>;
let server: ScriptedPbx;
const clock = useClock();
beforeEach(async () => {
	forgetLogins();
	pbx = start();
	server = await startScriptedPbx((request) => {
		if (request.path.endsWith('/user_auth')) {
			pbx.logins++;
			if (pbx.lock) return pbx.lock;
			if (pbx.isSingle) pbx.valid.clear();
			const token = `session-${++pbx.tokens}`;
			pbx.valid.add(token);
			return { ...loginAnswer(token), delayMs: pbx.loginMs };
		}
		if (!pbx.valid.has(String(request.headers['x-auth-token']))) return pbx.refuse();
		pbx.served++;
		return pbx.answer(request);
	});
});
afterEach(async () => await server.close());

const stored = async () => {
	const login = { login: 'demo', password: 'secret-word', realm: 'r' };
	return await storeCredential({ baseUrl: server.url, ...login });
};
const read = async (credential: StoredCredential, count = 1) =>
	await operate(credential, 'callflow:getMany', {}, { items: Array<object>(count).fill({}) as [] });
const works = async (credential: StoredCredential, count = 1) =>
	expect((await read(credential, count)).error).toBeUndefined();

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
			return { ...LIST, delayMs: Math.random() * 40 };
		};
		const { error, items } = await read(credential, 60);
		expect([error, items.length, pbx.logins]).toEqual([undefined, 60, 2]);
	});

	it('is renewed for good: the next execution, also of another process, logs in no more', async () => {
		await read(credential, 20);
		await read(credential, 20);
		forgetLogins();
		await works(credential, 20);
		expect(pbx.logins).toBe(1);
	});

	it('is not renewed where another process has stored a newer one meanwhile', async () => {
		const old = credential.read();
		await read(credential);
		const newer = credential.read();
		forgetLogins();
		credential.write(old);
		pbx.refuse = () => {
			credential.write(newer);
			return REFUSED;
		};
		await works(credential, 20);
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
	pbx.loginMs = 0;
	const counts: number[] = [];
	for (let minute = 0; minute < 60; minute++, clock.pass(MINUTE)) {
		pbx.logins = 0;
		await poll();
		counts.push(pbx.logins);
	}
	return counts;
}

it('logins are one a minute at most, however many recordings answer 401, and end when the PBX allows them', async () => {
	let sound = REFUSED;
	pbx.answer = ({ path }) => (path.includes('/recorded/') ? sound : LIST);
	const credential = await stored();
	const download = async () => {
		const recordingUrl = `${server.url}/recorded/1.mp3`;
		const items = Array<object>(8).fill({}) as [];
		const parameters = { source: 'url', recordingUrl };
		return (await operate(credential, 'recording:download', parameters, { items })).error?.message;
	};
	const [first, ...later] = await loginsOfAnHour(async () => {
		await works(credential);
		expect(await download()).toContain("the PBX doesn't allow this user to do that");
	});
	expect([first, Math.max(...later)]).toEqual([2, 1]);
	sound = { body: 'audio', headers: { 'content-type': 'audio/mpeg' } };
	pbx.valid.clear();
	await works(credential);
	expect(await download()).toBeUndefined();
});

describe('a login that the PBX refuses', () => {
	it.each([
		['401', { status: 401, body: { message: 'Incorrect password' } }],
		['403', { status: 403, body: { message: 'User is locked' } }],
		['200 with an error', { status: 200, body: { error_code: '5', error_message: 'locked' } }],
	])('is tried again ever later by operations, and says when: %s', async (_, refusal) => {
		pbx.lock = refusal;
		const credential = await stored();
		const words: string[] = [];
		const counts = await loginsOfAnHour(async () => {
			const { error } = await read(credential, 3);
			words.push(`${error?.message} ${error?.description}`);
		});
		const minutes = counts.flatMap((count, minute) => (count === 0 ? [] : [minute]));
		expect(minutes).toEqual([0, 1, 3, 7, 15, 31]);
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
		await works(credential);
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
		await works(credential);
	});

	it('says nothing of a PBX that is down: the next request tries again', async () => {
		pbx.lock = { status: 503, body: {} };
		const credential = await stored();
		await read(credential);
		pbx.lock = undefined;
		await works(credential);
	});
});

it.each(['login', 'password', 'realm', 'platform'])(
	'an edit of the %s makes a new login, and the old token is never sent again',
	async (field) => {
		const credential = await stored();
		await read(credential);
		credential.write({ [field]: 'other' });
		await works(credential);
		const sent = server.seen('GET', '/callflows').map(({ headers }) => headers['x-auth-token']);
		expect(sent).toEqual(['session-1', 'session-2']);
	},
);
