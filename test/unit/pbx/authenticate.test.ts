import {
	authenticateRequest,
	readCredential,
	sealToken,
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
