import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { FaultOrder } from '../../sandbox/faults/schema';
import type { Webhook } from '../../sandbox/model/types';
import { BOTH_WAYS } from '../support/core';
import type { TestTrigger } from '../support/core';
import { TestCredentialsHelper } from '../support/core/credentials';
import { TriggerBench } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended', 'missed'] };
const OFFICE = { deliveryOptions: { retries: 4, customData: '{"office":"Riga"}' } };

describe.each(BOTH_WAYS)('the webhooks of the event trigger, published the %s way', (way) => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	beforeEach(async () => {
		trigger = await bench.trigger(EVENTS, { way });
		bench.addForeign(trigger);
	});
	afterEach(async () => {
		bench.expectForeignUntouched();
		await bench.clear();
	});
	afterAll(async () => await bench.close());

	/** One healthy webhook per event, whose deliveries start the workflow. */
	async function expectHealthy(hooks = ALL): Promise<void> {
		expect(bench.hooks(trigger)).toEqual(hooks);
		expect(bench.at(trigger.url())).toEqual(
			hooks.map(() => expect.objectContaining({ http_verb: 'post', enabled: true })),
		);
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
		expect(bench.at(trigger.url())).toEqual([
			expect.objectContaining({
				hook: 'channel_destroy',
				retries: 4,
				custom_data: expect.objectContaining({ office: 'Riga' }),
			}),
		]);
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('are taken over where an unpublishing could not remove them', async () => {
		await trigger.activate();
		const fault = bench.sandbox.pbx.faults.add({ kind: 'status', method: 'DELETE', status: 403 });
		await trigger.deactivate();
		expect(trigger.log.at(-1)).toMatch(/might still be registered .*Delete Leftovers/);
		bench.sandbox.pbx.faults.remove(fault.id);
		await trigger.activate();
		await expectHealthy();
	});

	it('are gone when the workflow is unpublished while n8n still makes them', async () => {
		const slow = { kind: 'latency', method: 'PUT', path: '*/webhooks', times: 1 } as const;
		const fault = bench.sandbox.pbx.faults.add({ ...slow, seconds: 0.5 });
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

	/** As Kazoo responds to a webhook for 127.0.0.1. */
	const REJECTED_ADDRESS = {
		...{ status: 'error', error: '400', message: 'validation error' },
		data: { uri: { error: { message: 'invalid client URL' } } },
	};

	describe('at n8n’s start', () => {
		it.each<[string, () => void]>([
			['nothing has changed', () => undefined],
			[
				'all were deleted',
				() => bench.at(trigger.url()).forEach(({ id }) => bench.store.remove(id)),
			],
			[
				'n8n was killed while it published new options',
				() => trigger.setParameters({ ...EVENTS, ...OFFICE }),
			],
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
			['is down', { kind: 'status', path: '*', status: 503 }],
			['is silent', { kind: 'latency', path: '*', seconds: 90 }],
			['refuses', { kind: 'status', path: '*/webhooks', status: 403 }],
		] as const)('never fail because the PBX %s, and are made right later', async (_, fault) => {
			const { id } = bench.sandbox.pbx.faults.add(fault);
			const asked = bench.requests();
			await trigger.restart();
			expect(bench.requests()).toBe(asked);
			bench.sandbox.pbx.faults.remove(id);
			await trigger.pass(1);
			await expectHealthy();
		});

		it('never fail because parameters or the credential cannot be read, and it is told', async () => {
			trigger.setParameters({ events: ['ringing'] });
			await trigger.restart();
			await trigger.pass(6);
			expect(trigger.reported).toEqual([
				expect.objectContaining({
					message: expect.stringContaining("\"ringing\" isn't a valid value for 'Events'"),
				}),
			]);
		});
	});

	it('ask nobody when n8n finishes, after its start, a publication in which it was killed', async () => {
		const fault = bench.sandbox.pbx.faults.add({ kind: 'status', path: '*', status: 503 });
		await trigger.restart('update');
		bench.sandbox.pbx.faults.remove(fault.id);
		await trigger.pass(1);
		await expectHealthy();
	});

	describe('in a publication that fails', () => {
		const harmCreation = (order: Omit<FaultOrder, 'method' | 'path'>): undefined =>
			void bench.sandbox.pbx.faults.add({ method: 'PUT', path: '*/webhooks', ...order });
		/** Changes webhooks at the PBX right after it has created one. */
		const afterCreation = (change: (webhook: Webhook) => void) =>
			bench.sandbox.pbx.bus.listen((type, data) => {
				const isCreation = type === 'request' && (data as { method: string }).method === 'PUT';
				const all = isCreation ? bench.sandbox.pbx.firstAccount.webhooks.all() : [];
				for (const webhook of all) if (webhook.uri === trigger.url()) change(webhook);
			});
		const body = { message: 'Too many webhooks', data: {} };
		it.each<[string, () => (() => void) | undefined, RegExp]>([
			[
				'the password is wrong',
				() => void bench.credential.write({ password: 'wrong', authToken: '' }),
				/doesn't accept the login.*Check 'Login', 'Password', and 'Realm'/,
			],
			[
				'the PBX refuses the second webhook',
				() => harmCreation({ kind: 'status', skip: 1, status: 400, body }),
				/Too many webhooks/,
			],
			[
				'the PBX rejects its address',
				() => harmCreation({ kind: 'status', status: 400, body: REJECTED_ADDRESS }),
				/invalid client URL.*the trigger's address http.*N8N_WEBHOOK_URL.*'Delivery URL'/s,
			],
			[
				'the PBX disables a webhook at once',
				() => afterCreation((webhook) => (webhook.enabled = false)),
				/has disabled the webhook.*Ask your PBX provider/s,
			],
			[
				'the PBX sets it to GET',
				() => afterCreation((webhook) => (webhook.http_verb = 'get')),
				/set to GET instead of POST by the PBX.*Ask your PBX provider/s,
			],
			[
				"the PBX doesn't keep its custom data",
				() => afterCreation((webhook) => (webhook.custom_data = {})),
				/doesn't keep the custom data.*Turn off 'Verify Deliveries'/s,
			],
			[
				'the PBX keeps no webhook',
				() => afterCreation(({ id }) => bench.sandbox.pbx.firstAccount.webhooks.remove(id)),
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
		bench.sandbox.pbx.faults.add({ kind: 'status', path: '*/webhooks', status: 500, times: 2 });
		await trigger.activate();
		await expectHealthy();
	});
});

describe('the webhooks of a trigger whose credential changes', () => {
	let bench: TriggerBench;
	beforeEach(async () => {
		bench = await TriggerBench.start();
	});
	afterEach(async () => await bench.close());

	it('are registered with another login', async () => {
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
});

describe('parameters that cannot be used', () => {
	let bench: TriggerBench;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	afterAll(async () => await bench.close());

	it.each<[IDataObject, string]>([
		[{ events: [] }, "'Events' is empty"],
		[{ events: ['started', 'ringing'] }, "\"ringing\" isn't a valid value for 'Events'"],
		[{ filters: { callType: 'Exclude' } }, "\"Exclude\" isn't a valid value for 'Call Type'"],
		[{ options: { legs: 'both' } }, "\"both\" isn't a valid value for 'Start the Workflow'"],
		...[9, 0, '', ' ', 1.5, -1, true, [2], {}, 'two'].map((retries): [IDataObject, string] => [
			{ deliveryOptions: { retries } as IDataObject },
			"'Delivery Attempts' must be a whole number from 1 to 4",
		]),
		[{ deliveryOptions: { checkMinutes: -1 } }, "'Check Every (Minutes)' must be a whole number"],
		[{ deliveryOptions: { customData: '{' } }, "'Custom Data (JSON)' isn't valid JSON"],
		[
			{ deliveryOptions: { deliveryUrl: 'ftp://x' } },
			"'Delivery URL' isn't a web address: ftp://x",
		],
		[
			{ deliveryOptions: { customData: '{"Call-ID":1}' } },
			'\'Custom Data (JSON)\' must not contain the key "Call-ID"',
		],
		[
			{ filters: { minTalkSeconds: -1 } },
			"'Minimum Talk Time (Seconds)' must be a number of at least 0",
		],
	])('are refused, and nothing is sent: %j', async (parameters, message) => {
		const trigger = await bench.trigger(parameters);
		const asked = bench.requests();
		await expect(trigger.activate()).rejects.toThrow(message);
		expect(bench.requests()).toBe(asked);
		expect(bench.hooks(trigger)).toEqual([]);
	});
});
