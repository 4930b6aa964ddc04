import { setTimeout as sleep } from 'node:timers/promises';
import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import { TriggerBench } from '../support/trigger';
import type { TestTrigger } from '../support/core';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended', 'missed'] };

describe('the webhooks of the event trigger', () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	beforeEach(async () => {
		trigger = await bench.trigger(EVENTS);
		bench.addForeign(trigger);
	});
	afterEach(async () => {
		bench.expectForeignUntouched();
		await bench.clear();
	});
	afterAll(async () => await bench.close());

	/** After any activation: one healthy webhook per event, one secret, and it is the one that deliveries need. */
	async function expectHealthy(hooks = ALL): Promise<void> {
		expect(bench.hooks(trigger)).toEqual(hooks);
		expect(bench.at(trigger.url())).toEqual(
			hooks.map(() => expect.objectContaining({ http_verb: 'post', retries: 2, enabled: true })),
		);
		expect(bench.secrets(trigger)).toEqual([trigger.staticData.secret]);
		const before = trigger.executions.length;
		await bench.sandbox.call({ from: '74951234567', to: '74950000100' });
		expect(trigger.executions).toHaveLength(before + hooks.length);
	}

	it('are one per hook after activation, and none after deactivation', async () => {
		await trigger.activate();
		await expectHealthy();
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
		expect(trigger.staticData).toEqual({});
	});

	it('get a new secret with each registration', async () => {
		await trigger.activate();
		const first = bench.secrets(trigger);
		await trigger.deactivate();
		await trigger.activate();
		expect(bench.secrets(trigger)).not.toEqual(first);
		await expectHealthy();
	});

	it('stay as they are when n8n starts again', async () => {
		await trigger.activate();
		const before = bench.at(trigger.url());
		await trigger.activate('init');
		expect(bench.at(trigger.url())).toEqual(before);
		await expectHealthy();
	});

	it.each<[string, () => void]>([
		['static data are lost', () => (trigger.staticData = {})],
		['static data are garbage', () => (trigger.staticData = { secret: 5, sent: [], shown: 'x' })],
		['one was deleted at the PBX', () => bench.store.remove(bench.at(trigger.url())[0]?.id ?? '')],
		[
			'all were deleted at the PBX',
			() => bench.at(trigger.url()).forEach(({ id }) => bench.store.remove(id)),
		],
		[
			'one was disabled',
			() => edit({ enabled: false, disable_reason: 'too many failed attempts' }),
		],
		['one got another verb', () => edit({ http_verb: 'get' })],
		['one got other retries', () => edit({ retries: 0 })],
		['one got another name', () => edit({ name: 'Renamed' })],
		['one got another hook', () => edit({ hook: 'channel_destroy' })],
		['one lost its custom data', () => edit({ custom_data: undefined })],
		['one got another secret', () => edit({ custom_data: { n8n_webhook_secret: 'f'.repeat(64) } })],
		['one has a double', () => bench.add({ ...bench.at(trigger.url())[1], id: 'double' })],
		[
			'all have doubles without custom data',
			() =>
				ALL.forEach((hook) => bench.add({ uri: trigger.url(), hook: hook as 'channel_create' })),
		],
		['n8n was killed before it saved the first activation', () => (trigger.staticData = {})],
	])('are made right at the next start when %s', async (_, harm) => {
		await trigger.activate();
		harm();
		await trigger.activate('init');
		await expectHealthy();
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	function edit(changes: object): void {
		const webhook = bench.at(trigger.url())[0];
		if (webhook) bench.store.put({ ...webhook, ...changes });
	}

	it.each([
		['n8n still checks them at its start', 'init', 'GET'],
		['n8n still makes them', 'activate', 'PUT'],
	] as const)('are gone when the workflow is deactivated while %s', async (_, mode, method) => {
		if (mode === 'init') await trigger.activate();
		const slow = { kind: 'latency', method, path: '*/webhooks', seconds: 0.5, times: 1 } as const;
		const fault = bench.sandbox.pbx.faults.add(slow);
		const activation = trigger.activate(mode);
		while (fault.hits === 0) await sleep(10);
		await trigger.deactivate();
		await activation;
		expect(bench.hooks(trigger)).toEqual([]);
		await trigger.activate();
		await expectHealthy();
	});

	it('keep their secret when only static data are lost', async () => {
		await trigger.activate();
		const before = bench.secrets(trigger);
		trigger.staticData = {};
		await trigger.activate('init');
		expect(bench.secrets(trigger)).toEqual(before);
	});

	it('that someone has pointed elsewhere are left to them, and made anew', async () => {
		await trigger.activate();
		edit({ uri: 'http://127.0.0.1:9/theirs' });
		await trigger.activate('init');
		await expectHealthy();
		await trigger.deactivate();
		expect(bench.at('http://127.0.0.1:9/theirs')).toHaveLength(1);
	});

	it('follow changed events and options', async () => {
		await trigger.activate();
		trigger.setParameters({
			events: ['ended'],
			options: { retries: 4, customData: '{"office":"Riga"}' },
		});
		await trigger.activate('update');

		expect(bench.at(trigger.url())).toEqual([
			expect.objectContaining({
				hook: 'channel_destroy',
				retries: 4,
				custom_data: { office: 'Riga', n8n_webhook_secret: trigger.staticData.secret },
			}),
		]);
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it.each(['without_uri', 'brief', 'full'] as const)(
		'are found in a list that shows items %s',
		async (shape) => {
			bench.sandbox.pbx.change({ webhook_list: shape });
			await trigger.activate();
			trigger.staticData = {};
			await trigger.activate('init');
			await expectHealthy();
			await trigger.deactivate();
			expect(bench.hooks(trigger)).toEqual([]);
		},
	);

	it('are found in a list of many pages', async () => {
		for (let count = 0; count < 30; count++) bench.add({});
		bench.sandbox.pbx.change({ page_size: 7 });
		await trigger.activate();
		trigger.staticData = {};
		await trigger.activate('init');
		await expectHealthy();
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('are rolled back when one of them is refused, and the user is told why', async () => {
		const body = { message: 'Too many webhooks', data: {} };
		bench.sandbox.pbx.faults.add({
			kind: 'status',
			method: 'PUT',
			path: '*/webhooks',
			skip: 1,
			status: 400,
			body,
		});

		await expect(trigger.activate()).rejects.toThrow('Too many webhooks');
		expect(bench.hooks(trigger)).toEqual([]);
		expect(trigger.staticData).toEqual({});
	});

	it('leave nothing behind when the PBX made one but its answer was lost', async () => {
		bench.sandbox.pbx.faults.add({
			kind: 'drop',
			when: 'after',
			method: 'PUT',
			path: '*/webhooks',
			skip: 2,
		});

		await expect(trigger.activate()).rejects.toThrow(/dropped the connection/);
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it.each(['webhook-disable', 'webhook-delete'] as const)(
		'fail to activate in words when the PBX at once does %s',
		async (kind) => {
			bench.sandbox.pbx.faults.add({ kind, method: 'PUT', path: '*/webhooks', times: 1 });
			await expect(trigger.activate()).rejects.toThrow(/disabled the webhook|does not list it/);
			expect(bench.hooks(trigger)).toEqual([]);
		},
	);

	it('are taken for registered while the PBX is down at start, and throw at a refusal', async () => {
		await trigger.activate();
		const fault = bench.sandbox.pbx.faults.add({ kind: 'status', path: '*/webhooks', status: 500 });
		await trigger.activate('init');
		expect(bench.hooks(trigger)).toEqual(ALL);
		bench.sandbox.pbx.faults.remove(fault.id);
		await expectHealthy();

		bench.sandbox.pbx.faults.add({
			kind: 'status',
			path: '*/webhooks',
			status: 400,
			method: 'GET',
		});
		await expect(trigger.activate('init')).rejects.toThrow();
	});

	it('are taken for registered when not even a login is possible at start, but not when it is refused', async () => {
		await trigger.activate();
		bench.credential.write({ authToken: '' });
		forgetLogins();
		const fault = bench.sandbox.pbx.faults.add({
			kind: 'status',
			path: '*/user_auth',
			status: 503,
		});
		await trigger.activate('init');
		bench.sandbox.pbx.faults.remove(fault.id);
		await expectHealthy();

		bench.credential.write({ authToken: '' });
		forgetLogins();
		bench.sandbox.pbx.faults.add({ kind: 'status', path: '*/user_auth', status: 401, times: 1 });
		await expect(trigger.hook('checkExists', 'init')).rejects.toThrow(/does not accept the login/);
	});

	it('are not taken for registered at start when the secret is lost, too', async () => {
		await trigger.activate();
		trigger.staticData = {};
		bench.sandbox.pbx.faults.add({
			kind: 'status',
			path: '*/webhooks',
			status: 500,
			times: 3,
			method: 'GET',
		});
		await expect(trigger.activate('init')).rejects.toThrow();
		await trigger.activate('init');
		await expectHealthy();
	});

	it('are removed although the PBX fails at first, and a 404 on delete is fine', async () => {
		await trigger.activate();
		bench.sandbox.pbx.faults.add({ kind: 'status', method: 'DELETE', status: 500, times: 2 });
		bench.sandbox.pbx.faults.add({
			kind: 'status',
			method: 'DELETE',
			status: 404,
			when: 'after',
			skip: 2,
			times: 1,
		});
		expect(await trigger.hook('delete')).toBe(true);
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('stay known when they cannot be removed, so that the next activation takes them over', async () => {
		await trigger.activate();
		const fault = bench.sandbox.pbx.faults.add({ kind: 'status', method: 'DELETE', status: 403 });
		expect(await trigger.hook('delete')).toBe(false);
		expect(bench.hooks(trigger)).toEqual(ALL);
		bench.sandbox.pbx.faults.remove(fault.id);
		await trigger.activate();
		await expectHealthy();
	});

	it('stand side by side for production and for test, and are removed apart', async () => {
		await trigger.activate();
		await trigger.activate('manual', 'test');
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, ALL]);
		await trigger.deactivate();
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([[], ALL]);
		await trigger.activate();
		await trigger.deactivate('test');
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, []]);
		await expectHealthy();
	});

	it('of a test that n8n did not survive are swept at the next start', async () => {
		await trigger.activate();
		for (const hook of ALL) bench.add({ uri: trigger.url('test'), hook: hook as 'channel_create' });
		await trigger.activate('init');
		expect([bench.hooks(trigger), bench.hooks(trigger, 'test')]).toEqual([ALL, []]);
	});
});

describe('the webhooks of a trigger whose credential changes', () => {
	let bench: TriggerBench;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	afterAll(async () => await bench.close());

	it('are registered anew, with a new secret, when the credential is edited to another login', async () => {
		const trigger = await bench.trigger(EVENTS);
		await trigger.activate();
		const [old] = bench.secrets(trigger);
		const ids = bench.at(trigger.url()).map(({ id }) => id);
		const [, other] = bench.sandbox.pbx.accounts.values();
		if (!other) throw new Error('The sandbox has one account only');
		const { login, password, realm } = other.identity;
		bench.credential.write({ login, password, realm });
		await trigger.activate('init');

		expect(other.webhooks.all().map(({ uri }) => uri)).toEqual(ALL.map(() => trigger.url()));
		expect(trigger.staticData.secret).not.toBe(old);
		expect(bench.at(trigger.url()).map(({ id }) => id)).toEqual(ids);
		await bench.sandbox.call({ from: '74951234567', to: '74950000100' });
		expect(trigger.executions).toEqual([]);
		await trigger.deactivate();
		expect(other.webhooks.all()).toEqual([]);
	});
});

describe('a URL that the PBX cannot reach', () => {
	let bench: TriggerBench;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	afterAll(async () => await bench.close());

	it('is refused at activation with the setting to change, and taken when told to', async () => {
		bench.credential.write({ baseUrl: 'https://pbx.example.com' });
		const trigger = await bench.trigger({});
		await expect(trigger.hook('create')).rejects.toThrow('cannot call this n8n');
		await expect(trigger.hook('checkExists')).rejects.toMatchObject({
			message: expect.stringContaining('cannot call this n8n at 127.0.0.1'),
			description: expect.stringContaining('N8N_WEBHOOK_URL'),
		});
		bench.credential.write({ baseUrl: bench.sandbox.url });
		await trigger.activate();
		expect(bench.hooks(trigger)).toEqual(['channel_destroy']);
	});

	it.each([
		[{ events: [] }, 'Events is empty'],
		[{ events: ['started', 'ringing'] }, 'Events: "ringing" is not known'],
		[{ legs: 'both' }, 'Legs: "both" is not known'],
		[{ options: { retries: 9 } }, 'Retries must be a whole number from 1 to 4'],
		[{ options: { customData: '{' } }, 'Custom Data is not a JSON object'],
		[
			{ options: { customData: '{"Call-ID":1}' } },
			'Custom Data must not contain the key "Call-ID"',
		],
		[{ filters: { minTalkSeconds: -1 } }, 'Minimum Talk Time must be a number of at least 0'],
	])('is no concern when parameters are wrong: %j', async (parameters, message) => {
		const trigger = await bench.trigger(parameters);
		await expect(trigger.activate()).rejects.toThrow(message);
		expect(bench.hooks(trigger)).toEqual([]);
	});
});
