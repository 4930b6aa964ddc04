import { meaningOf, networkFault } from '../../../nodes/VirtualPbx/values/errorTable';

describe('a network fault', () => {
	it.each([
		['ENOTFOUND', 'the host name pbx.example is not known', true],
		['ECONNREFUSED', 'pbx.example refuses the connection', true],
		['EHOSTUNREACH', 'there is no route to pbx.example', true],
		['CERT_HAS_EXPIRED', 'no secure connection to pbx.example', true],
		['ETIMEDOUT', 'pbx.example did not answer in time', false],
		['ECONNRESET', 'pbx.example dropped the connection', false],
		['Domain not allowed', 'the credential is not allowed to be used for pbx.example', true],
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

describe('a status', () => {
	it.each([200, 302, 400, 401, 403, 404, 415, 418, 429, 500, 502, 503, 504, 599])(
		'has a meaning, and says what to do: %d',
		(status) => {
			const { reason, hint } = meaningOf(status);
			expect(reason).toMatch(/^(?:the PBX|someone else) /);
			expect(hint).toMatch(/^[A-Z].*\.$/);
		},
	);
});
