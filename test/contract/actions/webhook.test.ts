import type { IDataObject } from 'n8n-workflow';

import { startPbx, usePbx } from '../../support/sandbox';

const pbx = usePbx({ settings: { retry_interval_seconds: 0 } });
const uri = 'http://127.0.0.1:1/events';

const stored = async (id: unknown) => await pbx.ask('GET', `webhooks/${String(id)}`);
const create = async (fields: IDataObject = {}) => {
	const whole = { name: 'Hook', uri, http_verb: 'post', hook: 'channel_answer', retries: 1 };
	return String((await pbx.ask('PUT', 'webhooks', { ...whole, ...fields })).id);
};

describe('a webhook (§4.4)', () => {
	it('is created with defaults, and deleted', async () => {
		const [item] = await pbx.items('webhook:create', { name: 'CRM', uri, hook: 'channel_destroy' });
		const { id } = item as { id: string };
		expect(item).toMatchObject({ id: expect.any(String), name: 'CRM', uri });
		const defaults = { http_verb: 'post', hook: 'channel_destroy', retries: 2 };
		expect(await stored(id)).toMatchObject(defaults);

		expect(await pbx.items('webhook:delete', { webhookId: id })).toEqual([{ id, deleted: true }]);
		const { error } = await pbx.run('webhook:delete', { webhookId: id });
		expect(error?.message).toBe(`Webhook ${id} wasn't found`);
	});

	it('is created with custom data, whose numbers and booleans are sent as text', async () => {
		const customData = '{"a":{"b":[1,"2"]},"tenant":"007","n":1,"yes":true}';
		const additionalFields = { customData, http_verb: 'PUT', retries: '5' };
		const [item] = await pbx.items('webhook:create', { name: 'CRM', uri, additionalFields });

		expect(await stored(item?.id)).toMatchObject({
			custom_data: { a: { b: [1, '2'] }, tenant: '007', n: '1', yes: 'true' },
			http_verb: 'put',
			retries: 5,
		});
	});

	it('is created for another hook of the PBX, from an expression', async () => {
		const stock = await startPbx({ settings: { profile: 'kazoo', local_addresses: 'accept' } });
		const hook = '={{ "all" }}';
		const created = await stock.items('webhook:create', { name: 'CRM', uri, hook });
		await stock.sandbox.close();
		expect(created).toMatchObject([{ hook: 'all' }]);
	});
});

describe('the secret of our event trigger', () => {
	const custom_data = { n8n_webhook_secret: 'very-secret', tenant: '7', token: 'own' };
	const shown = { ...custom_data, n8n_webhook_secret: '***' };

	it('is masked in what every operation gives, and kept by updates', async () => {
		const webhookId = await create({ custom_data });
		const updateFields = { name: 'New', customData: '{"tenant":"8"}' };
		const given = [
			...(await pbx.items('webhook:get', { webhookId })),
			...(await pbx.items('webhook:getMany', { returnAll: true })),
			...(await pbx.items('webhook:update', { webhookId, updateFields })),
		];
		const additionalFields = { customData: JSON.stringify(custom_data) };
		given.push(...(await pbx.items('webhook:create', { name: 'B', uri, additionalFields })));

		expect(given[0]?.custom_data).toEqual(shown);
		expect(given[2]?.custom_data).toEqual({ ...shown, tenant: '8' });
		expect(given).toHaveLength(4);
		expect(JSON.stringify(given)).not.toContain('very-secret');
		expect((await stored(webhookId)).custom_data).toEqual({ ...custom_data, tenant: '8' });
	});

	it('is neither overwritten with its mask, nor copied to a new webhook', async () => {
		const webhookId = await create({ custom_data });
		const customData = JSON.stringify(shown);
		const updateFields = { name: 'New', uri, customData };
		const [updated] = await pbx.items('webhook:update', { webhookId, updateFields });
		expect(updated?.custom_data).toEqual(shown);
		expect((await stored(webhookId)).custom_data).toEqual(custom_data);

		const copy = { name: 'B', uri, additionalFields: { customData } };
		const [created] = await pbx.items('webhook:create', copy);
		expect((await stored(created?.id)).custom_data).toEqual({ tenant: '7', token: 'own' });
	});
});

it('Get Attempts gets those of one webhook or of all, without secrets (§4.4)', async () => {
	const webhookId = await create({
		custom_data: { n8n_webhook_secret: 'very-secret', tenant: '7' },
	});
	await create({ hook: 'channel_destroy' });
	const outcome = { outcome: 'answered', ring_seconds: 0, talk_seconds: 0 } as const;
	await pbx.sandbox.call({ from: '12125550134', to: '12125550100', ...outcome, speed: 100 });

	const get = async (more: object) => await pbx.items('webhook:getAttempts', more as never);
	const ofOne = await get({ attemptsOf: 'one', webhookId, returnAll: true });
	const ofAll = await get({ returnAll: true });
	expect(ofOne.length).toBeGreaterThan(0);
	expect(ofAll.length).toBeGreaterThan(ofOne.length);
	expect(new Set(ofOne.map(({ hook_id: hook }) => hook))).toEqual(new Set([webhookId]));
	expect(JSON.stringify(ofAll)).not.toContain('very-secret');
	expect(JSON.stringify(ofOne)).toContain('tenant');
	expect(await get({ limit: 1 })).toHaveLength(1);
});
