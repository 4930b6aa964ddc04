import { usePbx } from '../../support/sandbox';

const BAD = [
	'.',
	'..',
	'%2e%2e',
	'../webhooks',
	'a/b',
	'a\\b',
	'{account_id}',
	'{platform}',
	'a?b',
	'a#b',
	'a\u0000b',
	'a\nb',
	'a\u202Eb',
	'a\uD800',
];

describe('an ID that would change the path of a request', () => {
	const pbx = usePbx();

	it.each(BAD)('is refused by its parameter before anything is sent: %j', async (id) => {
		for (const [operation, parameters, name] of [
			['webhook:get', { webhookId: { __rl: true, mode: 'id', value: id } }, 'Webhook'],
			['webhook:delete', { webhookId: { __rl: true, mode: 'id', value: id } }, 'Webhook'],
			['callflow:get', { callflowId: { __rl: true, mode: 'id', value: id } }, 'Callflow'],
			['callflow:delete', { callflowId: { __rl: true, mode: 'id', value: id } }, 'Callflow'],
			['webhook:getMany', { options: { accountId: id } }, 'Account ID'],
		] as const) {
			const { error, items } = await pbx.run(operation, parameters);
			expect(error?.message).toContain(`'${name}' isn't an ID`);
			expect(items).toEqual([]);
		}
		expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
	});

	it.each(BAD.filter((name) => !/^\.?\.?\/|^\/|\/$/.test(name)))(
		'is refused as the name of a platform, too: %j',
		async (platform) => {
			pbx.credential.write({ platform });
			const { error } = await pbx.run('webhook:getMany');
			expect(`${error?.message} ${error?.description}`).toContain("'API Path Segment'");
			expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
		},
	);

	it('is any other text', async () => {
		const value = 'call 5@10.0.0.1:5060;x=1&y..z';
		const { error } = await pbx.run('webhook:get', {
			webhookId: { __rl: true, mode: 'id', value },
		});
		expect(error?.message).not.toContain("isn't an ID");
		expect(pbx.sandbox.pbx.requests.list().map(({ path }) => path)).toContainEqual(
			expect.stringContaining(encodeURIComponent(value)),
		);
	});
});
