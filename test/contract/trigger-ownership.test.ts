import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import type { TestTrigger } from '../support/core';
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
	it.each([{ hook: 'channel_create' as const }, { hook: 'all' as never }])(
		'go: the address is this node’s alone (%j)',
		async (webhook) => {
			const trigger = await bench.trigger({ events: ['ended'] });
			await trigger.activate();
			bench.add({ uri: trigger.url(), retries: 1, ...webhook });
			await trigger.pass(ONE_CHECK);
			expect(bench.hooks(trigger)).toEqual(['channel_destroy']);
			expect(trigger.log).toEqual([expect.stringMatching(/ was also registered/)]);
			for (const one of bench.at(trigger.url())) bench.store.put({ ...one, ...webhook });
			await trigger.pass(ONE_CHECK);
			expect(bench.hooks(trigger)).toEqual(['channel_destroy']);
		},
	);
});

describe('the account and the address that the user chooses', () => {
	it('are followed: all requests act in the account', async () => {
		const trigger = await bench.trigger({ ...EVENTS, options: { accountId: ' other ' } });
		await expect(trigger.activate()).rejects.toThrow();
		const paths = bench.sandbox.pbx.requests.list().map(({ path }) => path);
		const inAccount = paths.filter((path) => !path.endsWith('/user_auth'));
		expect(inAccount).not.toEqual([]);
		expect(inAccount.filter((path) => !path.includes('/accounts/other/'))).toEqual([]);
	});

	it('go to the PBX in place of n8n’s own address, in production and for tests', async () => {
		const deliveryOptions = { deliveryUrl: 'http://127.0.0.1:9/proxy', skipUrlCheck: true };
		const trigger = await bench.trigger({ ...EVENTS, deliveryOptions });
		await trigger.activate();
		const there = (side: 'production' | 'test') =>
			`http://127.0.0.1:9/proxy${new URL(trigger.url(side)).pathname}`;
		expect(bench.at(there('production'))).toHaveLength(3);
		expect(bench.hooks(trigger)).toEqual([]);

		await trigger.activate('manual', 'test');
		expect(bench.at(there('test'))).toHaveLength(3);
		for (const side of ['production', 'test'] as const) {
			const [webhook] = bench.at(there(side));
			const body = { name: 'CHANNEL_BRIDGE', args: {}, ...webhook?.custom_data };
			expect(await trigger.deliver({ body, side })).toMatchObject({ status: 200 });
		}
		await trigger.restart();
		await trigger.pass(1);
		expect(bench.at(there('test'))).toEqual([]);
		await trigger.deactivate();
		expect(bench.store.all()).toEqual([]);
	});

	it('are checked for reach in place of n8n’s own address, and named when they are wrong', async () => {
		bench.credential.write({ baseUrl: 'https://pbx.example.com' });
		const deliveryOptions = { deliveryUrl: 'http://10.0.0.1' };
		const trigger = await bench.trigger({ ...EVENTS, deliveryOptions });
		await expect(trigger.activate()).rejects.toThrow("can't call n8n at 10.0.0.1");
		expect(bench.store.all()).toEqual([]);
	});
});

/** Sends a delivery with a mark, as the PBX would, and gives the status of the answer. */
const send = async (trigger: TestTrigger, mark: unknown): Promise<number> => {
	const body = { name: 'CHANNEL_BRIDGE', args: {}, [TAG_NAME]: String(mark) };
	return (await trigger.deliver({ body })).status;
};

describe('the secret of deliveries', () => {
	let trigger: TestTrigger;
	beforeEach(async () => {
		bench.credential.write({ webhookSecret: '' });
		trigger = await bench.trigger({ events: ['started', 'ended'] });
		await trigger.activate();
	});

	const mark = () => bench.secrets(trigger)[0];

	it('is random, and the credential keeps it from the first login on', async () => {
		const { webhookSecret } = bench.credential.read();
		expect(webhookSecret).toMatch(/^[\da-f]{64}$/);
		expect(String(mark())).not.toContain(String(webhookSecret));
		expect(await send(trigger, mark())).toBe(200);
		bench.credential.write({ webhookSecret: '', authToken: '' });
		forgetLogins();
		await trigger.activate();
		expect(bench.credential.read().webhookSecret).not.toBe(webhookSecret);
	});

	it('outlives a new password, and a restart', async () => {
		const old = mark();
		bench.sandbox.pbx.firstAccount.identity.password = 'another';
		bench.credential.write({ password: 'another', authToken: '' });
		expect(await send(trigger, old)).toBe(200);
		await trigger.restart();
		await trigger.pass(1);
		expect([mark(), await send(trigger, old), trigger.log]).toEqual([old, 200, []]);
	});

	it('is another one for a copy of the workflow, whose deliveries neither takes for the other', async () => {
		const copy = await bench.trigger({ events: ['ended'] }, { workflow: { id: 'copy' } });
		await copy.activate();
		expect(await send(copy, mark())).toBe(401);
		expect(await send(trigger, bench.secrets(copy)[0])).toBe(401);
	});

	it.each([{ login: 'other' }, { realm: 'other.example' }])(
		'of another account is refused at once: %j',
		async (edit) => {
			const old = mark();
			bench.credential.write({ ...edit, authToken: '' });
			expect(await send(trigger, old)).toBe(401);
		},
	);

	it('that someone removed from the credential is made again, and registered within a minute', async () => {
		const trigger = await bench.trigger({ deliveryOptions: { checkMinutes: 0 } });
		await trigger.activate();
		const [old] = bench.secrets(trigger);
		// Another process, or a restart: this one would store the same again.
		forgetLogins();
		bench.credential.write({ webhookSecret: '' });
		expect(await send(trigger, old)).toBe(401);
		await trigger.pass(1);
		const [fresh] = bench.secrets(trigger);
		expect(fresh).not.toBe(old);
		expect(await send(trigger, fresh)).toBe(200);
		expect(trigger.log).toEqual([expect.stringMatching(/Call Ended had an old secret/)]);
	});

	it('never is an empty one', async () => {
		bench.credential.write({ webhookSecret: '' });
		expect(await send(trigger, `${'0'.repeat(16)}.${'0'.repeat(64)}`)).toBe(401);
		expect(await send(trigger, '')).toBe(401);
	});
});
