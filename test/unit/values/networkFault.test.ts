import { networkFault } from '../../../nodes/VirtualPbx/values/networkFault';

describe('a network fault', () => {
	it.each([
		['ENOTFOUND', 'the host name pbx.example is not known', true],
		['ECONNREFUSED', 'pbx.example refuses the connection', true],
		['EHOSTUNREACH', 'there is no route to pbx.example', true],
		['CERT_HAS_EXPIRED', 'no secure connection to pbx.example', true],
		['ETIMEDOUT', 'pbx.example did not answer in time', false],
		['ECONNRESET', 'pbx.example dropped the connection', false],
		['ESOMETHING', 'the connection to pbx.example failed', false],
	])('%s is told as "%s", wherever the code stands', (code, text, notSent) => {
		const plain = Object.assign(new Error('failed'), { code });
		for (const error of [plain, new Error('outer', { cause: plain }), { messages: [code] }])
			expect(networkFault(error, 'pbx.example')).toMatchObject({
				text: expect.stringContaining(text),
				notSent,
			});
	});
});
