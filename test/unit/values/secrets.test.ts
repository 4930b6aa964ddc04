import fc from 'fast-check';

import { blankWebhookSecrets, withoutSecrets } from '../../../nodes/VirtualPbx/values/secrets';

const secret = 'f00dfeed';
const body = {
	name: 'CHANNEL_DESTROY',
	args: { 'Call-ID': '1' },
	n8n_webhook_secret: secret,
	tenant: '7',
};

describe('withoutSecrets', () => {
	it.each([
		['an object', { custom_data: { n8n_webhook_secret: secret, tenant: '7' } }],
		[
			'a list of objects',
			{ tries: [{ custom_data: { 'N8N-Webhook-Secret': secret, tenant: '7' } }] },
		],
		['JSON text', { req_body: JSON.stringify(body) }],
		['JSON text that is cut off', { req_body: JSON.stringify(body).slice(0, 90) + ' tenant' }],
		['JSON in JSON text', { req_body: JSON.stringify({ inner: JSON.stringify(body) }) }],
		['a form', { req_body: `tenant=7&custom_data%5Bn8n_webhook_secret%5D=${secret}&a=b` }],
		['an address', { uri: `https://a.example/b?token=${secret}&tenant=7` }],
		['the top level', { password: secret, tenant: 1 }],
	])('masks secrets in %s and leaves the rest', (_, attempt) => {
		const clean = JSON.stringify(withoutSecrets(attempt));

		expect(clean).not.toContain(secret);
		expect(clean).toContain('tenant');
		expect(clean).toContain('***');
	});

	it('leaves what holds no secret as it is', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.stringMatching(/^[a-s]+$/), fc.jsonValue()), (value) => {
				fc.pre(!/secret|passw|token|api|authorization/i.test(JSON.stringify(value)));
				expect(withoutSecrets(value as never)).toEqual(value);
			}),
		);
	});
});

describe('blankWebhookSecrets', () => {
	const mark = '5ec2e7'.repeat(11).slice(0, 64);
	const id = '0123456789abcdef0123456789abcdef';

	it.each([
		['whole', `{"n8n_webhook_secret":"${mark}"} failed`],
		['in capitals', `sent ${mark.toUpperCase()}`],
		['cut off at its beginning', `${mark.slice(-52)} was sent`],
	])('blanks a known secret that is %s', (_, words) => {
		expect(blankWebhookSecrets(words, [mark])).not.toMatch(/5ec2e7/i);
	});

	it('blanks what may be an unknown one, and leaves IDs', () => {
		const words = `webhook ${id}: sent ${mark} to 192.168.100.100`;
		expect(blankWebhookSecrets(words, [])).toBe(`webhook ${id}: sent *** to 192.168.100.100`);
	});
});
