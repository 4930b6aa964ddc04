import {
	authenticateRequest,
	readCredential,
	sealToken,
	callSettingsOf,
	mayReceiveToken,
} from '../../../nodes/VirtualPbx/pbx/credential';

const login = { login: 'demo', password: 'secret-word', realm: 'r', ignoreSslIssues: true };
const data = { baseUrl: 'https://pbx.example.com', ...login, accountId: 'acc', webhookSecret: 'x' };
const signed = { ...data, authToken: sealToken('token-1', readCredential(data)) };

describe('the token on a request (§5.3)', () => {
	it.each(['url', 'uri'] as const)('goes to the Base URL, its account filled in: %s', (field) => {
		const request = { [field]: '/v1/{platform}/accounts/%7Baccount_id%7D/callflows' };

		expect(authenticateRequest(signed, request as never)).toMatchObject({
			[field]: 'https://pbx.example.com/v1/pbx/accounts/acc/callflows',
			headers: { 'X-Auth-Token': 'token-1' },
			disableFollowRedirect: true,
			skipSslCertificateValidation: true,
		});
	});

	it.each(['https://evil.example/a', 'https://pbx.example.com@evil.example/a', 'https://'])(
		'goes nowhere else: %s',
		(url) => {
			const send = () => authenticateRequest(signed, { url });

			expect(send).toThrow("The PBX token isn't sent to");
			expect(send).not.toThrow(/token-1|secret-word/);
		},
	);

	it('asks n8n for a new login when it was made with other login data', () => {
		expect(() => authenticateRequest({ ...signed, password: 'new' }, { url: '/a' })).toThrow(
			expect.objectContaining({ response: { status: 401 } }),
		);
	});
});

const DATA = { ...data, realm: 'Company.pbx.example.com' };

describe('what a credential says about calls', () => {
	it.each([
		[undefined, [1, 6]],
		['', [1, 6]],
		['3', [3, 3]],
		[' 3-4 ', [3, 4]],
		['2 – 5', [2, 5]],
		[4, [4, 4]],
	])('reads the Extension Length %j as %j digits', (extensions, digits) => {
		expect(readCredential({ ...DATA, extensions }).calls.extensionDigits).toEqual(digits);
	});

	it.each(['0', '4-3', '10', '3,4', 'three', '100-199'])(
		'refuses %j as an Extension Length by name, and uses the default for events',
		(extensions) => {
			const data = { ...DATA, extensions };
			expect(() => readCredential(data)).toThrow(
				/^'Extension Length' in the Virtual PBX credential/,
			);
			expect(callSettingsOf(data).extensionDigits).toEqual([1, 6]);
		},
	);

	it('reads Reported Parts of Calls, and the realm without regard to case', () => {
		expect(callSettingsOf(DATA)).toMatchObject({
			realm: 'company.pbx.example.com',
			hasOnlyPhoneLegs: false,
		});
		expect(callSettingsOf({ ...DATA, reportedLegs: 'phones' }).hasOnlyPhoneLegs).toBe(true);
		expect(callSettingsOf({}).realm).toBe('');
	});
});

describe('the token of an account', () => {
	const base = 'https://pbx.example.com';
	const hosts = 'records.example.com, https://s3.example.com:9000 [::1]:8080';
	const mayGo = (baseUrl: string, recordingHosts: string, address: string) =>
		mayReceiveToken(address, readCredential({ ...data, baseUrl, recordingHosts }));

	it.each<[baseUrl: string, recordingHosts: string, addresses: string[]]>([
		[
			base,
			'',
			[`${base}/v1`, 'https://PBX.example.com/v1', `${base}:443/`, 'https://u:p@pbx.example.com/x'],
		],
		[base, hosts, ['https://records.example.com/a.wav', 'https://s3.example.com:9000/a.wav']],
		[base, hosts, ['https://[0:0:0:0:0:0:0:1]:8080/a.wav']],
		['http://127.0.0.1:8090', '127.0.0.1:9001', ['http://127.0.0.1:9001/a.wav']],
	])(
		"may go to the Base URL's own origin and listed hosts: %s, %s",
		(baseUrl, listed, addresses) => {
			expect(addresses.filter((one) => !mayGo(baseUrl, listed, one))).toEqual([]);
		},
	);

	it.each([
		...['http://pbx.example.com/v1/x', `${base}:8443/x`, `${base}@evil.example/x`],
		...[
			'https://evil.example\\@pbx.example.com',
			'https://рbx.example.com/',
			'//pbx.example.com/x',
		],
		...['file:///etc/passwd', 'http://records.example.com/a.wav'],
		...['https://records.example.com:444/a.wav', 'https://a.records.example.com/a.wav'],
	])('may not go to %s', (address) => {
		expect(mayGo(base, hosts, address)).toBe(false);
	});
});
