import { messageIn, saidIn } from '../../../nodes/VirtualPbx/pbx/errors/failures';
import { networkFault } from '../../../nodes/VirtualPbx/pbx/errors/meanings';

describe("the PBX's own words", () => {
	it.each([' ', '\n', '404', ' 12 '])('are none where a field only holds "%s"', (message) => {
		expect(messageIn({ message })).toBeUndefined();
		expect(messageIn({ message, error_message: 'Line is busy' })).toBe('Line is busy');
	});

	it.each([
		[{ message: 'bad_identifier', data: 'no such callflow' }, 'no such callflow'],
		[{ message: 'bad_gateway', data: { message: 'upstream is down' } }, 'upstream is down'],
		[{ message: 'Number taken', data: { message: 'unknown failure' } }, 'Number taken'],
		[{ message: 'forbidden', data: { message: 'unknown failure' } }, 'forbidden'],
		[{ message: 'gone', data: 'Version 1 is not supported.' }, 'Version 1 is not supported.'],
		[{ message: 'gone', data: 'moved' }, 'gone'],
		[{ message: 'bad_identifier', data: {} }, 'bad_identifier'],
		[{ message: 'bad_gateway', data: '<html></html>' }, 'bad_gateway'],
	])('prefer a sentence to a code: %j', (body, words) => {
		expect(messageIn(body)).toBe(words);
	});

	it('are shown raw where nothing is known of their shape', () => {
		expect(saidIn({ fault: 'x', code: 7 })).toBe('{"fault":"x","code":7}');
		expect(saidIn({ errors: [{ detail: 'y'.repeat(400) }] })?.length).toBeLessThan(310);
		expect(saidIn({ data: { numbers: { unique: 'taken' } } })).toBeUndefined();
		for (const empty of [{}, [], '', '<html></html>', null]) expect(saidIn(empty)).toBeUndefined();
	});
});

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

/** What it says of addresses is in test/contract/credential.test.ts. */
it("what n8n's SSRF protection blocks by name says what to set", () => {
	const name = 'SsrfBlockedHostnameError';
	const error = Object.assign(new Error('the destination hostname is restricted'), { name });
	for (const thrown of [error, new Error('outer', { cause: error })])
		expect(networkFault(thrown, 'pbx.lan')).toMatchObject({
			...{ isBlocked: true, notSent: true },
			reason: expect.stringContaining('blocks the host name pbx.lan'),
			hint: expect.stringContaining('N8N_SSRF_BLOCKED_HOSTNAMES'),
		});
});
