import { networkFault } from '../../../../nodes/VirtualPbx/pbx/errors/meanings';

describe('a network fault', () => {
	it.each([
		['ENOTFOUND', "the host name pbx.example doesn't exist", true],
		['ECONNREFUSED', 'pbx.example refuses the connection', true],
		['EHOSTUNREACH', 'there is no route to pbx.example', true],
		['CERT_HAS_EXPIRED', 'no secure connection to pbx.example', true],
		['ETIMEDOUT', "pbx.example didn't respond in time", false],
		['ECONNRESET', 'pbx.example dropped the connection', false],
		['Domain not allowed', "the credential isn't allowed for pbx.example", true],
		['ESOMETHING', 'the connection to pbx.example failed', false],
	])('%s is told as "%s", wherever the code stands', (code, text, notSent) => {
		const plain = Object.assign(new Error('failed'), { code });
		for (const error of [plain, new Error('outer', { cause: plain }), { messages: [code] }])
			expect(networkFault(error, 'pbx.example')).toMatchObject({
				reason: expect.stringContaining(text),
				notSent,
			});
	});
});

describe("what n8n's SSRF protection blocks", () => {
	const blocked = (name: string, message: string, fields: object = {}) =>
		Object.assign(new Error(message), { name, ...fields });

	it.each([
		[
			'an address that n8n does not name',
			blocked('Error', 'The request was blocked because it resolves to a restricted IP address'),
			'pbx.lan',
			['blocks the private address of pbx.lan', 'add pbx.lan to N8N_SSRF_ALLOWED_HOSTNAMES, and'],
		],
		[
			'a name',
			blocked('SsrfBlockedHostnameError', 'the destination hostname is restricted'),
			'pbx.lan',
			['blocks the host name pbx.lan', 'N8N_SSRF_BLOCKED_HOSTNAMES'],
		],
	])('says what to set: %s', (_, error, host, [reason, hint]) => {
		for (const thrown of [error, new Error('outer', { cause: error })]) {
			const fault = networkFault(thrown, host);
			expect(fault).toMatchObject({ isBlocked: true, notSent: true });
			expect(fault.reason).toContain(reason);
			expect(fault.hint).toContain(hint);
		}
	});
});
