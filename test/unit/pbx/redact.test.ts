import fc from 'fast-check';

import {
	blankSecrets,
	blankWebhookSecrets,
	withoutSecrets,
} from '../../../nodes/VirtualPbx/pbx/redact';

const secret = 'f00dfeed';
const body = {
	name: 'CHANNEL_DESTROY',
	args: { 'Call-ID': '1' },
	n8n_webhook_secret: secret,
	tenant: '7',
};
const NAME = 'n8n_webhook_secret';
/** How a real Kazoo logs the form that it has sent. */
const kazooForm = (name: unknown[]) => [
	['call_id', '=', '5d1f-in%4010.20.0.5'],
	'&',
	[...name, '=', secret],
	'&',
	['tenant', '=', '7'],
];

describe('withoutSecrets', () => {
	it.each<[string, unknown]>([
		['an object', { custom_data: { n8n_webhook_secret: secret, tenant: '7' } }],
		[
			'a list of objects',
			{ tries: [{ custom_data: { 'N8N-Webhook-Secret': secret, tenant: '7' } }] },
		],
		['JSON text', { req_body: JSON.stringify(body) }],
		['JSON text with spaces', { req_body: JSON.stringify(body, undefined, 4) }],
		['JSON text that is cut off', { req_body: JSON.stringify(body).slice(0, 90) + ' tenant' }],
		['JSON in JSON text', { req_body: JSON.stringify({ inner: JSON.stringify(body) }) }],
		[
			'JSON in JSON in a form',
			{ b: `tenant=7&b=${encodeURIComponent(JSON.stringify(JSON.stringify(body)))}` },
		],
		['a form', { req_body: `tenant=7&custom_data%5Bn8n_webhook_secret%5D=${secret}&a=b` }],
		['an address', { uri: `https://a.example/b?token=${secret}&tenant=7` }],
		['the top level', { password: secret, tenant: 1 }],
		['a list of pairs', { req_body: kazooForm([NAME]) }],
		['a list of nested pairs', { req_body: kazooForm([['custom_data'], '[', NAME, ']']) }],
		['a list of pairs in text', { req_body: JSON.stringify(kazooForm([NAME])) }],
		[
			'pairs',
			[
				['tenant', '7'],
				[NAME, secret],
			],
		],
		['a proplist', { req_body: `[{<<"tenant">>,<<"7">>},{<<"${NAME}">>,<<"${secret}">>}]` }],
		['names and values by turns', { headers: ['X-Auth-Token', secret, 'Tenant', '7'] }],
		[
			'a name and its value',
			[
				{ name: NAME, value: secret },
				{ name: 'tenant', value: '7' },
			],
		],
		['a value and its name', { headers: [{ tenant: 7, value: secret, key: 'Authorization' }] }],
		['a name and its value in text', `tenant [{"name": "${NAME}", "value": "${secret}"}]`],
		['a value as a list', { tenant: 7, authorization: [secret] }],
		['a value as an object', { tenant: 7, [NAME]: { type: 'string', _: secret } }],
		['XML elements', `<tenant>7</tenant><${NAME} type="x">${secret}</${NAME}>`],
		['XML with CDATA', `<tenant>7</tenant><a:${NAME}><![CDATA[${secret}]]></a:${NAME}>`],
		['XML names and values', `<tenant/><key>${NAME}</key> <string>${secret}</string>`],
		['XML attributes', `<call tenant="7" ${NAME}='${secret}'/>`],
		['XML parameters', `<param tenant="7" name="${NAME}" value="${secret}"/>`],
		['escaped XML', `&lt;tenant/&gt;&lt;${NAME}&gt;${secret}&lt;/${NAME}&gt;`],
		['a header', `Tenant: 7\r\nX-Auth-Token: ${secret}\r\nHost: a`],
		['a header in a list', ['Tenant: 7', `Authorization: Basic ${secret}`]],
		[
			'headers in a list',
			{
				headers: [
					['tenant', '7'],
					['authorization', `Bearer ${secret}`],
				],
			},
		],
		['a digest', `Authorization: Digest username="tenant", response="${secret}"\nHost: tenant`],
		['words', `tenant 7: ${NAME} is ${secret}.`],
		['other words', `tenant 7: the secret ${NAME} (${secret}) is old`],
		['words with an arrow', `tenant => 7, ${NAME} => ${secret}`],
		['YAML', `tenant: 7\n- name: ${NAME}\n  value: ${secret}\n`],
	])('masks secrets in %s and leaves the rest', (_, attempt) => {
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
		{ from: '%22Bob+Buyer%22%20&lt;79990000001@x&gt;', path: 'C:\\new\\table', a: ['&', '='] },
		{ name: 'Token refresher', uri: 'x', event: 'CHANNEL_CREATE', at: 63_962_753_889 },
	])('leaves what only looks like a secret: %j', (value) => {
		expect(withoutSecrets(value, ['1', 'a', 'e', 'on', 'pass'])).toEqual(value);
	});

	it('leaves what holds no secret as it is', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.stringMatching(/^[a-s]+$/), fc.jsonValue()), (value) => {
				fc.pre(!/secret|passw|token|api|authorization/i.test(JSON.stringify(value)));
				expect(withoutSecrets(value, [])).toEqual(value);
			}),
		);
	});

	it('masks what is nested too deeply, instead of failing', () => {
		let deep: unknown = secret;
		for (let depth = 0; depth < 20_000; depth++) deep = [deep];
		expect(JSON.stringify(withoutSecrets({ deep }, []))).not.toContain(secret);
	});
});

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (text: string) =>
	text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const percent = (text: string) => encodeURIComponent(Buffer.from(text).toString());
const html = (text: string) =>
	text.replace(/[&<>"']/g, (sign) => `&#${sign === '&' ? 'x26' : sign.charCodeAt(0)};`);
const named = (text: string) =>
	text.replace(/[&<>"']/g, (sign) => `&${ESCAPED[sign as keyof typeof ESCAPED]};`);
const ESCAPED = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const base64 = (shift: number, kind: 'base64' | 'base64url') => (text: string) =>
	Buffer.from('xy'.slice(0, shift) + text).toString(kind);
const ENCODINGS: Array<[string, (text: string) => string]> = [
	['as it is', (text) => text],
	['in capitals', (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
	['JSON', json],
	['JSON with codes', unicode],
	['JSON twice', (text) => json(json(text))],
	['percent', percent],
	[
		'percent, in small letters',
		(text) => percent(text).replace(/%../g, (one) => one.toLowerCase()),
	],
	['percent, all of it', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
	['percent twice', (text) => percent(percent(text))],
	['form', (text) => new URLSearchParams({ a: Buffer.from(text).toString() }).toString().slice(2)],
	['HTML codes', html],
	['HTML names', named],
	['HTML twice', (text) => named(named(text))],
	['HTML in JSON in percent', (text) => percent(json(named(text)))],
	...[0, 1, 2].flatMap((shift): typeof ENCODINGS => [
		[`base64 behind ${shift}`, base64(shift, 'base64')],
		[`base64 for addresses behind ${shift}`, base64(shift, 'base64url')],
		[`base64 in percent behind ${shift}`, (text) => percent(base64(shift, 'base64')(text))],
		[
			`base64 in JSON behind ${shift}`,
			(text) => base64(shift, 'base64')(text).replaceAll('/', '\\/'),
		],
	]),
];
const CONTAINERS: Array<(coded: string) => unknown> = [
	(coded) => `said "${coded}".`,
	(coded) => `path/${coded}`,
	(coded) => ({ a: [{ b: `x=${coded}&y=1` }] }),
	(coded) => ({ [`${coded} 1`]: true }),
	(coded) => `{"inner":"{\\"deep\\":\\"${coded}\\"}`,
];

describe('known secrets', () => {
	it.each(ENCODINGS)('never survive: %s', (_, encode) => {
		const secrets = fc.oneof(
			fc.string({ minLength: 6, maxLength: 40 }),
			fc.string({ minLength: 6, maxLength: 40, unit: 'binary' }),
			fc.stringMatching(/^[!-~]{6,20}$/),
			fc.stringMatching(/^[%&\\+;a-f0-9]{6,12}$/),
		);
		fc.assert(
			fc.property(secrets, fc.constantFrom(...CONTAINERS), (known, contain) => {
				const soundly = Buffer.from(known).toString();
				fc.pre(soundly.trim().length >= 6);
				const coded = encode(soundly);
				const clean = blankSecrets(contain(coded), [soundly]);
				// As JSON has it, both: a sign may be part of an escape.
				expect(JSON.stringify(clean)).not.toContain(json(coded));
				expect(JSON.stringify(clean)).toContain('***');
			}),
			{ numRuns: 60 },
		);
	});

	it('are masked as they stand in Basic authentication', () => {
		const header = `Authorization: Basic ${Buffer.from('ann:secret-word').toString('base64')}`;
		expect(blankSecrets({ sent: [`X ${header}`] }, ['secret-word', 'ann:secret-word'])).toEqual({
			sent: ['X Authorization: Basic ***'],
		});
	});

	it.each([
		['1', { try: '1', a: 1, 'a 1': 'error 1' }],
		['a', { a: 'a', b: 'it is a test' }],
		['abc', { abc: 'abc' }],
		['message', { message: 'no', data: { message: 1 } }],
	])('leave data and its structure alone where they are as common as "%s"', (common, value) => {
		expect(blankSecrets(value, [common])).toEqual(value);
	});

	it('of four and five characters are masked only where they stand alone', () => {
		expect(blankSecrets('login 4711, 47110, x4711, 471', ['4711'])).toBe(
			'login ***, 47110, x4711, 471',
		);
	});

	it('are masked in numbers', () => {
		expect(blankSecrets({ a: 12345678, b: 1234567 }, ['12345678'])).toEqual({
			a: '***',
			b: 1234567,
		});
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

	it.each([
		['in a form', `x%3D${mark}&y=1`, 'x%3D***&y=1'],
		['in base64', Buffer.from(`{"x":"${mark}"}`).toString('base64'), '***'],
		['as a tag that is cut off', `${id.slice(16)}.${id.slice(24)}.5ec2 end`, '*** end'],
	])('blanks an unknown one %s in errors, too', (_, words, clean) => {
		expect(blankSecrets({ words }, [])).toEqual({ words: clean });
	});
});

describe('the time of masking', () => {
	it('has an end: longer texts are cut off', () => {
		const clean = withoutSecrets('x'.repeat(3_000_000), []);
		expect(clean.length).toBeLessThan(1_100_000);
	});
});
