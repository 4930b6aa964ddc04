import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultOrder } from '../../sandbox/faults/schema';
import { BOTH_WAYS } from '../support/core';
import type { TestTrigger } from '../support/core';
import { TestCredentialsHelper } from '../support/core/credentials';
import { TriggerBench } from '../support/trigger';
import type { Webhook } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended', 'missed'] };
const OFFICE = { deliveryOptions: { retries: 4, customData: '{"office":"Riga"}' } };

let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

const faults = () => bench.sandbox.pbx.faults;

describe.each(BOTH_WAYS)('the webhooks of the event trigger, published the %s way', (way) => {
	let trigger: TestTrigger;
	beforeEach(async () => {
		trigger = await bench.trigger(EVENTS, { way });
		bench.addForeign(trigger);
	});
	afterEach(() => bench.expectForeignUntouched());

	/** One healthy webhook per event, whose deliveries start the workflow. */
	async function expectHealthy(hooks = ALL): Promise<void> {
		expect(bench.hooks(trigger)).toEqual(hooks);
		const healthy = { http_verb: 'post', enabled: true };
		expect(bench.at(trigger.url())).toMatchObject(hooks.map(() => healthy));
		expect(bench.secrets(trigger)).toHaveLength(1);
		const before = trigger.executions.length;
		await bench.sandbox.call({ from: '12125550123', to: '12125550100' });
		expect(trigger.executions).toHaveLength(before + hooks.length);
	}

	it('are one per hook when it is published, and none when it is unpublished', async () => {
		await trigger.activate();
		await expectHealthy();
		expect(trigger.staticData).toEqual({});
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('are published with a credential that is decrypted once', async () => {
		const decrypt = jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted');
		await trigger.activate();
		expect(decrypt).toHaveBeenCalledTimes(1);
		decrypt.mockRestore();
	});

	it('follow a new version', async () => {
		await trigger.activate();
		await trigger.republish({ events: ['ended'], ...OFFICE });
		expect(bench.at(trigger.url())).toMatchObject([
			{ hook: 'channel_destroy', retries: 4, custom_data: { office: 'Riga' } },
		]);
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('are taken over where an unpublishing could not remove them', async () => {
		await trigger.activate();
		const fault = faults().add({ kind: 'status', method: 'DELETE', status: 403 });
		await trigger.deactivate();
		expect(trigger.log.at(-1)).toMatch(/might still be registered .*Delete Leftovers/);
		faults().remove(fault.id);
		await trigger.activate();
		await expectHealthy();
	});

	it('are gone when the workflow is unpublished while n8n still makes them', async () => {
		const slow = { kind: 'latency', method: 'PUT', path: '*/webhooks', times: 1 } as const;
		const fault = faults().add({ ...slow, seconds: 0.5 });
		const activation = trigger.activate().catch(() => undefined);
		while (fault.hits === 0) await sleep(10);
		await trigger.deactivate();
		await activation;
		await trigger.pass(6);
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('stand side by side for production and for test, and are removed apart', async () => {
		await trigger.activate();
		await trigger.activate('manual', 'test');
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, ALL]);
		await trigger.pass(5);
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, ALL]);
		await trigger.deactivate('test');
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, []]);
		await expectHealthy();
	});

	describe('at n8n’s start', () => {
		it.each<[string, () => void]>([
			['nothing has changed', () => undefined],
			[
				'all were deleted',
				() => bench.at(trigger.url()).forEach(({ id }) => bench.store.remove(id)),
			],
			['n8n died as it published options', () => trigger.setParameters({ ...EVENTS, ...OFFICE })],
		])('are right after the first check when %s', async (_, harm) => {
			await trigger.activate();
			harm();
			const asked = bench.requests();
			await trigger.restart();
			expect(bench.requests()).toBe(asked);
			await trigger.pass(1);
			await expectHealthy();
			await trigger.deactivate();
			expect(bench.hooks(trigger)).toEqual([]);
		});

		it('of a test that n8n did not survive go with the first check', async () => {
			await trigger.activate();
			await trigger.activate('manual', 'test');
			await trigger.restart();
			await trigger.pass(1);
			expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, []]);
		});

		it.each([
			['is down', { kind: 'status', path: '*', status: 503 }, 'init'],
			['is silent', { kind: 'latency', path: '*', seconds: 90 }, 'init'],
			['refuses', { kind: 'status', path: '*/webhooks', status: 403 }, 'init'],
			['is down, and a publication goes on', { kind: 'status', path: '*', status: 503 }, 'update'],
		] as const)('never fail because the PBX %s, and are right later', async (_, fault, mode) => {
			const { id } = faults().add(fault);
			const asked = bench.requests();
			await trigger.restart(mode);
			expect(bench.requests()).toBe(asked);
			faults().remove(id);
			await trigger.pass(1);
			await expectHealthy();
		});

		it('never fail because parameters or the credential cannot be read, and it is told', async () => {
			trigger.setParameters({ events: ['ringing'] });
			await trigger.restart();
			await trigger.pass(6);
			expect(trigger.reported.map(({ message }) => message)).toEqual([
				expect.stringContaining("\"ringing\" isn't a valid value for 'Events'"),
			]);
		});
	});

	describe('in a publication that fails', () => {
		const failCreation = (order: Omit<FaultOrder, 'method' | 'path' | 'kind'>) => () =>
			void faults().add({ kind: 'status', method: 'PUT', path: '*/webhooks', ...order });
		/** Changes webhooks at the PBX right after it has created one. */
		const afterCreation = (change: (webhook: Webhook) => void) => () =>
			bench.sandbox.pbx.bus.listen((type, data) => {
				const isCreation = type === 'request' && (data as { method: string }).method === 'PUT';
				if (isCreation) bench.at(trigger.url()).forEach(change);
			});
		/** As Kazoo responds to a webhook for 127.0.0.1. */
		const rejectedAddress = {
			...{ status: 'error', error: '400', message: 'validation error' },
			data: { uri: { error: { message: 'invalid client URL' } } },
		};
		it.each<[string, () => (() => void) | void, RegExp]>([
			[
				'the password is wrong',
				() => bench.credential.write({ password: 'wrong', authToken: '' }),
				/doesn't accept the login.*Check 'Login', 'Password', and 'Realm'/,
			],
			[
				'the PBX refuses the second webhook',
				failCreation({ skip: 1, status: 400, body: { message: 'Too many webhooks', data: {} } }),
				/Too many webhooks/,
			],
			[
				'the PBX rejects its address',
				failCreation({ status: 400, body: rejectedAddress }),
				/invalid client URL.*the trigger's address http.*N8N_WEBHOOK_URL.*'Delivery URL'/s,
			],
			[
				'the PBX disables a webhook at once',
				afterCreation((webhook) => bench.store.put({ ...webhook, enabled: false })),
				/has disabled the webhook.*Ask your PBX provider/s,
			],
			[
				'the PBX sets it to GET',
				afterCreation((webhook) => bench.store.put({ ...webhook, http_verb: 'get' })),
				/set to GET instead of POST by the PBX.*Ask your PBX provider/s,
			],
			[
				"the PBX doesn't keep its custom data",
				afterCreation((webhook) => bench.store.put({ ...webhook, custom_data: {} })),
				/doesn't keep the custom data.*Turn off 'Verify Deliveries'/s,
			],
			[
				'the PBX keeps no webhook',
				afterCreation(({ id }) => bench.store.remove(id)),
				/doesn't list it/,
			],
		])('because %s: one message, asked once, nothing left', async (_, harm, words) => {
			const stop = harm();
			await expect(trigger.activate()).rejects.toThrow(words);
			stop?.();
			expect(bench.hooks(trigger)).toEqual([]);
			expect(bench.logins()).toBeLessThanOrEqual(1);
			expect(bench.requests('PUT /accounts/:account_id/webhooks')).toBeLessThanOrEqual(3);
			const asked = bench.requests();
			await trigger.pass(6);
			expect(bench.requests()).toBe(asked);
		});
	});

	it("need no custom data if 'Verify Deliveries' is off", async () => {
		await trigger.republish({ ...EVENTS, deliveryOptions: { verifyDeliveries: false } });
		for (const one of bench.at(trigger.url())) bench.store.put({ ...one, custom_data: {} });
		const before = bench.at(trigger.url());
		await trigger.pass(6);
		expect([bench.at(trigger.url()), trigger.reported]).toEqual([before, []]);
		expect((await trigger.deliver({ body: { name: 'CHANNEL_BRIDGE', args: {} } })).status).toBe(
			200,
		);
	});

	it('are registered by a later attempt of the same publication when the PBX comes back', async () => {
		if (way === 'older') return;
		faults().add({ kind: 'status', path: '*/webhooks', status: 500, times: 2 });
		await trigger.activate();
		await expectHealthy();
	});
});

it('the webhooks of a trigger whose credential changes are registered with another login', async () => {
	const trigger = await bench.trigger(EVENTS);
	await trigger.activate();
	const [, other] = bench.sandbox.pbx.accounts.values();
	if (!other) throw new Error('The sandbox has one account only');
	const { login, password, realm } = other.identity;
	bench.credential.write({ login, password, realm });
	await trigger.pass(5);
	expect(other.webhooks.all().map(({ uri }) => uri)).toEqual(ALL.map(() => trigger.url()));
	await trigger.deactivate();
	expect(other.webhooks.all()).toEqual([]);
});
