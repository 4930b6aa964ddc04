import { BOTH_WAYS } from '../support/core';
import { TriggerBench } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended'] };
const ONE_CHECK = 5;

let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

describe.each(BOTH_WAYS)('whose webhooks they are, published the %s way', (way) => {
	it('those of a copied database at another address: each n8n keeps its own', async () => {
		const node = { id: 'n', webhookId: 'w', workflow: { id: 'wf' }, way };
		const here = await bench.trigger(EVENTS, node);
		const there = await bench.trigger(EVENTS, node);
		await here.activate();
		const before = bench.at(here.url());
		await there.restart();
		await there.pass(1);
		expect(bench.at(here.url())).toEqual(before);
		expect(bench.hooks(there)).toEqual(ALL);
		await there.deactivate();
		expect(bench.hooks(there)).toEqual([]);
		expect(bench.at(here.url())).toEqual(before);
	});

	it('those of two workflows with one path: the first one’s, whatever n8n calls for the second', async () => {
		const first = await bench.trigger(EVENTS, { webhookId: 'w', workflow: { id: 'first' }, way });
		const second = await bench.trigger(EVENTS, { webhookId: 'w', workflow: { id: 'second' }, way });
		second.moveTo(`${new URL(first.url()).origin}/`);
		expect(second.url()).toBe(first.url());
		await first.activate();
		const before = bench.at(first.url());
		await second.hook('delete');
		await first.pass(ONE_CHECK);
		expect(bench.at(first.url())).toEqual(before);
		await first.restart();
		await second.hook('delete');
		await first.pass(1);
		expect(bench.at(first.url())).toEqual(before);
	});

	it('those that someone registered at our address by hand are ours to remove', async () => {
		const trigger = await bench.trigger(EVENTS, { way });
		bench.add({ uri: trigger.url(), hook: 'channel_answer' });
		bench.addForeign(trigger);
		await trigger.activate();
		expect(bench.hooks(trigger)).toEqual(ALL);
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
		bench.expectForeignUntouched();
	});
});

describe('webhooks at our address for an event that is not chosen', () => {
	it.each([
		['without a mark of ours', { hook: 'channel_create' as const }],
		['for an event that nobody here knows', { hook: 'all' as never }],
	])('go: the address is this node’s alone (%s)', async (_, webhook) => {
		const trigger = await bench.trigger({ events: ['ended'] });
		await trigger.activate();
		bench.add({ uri: trigger.url(), retries: 1, ...webhook });
		await trigger.pass(ONE_CHECK);
		expect(bench.hooks(trigger)).toEqual(['channel_destroy']);
		expect(trigger.log).toEqual([expect.stringMatching(/ was also registered/)]);
		await trigger.deactivate();
		expect(bench.at(trigger.url())).toEqual([]);
	});

	it('go, if someone changed their event', async () => {
		const trigger = await bench.trigger({ events: ['ended'] });
		await trigger.activate();
		for (const one of bench.at(trigger.url())) bench.store.put({ ...one, hook: 'channel_create' });
		await trigger.pass(ONE_CHECK);
		expect(bench.hooks(trigger)).toEqual(['channel_destroy']);
	});
});

describe('the account and the address that the user chooses', () => {
	const ownId = () => bench.sandbox.pbx.firstAccount.id;

	it('are followed: all requests act in the account', async () => {
		const trigger = await bench.trigger({ ...EVENTS, options: { accountId: ` ${ownId()} ` } });
		await trigger.activate();
		expect(bench.hooks(trigger)).toEqual(ALL);
		await trigger.restart();
		await trigger.pass(1);
		expect(bench.hooks(trigger)).toEqual(ALL);
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('go to the PBX in place of n8n’s own address, in production and for tests', async () => {
		const deliveryOptions = { deliveryUrl: 'http://127.0.0.1:9/proxy', skipUrlCheck: true };
		const trigger = await bench.trigger({ ...EVENTS, deliveryOptions });
		await trigger.activate();
		const there = (side: 'production' | 'test') =>
			`http://127.0.0.1:9/proxy${new URL(trigger.url(side)).pathname}`;
		expect(bench.at(there('production'))).toHaveLength(3);
		expect(bench.hooks(trigger)).toEqual([]);

		const [webhook] = bench.at(there('production'));
		const body = { name: 'CHANNEL_BRIDGE', args: {}, ...webhook?.custom_data };
		expect(await trigger.deliver({ body })).toMatchObject({ status: 200 });

		await trigger.activate('manual', 'test');
		expect(bench.at(there('test'))).toHaveLength(3);
		const [test] = bench.at(there('test'));
		const sent = { ...body, ...test?.custom_data };
		expect(await trigger.deliver({ body: sent, side: 'test' })).toMatchObject({ status: 200 });
		await trigger.restart();
		await trigger.pass(1);
		expect(bench.at(there('test'))).toEqual([]);
		await trigger.deactivate();
		expect(bench.store.all()).toEqual([]);
	});

	it('are checked for reach in place of n8n’s own address, and named when they are wrong', async () => {
		bench.credential.write({ baseUrl: 'https://pbx.example.com' });
		const at = async (deliveryUrl: string) =>
			await bench.trigger({ ...EVENTS, deliveryOptions: { deliveryUrl } });
		await expect((await at('http://10.0.0.1')).activate()).rejects.toThrow(
			"can't call n8n at 10.0.0.1",
		);
		bench.credential.write({ baseUrl: bench.sandbox.url });
		await expect((await at('hooks')).activate()).rejects.toThrow(
			"'Delivery URL' isn't a web address: hooks",
		);
		await expect((await at('')).activate()).rejects.toThrow("'Delivery URL' is empty");
		expect(bench.store.all()).toEqual([]);
	});
});
