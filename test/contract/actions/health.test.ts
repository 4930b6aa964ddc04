import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { gregorianNow } from '../../../nodes/VirtualPbx/util/time';
import { startTrigger } from '../../support/core';
import { usePbx } from '../../support/sandbox';

const OWN = 'https://n8n.example.com';
const uri = `${OWN}/webhook/1/webhook`;
const OURS = { [TAG_NAME]: `${'b'.repeat(16)}.${'a'.repeat(64)}` };

const pbx = usePbx({ settings: { retry_interval_seconds: 0 } });
const store = () => pbx.sandbox.pbx.firstAccount.webhooks;
const add = async (fields: IDataObject = {}) => {
	const webhook = {
		...{ name: 'n8n: Calls (Call Ended)', uri, http_verb: 'post', hook: 'channel_destroy' },
		...{ retries: 1, custom_data: OURS },
	};
	return String((await pbx.ask('PUT', 'webhooks', { ...webhook, ...fields })).id);
};
const run = async (options: IDataObject = {}, instanceUrl = `${OWN}/`) =>
	await pbx.run('webhook:checkHealth', { options } as never, { instanceUrl });
const check = async (options: IDataObject = {}, instanceUrl?: string) => {
	const { items, error } = await run(options, instanceUrl);
	if (error) throw error;
	return items;
};
const answer = (path: string, body: unknown, status = 200) =>
	pbx.sandbox.pbx.faults.add({ kind: 'status', method: 'GET', path, status, body });
const failure = (status: string) => ({
	...{ result: 'failure', reason: 'bad response code', resp_status_code: status },
	...{ try: 2, retries_left: 'retries exceeded', timestamp: gregorianNow() - 60 },
});

describe('Check Health (§4.4)', () => {
	it('gives one item for each registration of this package, and none for other webhooks', async () => {
		const id = await add();
		await add({ custom_data: { office: 'Riga' } });
		expect(await check()).toEqual([
			{
				...{ id, event: 'Call Ended', address: uri, workflow: 'Calls', state: 'ok', reason: '' },
				...{ lastSuccess: null, lastFailure: null, lastFailureStatus: null },
				...{ lastFailureReason: null, attempts: 0, succeeded: 0, failed: 0 },
			},
		]);
	});

	it('says that deliveries fail and why', async () => {
		await add({ uri: 'http://127.0.0.1:9/webhook/1/webhook' });
		await pbx.sandbox.call({ speed: 10_000 });
		const [item] = await check({ knownAddresses: 'http://127.0.0.1:9' });
		expect(item).toMatchObject({ state: 'failing', succeeded: 0, lastFailureStatus: null });
		expect(item?.reason).toMatch(/refused the connection/);
		expect(item?.failed).toBe(item?.attempts);
		expect(Date.parse(String(item?.lastFailure))).toBeGreaterThan(Date.now() - 60_000);
	});

	it.each([
		['https://old.example.com/webhook/1/webhook', {}],
		['https://hooks.example.com/xy/webhook/1', { knownAddresses: 'https://hooks.example.com/x' }],
	])('does not know the address %s of another n8n', async (other, options) => {
		await add({ uri: other });
		expect(await check(options)).toMatchObject([{ state: 'unknown address' }]);
	});

	it('says that no workflow listens at an address of this n8n', async () => {
		const trigger = await startTrigger({ type: 'virtualPbxTrigger' });
		const { origin, pathname } = new URL(trigger.url());
		await add({ uri: trigger.url() });
		await add({ uri: `${origin}${pathname.replace('webhook/', 'webhook/gone')}` });
		expect(await check({}, `${origin}/`)).toMatchObject([
			{ state: 'ok', reason: '' },
			{ state: 'not published', reason: expect.stringMatching(/no workflow listens/) },
		]);
		expect(trigger.executions).toEqual([]);
		await trigger.close();
	});

	it.each<[number, unknown, RegExp]>([
		[500, { message: 'corrupt' }, /^attempts couldn't be read: .*corrupt \(status 500\)/],
		[200, '<html>Login</html>', /^attempts couldn't be read: .*expected JSON/],
	])("says of one webhook that its attempts couldn't be read: %d, %j", async (...given) => {
		const [status, body, words] = given;
		const [id, other] = [await add(), await add()];
		answer(`*/${id}/attempts`, body, status);
		answer(`*/${other}/attempts`, { data: [failure('503')] });
		const items = Object.fromEntries((await check()).map((item) => [item.id, item]));
		expect(items).toMatchObject({
			[id]: { state: 'ok', reason: expect.stringMatching(words) },
			[other]: { state: 'failing' },
		});
	});

	it('fails where the details cannot be read: nobody knows what is registered', async () => {
		pbx.sandbox.pbx.change({ profile: 'kazoo' });
		answer(`*/webhooks/${await add({ name: 'Calls' })}`, { message: 'corrupt' }, 500);
		expect((await run()).error?.message).toMatch(
			/couldn't be read: the PBX couldn't process the request/,
		);
	});

	it.each([
		['the name and address that the trigger gives', {}, 1],
		['another name', { name: 'Calls (Call Ended)' }, 0],
	])('judges a webhook whose custom data is not shown by %s', async (_, fields, count) => {
		const id = await add();
		const { custom_data: _data, ...rest } = store().get(id) as never as IDataObject;
		answer('*/webhooks', { data: [{ ...rest, ...fields }], status: 'success' });
		answer(`*/webhooks/${id}`, { data: { ...rest, ...fields }, status: 'success' });
		expect(await check()).toHaveLength(count);
		expect(await pbx.items('webhook:deleteLeftovers', { address: OWN })).toEqual([]);
	});

	/** By default, a real Kazoo logs failures only (`log_successful_attempts: false`). */
	it('takes a failure of the proxy as over while n8n listens, and no other one', async () => {
		const trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: pbx.credential,
			parameters: { events: ['started', 'ended'] },
		});
		await trigger.activate();
		for (const [hook, status] of [
			['channel_destroy', '502'],
			['channel_create', '401'],
		])
			answer(`*/${store().listening(hook as never)[0]?.id}/attempts`, {
				data: [failure(`${status}`)],
			});
		const items = await check({}, `${new URL(trigger.url()).origin}/`);
		expect(Object.fromEntries(items.map(({ event, state }) => [event, state]))).toEqual({
			'Call Ended': 'ok',
			'Call Started': 'failing',
		});
		await trigger.close();
	});
});
