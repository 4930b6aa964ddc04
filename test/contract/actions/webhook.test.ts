import type { IDataObject } from 'n8n-workflow';

import { startPbx, usePbx } from '../../support/sandbox';

const pbx = usePbx({ settings: { retry_interval_seconds: 0 } });
const uri = 'http://127.0.0.1:1/events';

const stored = async (id: unknown) => await pbx.ask('GET', `webhooks/${String(id)}`);
const create = async (fields: IDataObject = {}) => {
	const whole = { name: 'Hook', uri, http_verb: 'post', hook: 'channel_answer', retries: 1 };
	return await pbx.ask('PUT', 'webhooks', { ...whole, ...fields });
};

describe('Create (§4.4)', () => {
	it('sends what is required, with defaults', async () => {
		const [item] = await pbx.items('webhook:create', { name: 'CRM', uri, hook: 'channel_destroy' });

		expect(item).toMatchObject({ id: expect.any(String), name: 'CRM', uri });
		expect(await stored(item?.id)).toMatchObject({
			http_verb: 'post',
			hook: 'channel_destroy',
			retries: 2,
		});
	});

	it('sends custom data, numeric texts as texts', async () => {
		const additionalFields = {
			customData: '{"a":{"b":[1,"2"]},"tenant":"007"}',
			http_verb: 'PUT',
			retries: '5',
		};
		const [item] = await pbx.items('webhook:create', { name: 'CRM', uri, additionalFields });

		expect(await stored(item?.id)).toMatchObject({
			custom_data: { a: { b: [1, '2'] }, tenant: '007' },
			http_verb: 'put',
			retries: 5,
		});
	});

	it('sends another hook of the PBX, from an expression', async () => {
		const stock = await startPbx({ settings: { profile: 'kazoo', local_addresses: 'accept' } });
		const hook = '={{ "all" }}';
		const created = await stock.items('webhook:create', { name: 'CRM', uri, hook });
		await stock.sandbox.close();
		expect(created).toMatchObject([{ hook: 'all' }]);
	});

	it.each([
		[
			'an address that is none',
			{ uri: 'crm.example.com' },
			"'URL' isn't a web address: crm.example.com",
		],
		[
			'retries of 0, with which a PBX sends nothing',
			{ additionalFields: { retries: 0 } },
			"'Delivery Attempts' must be a whole number of at least 1",
		],
		[
			'custom data that is no object',
			{ additionalFields: { customData: '[1]' } },
			"'Custom Data (JSON)' must be a JSON object",
		],
		['an event that is missing', { hook: '={{ $json.nope }}' }, "'Event' is empty"],
	])('refuses %s before sending', async (_, parameters, message) => {
		const { error } = await pbx.run('webhook:create', { name: 'CRM', uri, ...parameters });

		expect(error?.message).toBe(message);
		expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
	});
});

describe('Update (§4.4)', () => {
	it('merges custom data by name', async () => {
		const { id } = await create({ custom_data: { secret: 's', n: '1' } });
		const customData = '{"n":"2"}';
		await pbx.items('webhook:update', { webhookId: id as string, updateFields: { customData } });

		expect((await stored(id)).custom_data).toEqual({ secret: 's', n: '2' });
	});
});

describe('Get, Get Many and Delete (§4.4)', () => {
	it('deletes and says so', async () => {
		const { id } = await create();

		expect(await pbx.items('webhook:delete', { webhookId: id as string })).toEqual([
			{ id, deleted: true },
		]);
		const { error } = await pbx.run('webhook:delete', { webhookId: id as string });
		expect(error?.message).toBe(`Webhook ${String(id)} wasn't found`);
	});
});

describe('the secret of our event trigger', () => {
	const custom_data = { n8n_webhook_secret: 'very-secret', tenant: '7', token: 'own' };
	const shown = { ...custom_data, n8n_webhook_secret: '***' };

	it('is masked in what every operation gives, and kept by updates', async () => {
		const webhookId = (await create({ custom_data })).id as string;
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

	it('is not overwritten with its mask', async () => {
		const webhookId = (await create({ custom_data })).id as string;
		const updateFields = { name: 'New', uri, customData: JSON.stringify(shown) };
		const [item] = await pbx.items('webhook:update', { webhookId, updateFields });

		expect(item?.custom_data).toEqual(shown);
		expect((await stored(webhookId)).custom_data).toEqual(custom_data);
	});

	it('is not copied to a new webhook, nor is its mask', async () => {
		const additionalFields = { customData: JSON.stringify(shown) };
		const [item] = await pbx.items('webhook:create', { name: 'B', uri, additionalFields });

		expect((await stored(item?.id)).custom_data).toEqual({ tenant: '7', token: 'own' });
	});
});

describe('Get Attempts (§4.4)', () => {
	it('gets those of one webhook or of all, without secrets', async () => {
		const custom_data = { n8n_webhook_secret: 'very-secret', tenant: '7' };
		const { id } = await create({ custom_data });
		await create({ hook: 'channel_destroy' });
		const outcome = { outcome: 'answered', ring_seconds: 0, talk_seconds: 0 } as const;
		await pbx.sandbox.call({ from: '12125550134', to: '12125550100', ...outcome, speed: 100 });

		const ofOne = await pbx.items('webhook:getAttempts', {
			attemptsOf: 'one',
			webhookId: id as string,
			returnAll: true,
		});
		const ofAll = await pbx.items('webhook:getAttempts', { returnAll: true });
		expect(ofOne.length).toBeGreaterThan(0);
		expect(ofAll.length).toBeGreaterThan(ofOne.length);
		expect(ofOne.every(({ hook_id: hook }) => hook === id)).toBe(true);
		expect(JSON.stringify(ofAll)).not.toContain('very-secret');
		expect(JSON.stringify(ofOne)).toContain('tenant');
		expect(await pbx.items('webhook:getAttempts', { limit: 1 })).toHaveLength(1);
	});
});
