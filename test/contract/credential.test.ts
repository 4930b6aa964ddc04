import type { ServerResponse } from 'node:http';
import { SsrfProtectionService } from '@n8n/backend-network';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';

import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import { TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import { storeCredential, testCredential } from '../support/core';
import type { StoredCredential } from '../support/core';
import { operate } from '../support/operate';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';
import { ACCOUNT_ID, startScriptedPbx } from '../support/scriptedPbx';

let pbx: ScriptedPbx | undefined;

async function given(script?: Script): Promise<ScriptedPbx> {
	forgetLogins();
	pbx = await startScriptedPbx(script);
	return pbx;
}

afterEach(async () => {
	await pbx?.close();
	pbx = undefined;
});

const loginData = (url: string) => ({
	baseUrl: url,
	login: 'demo',
	password: 'secret-word',
	realm: 'demo.example',
});

const onLogin =
	(answer: ReturnType<Script>): Script =>
	({ path }) =>
		path.endsWith('/user_auth') ? answer : undefined;

describe('login (§5)', () => {
	it('sends login, password and realm in data, as JSON, and uses the token and the account', async () => {
		const server = await given();
		const credential = await storeCredential(loginData(server.url));
		const { error } = await operate(credential, 'callflow:getMany');

		expect(error).toBeUndefined();
		const [login, list] = server.requests;
		expect(login).toMatchObject({
			method: 'PUT',
			path: '/v1/pbx/user_auth',
			body: { data: { login: 'demo', password: 'secret-word', realm: 'demo.example' } },
		});
		expect(login?.headers['content-type']).toMatch(/^application\/json/);
		expect(login?.headers).not.toHaveProperty('x-auth-token');
		expect(list).toMatchObject({ method: 'GET', path: `/v1/pbx/accounts/${ACCOUNT_ID}/callflows` });
		expect(list?.headers['x-auth-token']).toBe('token-1');
	});

	it.each(['/', '///', '/v1', '/v1/', '/v1/pbx/'])(
		'accepts a Base URL that ends in %s',
		async (end) => {
			const server = await given();
			const credential = await storeCredential(loginData(server.url + end));
			expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
			expect(server.requests[0]?.path).toBe('/v1/pbx/user_auth');
		},
	);

	it('uses the platform name and a path before /v1', async () => {
		const server = await given();
		const credential = await storeCredential({
			...loginData(`${server.url}/proxy/`),
			platform: 'acme',
		});
		await operate(credential, 'callflow:getMany');
		expect(server.requests.map(({ path }) => path)).toEqual([
			'/proxy/v1/acme/user_auth',
			`/proxy/v1/acme/accounts/${ACCOUNT_ID}/callflows`,
		]);
	});
});

describe('credential test', () => {
	const words = async (script: Script, change: Record<string, unknown> = {}) => {
		const server = await given(script);
		const credential = await storeCredential({ ...loginData(server.url), ...change });
		return { ...(await testCredential(credential)), server };
	};

	it('says success after a login and a real request', async () => {
		const result = await words(() => undefined);
		expect(result).toMatchObject({ status: 'OK' });
		expect(result.server.seen('PUT', '/user_auth')).toHaveLength(1);
		expect(result.server.seen('GET', '/callflows').length).toBeGreaterThan(0);
	});

	const noToken = 'no usable token or account';
	it.each<[string, ScriptedAnswer, string]>([
		['HTML with 200', { body: '<html>Welcome</html>' }, "isn't from a PBX API"],
		['404', { status: 404, body: '<html>nope</html>' }, 'There is no PBX login at'],
		['JSON without a token', { status: 201, body: { data: { account_id: 'x' } } }, noToken],
		['JSON without an account', { status: 201, body: { auth_token: 'x' } }, noToken],
		['503', { status: 503, body: {} }, "the PBX isn't available right now (503)"],
		[
			'a redirect',
			{ status: 307, headers: { location: 'https://other.example/x' } },
			'Base URL redirects to https://other.example',
		],
	])('tells %s', async (_, answer, expected) => {
		const { status, message } = await words(onLogin(answer));
		expect([status, message]).toEqual(['Error', expect.stringContaining(expected)]);
		expect(message).not.toContain('secret-word');
	});

	it('tells a wrong password, with one login only', async () => {
		const body = { message: 'invalid_credentials', status: 'error' };
		const { message, server } = await words(onLogin({ status: 401, body }));
		expect(message).toMatch(/doesn't accept the login, password, or realm.*invalid_credentials/);
		expect(server.requests).toHaveLength(1);
	});

	it('names the fields that the PBX rejects', async () => {
		const data = {
			realm: { required: { message: 'Field is required' } },
			password: { minLength: { message: 'secret-word is too short.' } },
		};
		const body = { data, message: 'invalid data', status: 'error' };
		const { message } = await words(onLogin({ status: 400, body }));
		expect(message).toContain(
			'(400). Realm: Field is required; Password: *** is too short. It says: "invalid data". Check',
		);
	});

	it('tells that a login answered with 415 is a matter of the address', async () => {
		const { message } = await words(onLogin({ status: 415, body: { message: 'no json' } }));
		expect(message).toContain("'Base URL' and 'API Path Segment'");
		expect(message).not.toMatch(/password/i);
	});

	it.each([
		['a closed port', { baseUrl: 'http://127.0.0.1:1' }, '127.0.0.1:1 refuses the connection'],
		['an unknown host', { baseUrl: 'http://pbx.invalid' }, "host name pbx.invalid doesn't exist"],
		['an address without a scheme', { baseUrl: 'pbx.example.com' }, "isn't a web address"],
		['an empty address', { baseUrl: '' }, "'Base URL' is empty"],
		['an empty realm', { realm: ' ' }, "'Realm' is empty"],
		['a password in the address', { baseUrl: 'https://me:pw@pbx.example' }, 'Remove the user name'],
		['an unknown country', { country: 'Atlantis' }, "isn't a known country: Atlantis"],
	])('tells %s', async (_, change, expected) => {
		const { status, message } = await words(() => undefined, change);
		expect([status, message]).toEqual(['Error', expect.stringContaining(expected)]);
	});

	const status = (code: number) => ({ status: code, body: { message: 'own words' } });
	const raw = (response: ServerResponse) =>
		void response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[');
	it.each<[string, ScriptedAnswer, string]>([
		['401', status(401), "the PBX doesn't allow this user to do that (401)"],
		['404', status(404), 'the PBX has nothing at this address (404)'],
		['415', status(415), "the PBX doesn't accept JSON here (415)"],
		['502', { status: 502, body: '<html>Bad Gateway</html>' }, "the PBX isn't responding (502)"],
		['an answer that stalls', { raw }, 'No response from the PBX within the time limit'],
	])(
		'tells that the login works, but not the request after it, and what to do: %s',
		async (_, answer, expected) => {
			TIMEOUTS.login = 600;
			const result = await words(({ path }) => (path.endsWith('/callflows') ? answer : undefined));
			TIMEOUTS.login = 30_000;
			expect(result.status).toBe('Error');
			expect(result.message).toMatch(/^Login succeeded, but the first request was rejected\. /);
			expect(result.message).toContain(expected);
			expect(result.message).toMatch(/ (?:Check|Give|Run|Set|Try)\b/);
		},
	);
});

describe("n8n's SSRF protection", () => {
	const config = Container.get(SsrfProtectionConfig);
	beforeEach(() => void (config.enabled = true));
	afterEach(() => {
		config.enabled = false;
		jest.restoreAllMocks();
	});
	const list = async (credential: StoredCredential) => {
		const { error } = await operate(credential, 'callflow:getMany');
		return `${error?.message} ${error?.description}`;
	};

	it.each([
		['http://10.1.2.3:8000', ['10.1.2.3.', 'add 10.1.2.3/32 to N8N_SSRF_ALLOWED_IP_RANGES, and']],
		['http://[fc00::1]:8000', ['fc00::1.', 'add fc00::1/128 to N8N_SSRF']],
		[
			'http://localhost:8000',
			[
				'of localhost.',
				'N8N_SSRF_ALLOWED_IP_RANGES or localhost to N8N_SSRF_ALLOWED_HOSTNAMES, and to restart n8n',
			],
		],
	])('is named when it blocks the login, in an operation and the test: %s', async (...given) => {
		const [baseUrl, [address, hint]] = given;
		forgetLogins();
		const credential = await storeCredential(loginData(baseUrl));
		const { status, message } = await testCredential(credential);
		expect(status).toBe('Error');
		for (const said of [await list(credential), message]) {
			expect(said).toContain("n8n's SSRF protection blocks the private address");
			expect(said).toContain(address);
			expect(said).toContain(hint);
		}
	});

	it('is named when it blocks a request, which is not sent', async () => {
		config.enabled = false;
		const { url, requests } = await given();
		const credential = await storeCredential(loginData(url));
		await list(credential);
		const sent = requests.length;
		config.enabled = true;

		const said = await list(credential);
		expect(said).toMatch(/^Couldn't reach the PBX: .* blocks the private address 127\.0\.0\.1/);
		expect(said).toContain('127.0.0.1/32 to N8N_SSRF_ALLOWED_IP_RANGES');
		expect([sent, requests.length]).toEqual([2, 2]);
	});

	it('is named where a redirect leads', async () => {
		const { validateIp } = SsrfProtectionService.prototype;
		// The allowed addresses are read once per process.
		jest.spyOn(SsrfProtectionService.prototype, 'validateIp').mockImplementation(function (
			this: SsrfProtectionService,
			ip,
		) {
			return ip === '127.0.0.1' ? { ok: true, result: undefined } : validateIp.call(this, ip);
		});
		const location = 'http://169.254.10.20/a.mp3';
		const { url } = await given(({ path }) =>
			path.endsWith('.mp3') ? { status: 302, headers: { location } } : undefined,
		);
		const parameters = { source: 'url', recordingUrl: `${url}/a.mp3` };
		const credential = await storeCredential(loginData(url));
		const { error } = await operate(credential, 'recording:download', parameters);
		expect(error?.message).toContain('SSRF protection blocks the private address 169.254.10.20');
	});
});
