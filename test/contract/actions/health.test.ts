import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { gregorianNow } from '../../../nodes/VirtualPbx/util/time';
import { startTrigger } from '../../support/core';
import { usePbx } from '../../support/sandbox';

const SECRET = 'a'.repeat(64);
const TAG = `${'b'.repeat(16)}.${SECRET}`;
const OWN = 'https://n8n.example.com';
const more = { instanceUrl: `${OWN}/` };

const pbx = usePbx({ settings: { retry_interval_seconds: 0 } });
const store = () => pbx.sandbox.pbx.firstAccount.webhooks;
const add = async (fields: IDataObject = {}) => {
	const webhook = {
		name: 'n8n: Calls (Call Ended)',
		uri: `${OWN}/webhook/1/webhook`,
		http_verb: 'post',
		hook: 'channel_destroy',
		retries: 1,
		custom_data: { [TAG_NAME]: TAG },
	};
	return String((await pbx.ask('PUT', 'webhooks', { ...webhook, ...fields })).id);
};
const check = async (options: IDataObject = {}) => {
	const { items, error } = await pbx.run('webhook:checkHealth', { options } as never, more);
	if (error) throw error;
	return items;
};

const answer = (path: string, body: unknown, status = 200) =>
	pbx.sandbox.pbx.faults.add({ kind: 'status', method: 'GET', path, status, body });
/** Has the PBX show webhooks in another way than it keeps them, in the list and one by one. */
const show = (change: (webhook: IDataObject) => IDataObject, isListed = true) => {
	const all = pbx.sandbox.pbx.firstAccount.webhooks.all() as unknown as IDataObject[];
	if (isListed) answer('*/webhooks', { data: all.map(change), status: 'success' });
	for (const one of all)
		answer(`*/webhooks/${String(one.id)}`, { data: change(one), status: 'success' });
};

describe('Check Health (§4.4)', () => {
	it('gives one item for each registration of this package, and none for other webhooks', async () => {
		const id = await add();
		await add({ custom_data: { office: 'Riga' } });
		expect(await check()).toEqual([
			{
				id,
				event: 'Call Ended',
				address: `${OWN}/webhook/1/webhook`,
				workflow: 'Calls',
				state: 'ok',
				reason: '',
				lastSuccess: null,
				lastFailure: null,
				lastFailureStatus: null,
				lastFailureReason: null,
				attempts: 0,
				succeeded: 0,
				failed: 0,
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
		['of this n8n', `${OWN}/webhook/1/webhook`, undefined, 'ok'],
		['of another n8n', 'https://old.example.com/webhook/1/webhook', undefined, 'unknown address'],
		[
			'beside one that is named',
			'https://hooks.example.com/xy/webhook/1',
			'https://hooks.example.com/x',
			'unknown address',
		],
	])('knows an address %s', async (_, uri, knownAddresses, state) => {
		await add({ uri });
		const [item] = await check(knownAddresses === undefined ? {} : { knownAddresses });
		expect(item?.state).toBe(state);
	});

	it('says that no workflow listens at an address of this n8n', async () => {
		const trigger = await startTrigger({ type: 'virtualPbxTrigger' });
		const { origin, pathname } = new URL(trigger.url());
		await add({ uri: trigger.url() });
		await add({ uri: `${origin}${pathname.replace('webhook/', 'webhook/gone')}` });
		const { items } = await pbx.run('webhook:checkHealth', {}, { instanceUrl: `${origin}/` });
		expect(items).toMatchObject([
			{ state: 'ok', reason: '' },
			{ state: 'not published', reason: expect.stringMatching(/no workflow listens/) },
		]);
		expect(trigger.executions).toEqual([]);
		await trigger.close();
	});

	it('shows none in the words of the PBX either', async () => {
		const reason = `sent n8n_webhook_secret ${SECRET}`;
		const id = await add();
		store().put({ ...store().get(id), enabled: false, disable_reason: reason } as never);
		pbx.sandbox.pbx.faults.add({
			kind: 'status',
			path: '*/attempts',
			status: 200,
			body: { data: [{ result: 'failure', reason, client_error: SECRET }] },
		});
		const [item] = await check();
		expect(item).toMatchObject({ id, state: 'switched off' });
		expect(JSON.stringify(item)).not.toMatch(/a{8}/);
	});
});

describe('Check Health where a webhook is odd', () => {
	it.each<[string, number, unknown, RegExp]>([
		['500', 500, { message: 'corrupt' }, /corrupt \(status 500\)/],
		['404', 404, { message: 'bad_identifier' }, /bad_identifier \(status 404\)/],
		['404 without a word', 404, {}, /status 404/],
		['an empty body', 200, null, /has no list/],
		['a web page', 200, '<html>Login</html>', /expected JSON/],
	])("says that its attempts couldn't be read: %s", async (_, status, body, words) => {
		const id = await add();
		const other = await add();
		answer(`*/${id}/attempts`, body, status);
		answer(`*/${other}/attempts`, {
			data: [{ result: 'failure', response_code: 503, timestamp: gregorianNow() }],
		});
		const items = await check();
		expect(items).toHaveLength(2);
		expect(items).toContainEqual(
			expect.objectContaining({ id, state: 'ok', reason: expect.stringMatching(words) }),
		);
		expect(items.find((item) => item.id === id)?.reason).toMatch(/^attempts couldn't be read: /);
		expect(items).toContainEqual(expect.objectContaining({ id: other, state: 'failing' }));
	});

	it('says so where the PBX shows no ID at all', async () => {
		await add();
		show(({ id: _, ...rest }) => rest);
		expect(await check()).toMatchObject([
			{ id: '', event: 'Call Ended', reason: expect.stringMatching(/doesn't show the ID/) },
		]);
	});

	it('fails where the details cannot be read: nobody knows what is registered', async () => {
		pbx.sandbox.pbx.change({ profile: 'kazoo' });
		const id = await add({ name: 'Calls' });
		answer(`*/webhooks/${id}`, { message: 'corrupt' }, 500);
		expect((await pbx.run('webhook:checkHealth', {}, more)).error?.message).toMatch(
			/couldn't be read: the PBX couldn't process the request/,
		);
	});
});

describe('Check Health where the PBX does not show custom data', () => {
	it.each<[string, IDataObject, number]>([
		['the name and address that the trigger gives', {}, 1],
		['another name', { name: 'Calls (Call Ended)' }, 0],
		['no address', { uri: null }, 0],
	])('judges a webhook by %s', async (_, fields, count) => {
		await add();
		show(({ custom_data: _data, ...rest }) => ({ ...rest, ...fields }));
		expect(await check()).toHaveLength(count);
		const { items } = await pbx.run('webhook:deleteLeftovers', { address: OWN });
		expect(items).toEqual([]);
	});
});

/** By default, a real Kazoo logs failures only (`log_successful_attempts: false`). */
describe('Check Health where the PBX logs failures only', () => {
	const failure = (status: string) => ({
		...{ result: 'failure', reason: 'bad response code', resp_status_code: status },
		...{ try: 2, retries_left: 'retries exceeded', timestamp: gregorianNow() - 60 },
	});

	it('takes a failure of the proxy as over while n8n listens, and no other one', async () => {
		const trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: pbx.credential,
			parameters: { events: ['started', 'ended'] },
		});
		await trigger.activate();
		const [ended, started] = ['channel_destroy', 'channel_create'].map(
			(hook) => store().listening(hook as never)[0]?.id,
		);
		answer(`*/${ended}/attempts`, { data: [failure('502')] });
		answer(`*/${started}/attempts`, { data: [failure('401')] });
		const { origin } = new URL(trigger.url());
		const { items } = await pbx.run('webhook:checkHealth', {}, { instanceUrl: `${origin}/` });
		expect(Object.fromEntries(items.map(({ event, state }) => [event, state]))).toEqual({
			'Call Ended': 'ok',
			'Call Started': 'failing',
		});
		await trigger.close();
	});
});
