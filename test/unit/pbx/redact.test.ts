import fc from 'fast-check';

import { blankSecrets, withoutSecrets } from '../../../nodes/VirtualPbx/pbx/redact';

const secret = 'f00dfeed';
const NAME = 'n8n_webhook_secret';
const body = { name: 'CHANNEL_DESTROY', args: { 'Call-ID': '1' }, [NAME]: secret, tenant: '7' };
/** How a real Kazoo logs the form that it has sent. */
const kazooForm = (name: unknown[]) => [
	...[['call_id', '=', '5d1f-in%4010.20.0.5'], '&', [...name, '=', secret], '&'],
	['tenant', '=', '7'],
];

describe('a log of the PBX', () => {
	it.each<[string, unknown]>([
		['an object', { custom_data: { [NAME]: secret, tenant: '7' } }],
		['JSON text', { req_body: JSON.stringify(body) }],
		['JSON text without a digit', { b: JSON.stringify({ tenant: 7, token: secret }) }],
		['JSON text with spaces', { req_body: JSON.stringify(body, undefined, 4) }],
		['JSON in JSON text', { req_body: JSON.stringify({ inner: JSON.stringify(body) }) }],
		['a form', { req_body: `tenant=7&custom_data%5Bn8n_webhook_secret%5D=${secret}&a=b` }],
		['an address', { uri: `https://a.example/b?token=${secret}&tenant=7` }],
		['the top level', { password: secret, tenant: 1 }],
		["Kazoo's list of pairs", { req_body: kazooForm([NAME]) }],
		["Kazoo's list of nested pairs", { req_body: kazooForm([['custom_data'], '[', NAME, ']']) }],
		["Kazoo's list as text", { req_body: JSON.stringify(kazooForm([NAME])) }],
		['a name and its value', [{ name: NAME, value: secret }, { tenant: '7' }]],
		['a value as a list', { tenant: 7, authorization: [secret] }],
		['a header', `Tenant: 7\r\nX-Auth-Token: ${secret}\r\nHost: a`],
		['headers', { headers: Object.entries({ tenant: '7', authorization: `Bearer ${secret}` }) }],
	])('is shown without the secrets in %s, and otherwise whole', (_, attempt) => {
		const clean = JSON.stringify(withoutSecrets(attempt, []));
		expect(clean).not.toContain(secret);
		expect(clean).toMatch(/tenant/i);
		expect(clean).toContain('***');
	});

	it.each([
		{ tokens: { consumed: 1, remaining: 98 }, message: 'Incorrect password, token expired' },
		{ message: 'Invalid token: expired yesterday', required: ['login', 'password', 'realm'] },
		{ uri: 'https://n8n.example.com/webhook/7624fa84-474d-41bc-a14a-758eecd6e1e5/webhook' },
		{ hook_id: 'e9935b05f989912c4f45c94067ef6ed6', try: 2, retries_left: 'retries exceeded' },
		{ from: '%22Bob+Buyer%22%20&lt;17185550101@x&gt;', path: 'C:\\new\\table', a: ['&', '='] },
		{ name: 'Token refresher', uri: 'x', event: 'CHANNEL_CREATE', at: 63_962_753_889 },
	])('is shown as it is where something only looks like a secret: %j', (value) => {
		expect(withoutSecrets(value, ['1', 'a', 'e', 'on', 'pass'])).toEqual(value);
	});

	it('is cut off where it is nested too deeply or too long', () => {
		let deep: unknown = secret;
		for (let depth = 0; depth < 20_000; depth++) deep = [deep];
		expect(JSON.stringify(withoutSecrets({ deep }, []))).not.toContain(secret);
		expect(withoutSecrets('x'.repeat(3_000_000), []).length).toBeLessThan(300_000);
	});
});

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const FORMS: Array<[string, (text: string) => string]> = [
	['as it is', (text) => text],
	['in capitals', (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
	['in JSON', json],
	['in JSON twice', (text) => json(json(text))],
	['in an address', encodeURIComponent],
	['in an address twice', (text) => encodeURIComponent(encodeURIComponent(text))],
	['in a form', (text) => new URLSearchParams({ a: text }).toString().slice(2)],
	['in JSON in an address', (text) => encodeURIComponent(json(text))],
	['in base64', (text) => Buffer.from(text).toString('base64')],
];

describe('a known secret', () => {
	it.each(FORMS)('is masked %s', (_, encode) => {
		const secrets = fc.oneof(
			fc.string({ minLength: 6, maxLength: 40 }),
			fc.string({ minLength: 6, maxLength: 40, unit: 'binary' }),
			fc.stringMatching(/^[%&\\+;a-f0-9]{6,12}$/),
		);
		fc.assert(
			fc.property(secrets, (known) => {
				const whole = Buffer.from(known).toString();
				fc.pre(whole.trim().length >= 6);
				const coded = encode(whole);
				for (const place of [`said "${coded}".`, { a: [{ b: `x=${coded}&y=1` }] }]) {
					const clean = JSON.stringify(blankSecrets(place, [whole]));
					expect(clean).not.toContain(json(coded));
					expect(clean).toContain('***');
				}
			}),
			{ numRuns: 60 },
		);
	});

	it.each([
		['1', { try: '1', a: 1, 'a 1': 'error 1' }],
		['a', { a: 'a', b: 'it is a test' }],
		['message', { message: 'no', data: { message: 1 } }],
	])('leaves data alone if it is as common as "%s"', (common, value) => {
		expect(blankSecrets(value, [common])).toEqual(value);
	});

	it('of four or five characters is masked only as a word, and also as a number', () => {
		const words = 'login 4711, 47110, x4711, 471';
		expect(blankSecrets(words, ['4711'])).toBe('login ***, 47110, x4711, 471');
		const numbers = { a: 12345678, b: 1234567 };
		expect(blankSecrets(numbers, ['12345678'])).toEqual({ a: '***', b: 1234567 });
	});
});

describe('a webhook secret that nobody knows anymore', () => {
	const mark = '5ec2e7'.repeat(11).slice(0, 64);
	const id = '0123456789abcdef0123456789abcdef';

	it.each([
		[
			'whole',
			`webhook ${id}: sent ${mark} to 192.168.100.100`,
			`webhook ${id}: sent *** to 192.168.100.100`,
		],
		['cut off at its beginning', `${mark.slice(-52)} was sent`, '*** was sent'],
		['in a form', `x%3D${mark}&y=1`, 'x%3D***&y=1'],
		['as a tag that is cut off', `${id.slice(16)}.5ec25ec2 end`, '*** end'],
	])('is known by its form: %s', (_, words, clean) => {
		expect(blankSecrets({ words }, [])).toEqual({ words: clean });
	});
});
