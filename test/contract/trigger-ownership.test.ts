import type { IDataObject } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { forgetSecret } from '../../nodes/VirtualPbx/triggers/callEvent/registration/state';
import { TriggerBench } from '../support/trigger';
import type { TestTrigger } from '../support/core';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended'] };
const CALL = { from: '74951234567', to: '74950000100' };
const LEFTOVERS = 'Webhook → Delete Leftovers';

describe('whose webhooks they are', () => {
	let bench: TriggerBench;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	afterEach(async () => await bench.clear());
	afterAll(async () => await bench.close());

	/** A node of one workflow, as several n8n or several databases may have it. */
	function makeIdentity() {
		return { nodeId: randomUUID(), webhookId: randomUUID(), workflow: { id: randomUUID() } };
	}
	type Identity = Partial<ReturnType<typeof makeIdentity>> & { name?: string };

	async function put(identity: Identity, more: object = {}): Promise<TestTrigger> {
		return await bench.trigger(EVENTS, { ...identity, ...more });
	}
	const copyOf = ({ staticData }: TestTrigger) => structuredClone(staticData);
	/** As an earlier version of this package left them. */
	const unmarked = ({ staticData: { owner, secret, shown, sent } }: TestTrigger): IDataObject =>
		structuredClone({ owner, secret, shown, sent }) as IDataObject;

	describe('of a copied database at another address', () => {
		it.each(['init', 'activate'] as const)(
			'are its own: with %s it leaves the others alone, and gets some with a new secret',
			async (mode) => {
				const identity = makeIdentity();
				const production = await put(identity);
				await production.activate();
				const before = bench.at(production.url());
				const staging = await put(identity, { staticData: copyOf(production) });
				await staging.activate(mode);

				expect(bench.at(production.url())).toEqual(before);
				expect(bench.hooks(staging)).toEqual(ALL);
				expect(bench.secrets(staging)).not.toEqual(bench.secrets(production));
				expect(staging.log.filter((line) => line.includes(production.url()))).toEqual([
					expect.stringContaining(LEFTOVERS),
				]);
				await staging.activate('init');
				expect(staging.log).toHaveLength(1);
				await bench.sandbox.call(CALL);
				expect([production.executions.length, staging.executions.length]).toEqual([3, 3]);

				await staging.deactivate();
				expect(bench.at(production.url())).toEqual(before);
				expect(bench.hooks(staging)).toEqual([]);
			},
		);

		it('stay when it is deactivated before it could register', async () => {
			const identity = makeIdentity();
			const production = await put(identity);
			await production.activate();
			const staging = await put(identity, { staticData: copyOf(production) });
			const fault = bench.sandbox.pbx.faults.add({
				kind: 'status',
				path: '*/webhooks',
				status: 500,
			});
			await expect(staging.activate('init')).rejects.toThrow();
			bench.sandbox.pbx.faults.remove(fault.id);
			await staging.deactivate();
			expect(bench.hooks(production)).toEqual(ALL);
		});

		it('take no deliveries of the other one', async () => {
			const identity = makeIdentity();
			const production = await put(identity);
			await production.activate();
			const staging = await put(identity, { staticData: copyOf(production) });
			const secret = String(bench.secrets(production)[0]);
			const body = { name: 'CHANNEL_DESTROY', args: {}, n8n_webhook_secret: secret };
			expect(await staging.deliver({ body })).toMatchObject({ status: 401 });
		});
	});

	it.each(['another workflow', 'another node'])(
		'are not taken over with the static data of %s',
		async (which) => {
			const identity = makeIdentity();
			const first = await put(identity);
			await first.activate();
			const copy =
				which === 'another node'
					? { workflow: identity.workflow, name: 'virtualPbxTrigger' }
					: { nodeId: identity.nodeId, workflow: { id: randomUUID() } };
			const second = await put(copy, { staticData: copyOf(first) });
			await second.deactivate();
			expect(bench.hooks(first)).toEqual(ALL);
			await second.activate();
			expect([bench.hooks(first), bench.hooks(second)]).toEqual([ALL, ALL]);
			expect(bench.secrets(second)).not.toEqual(bench.secrets(first));
			await second.deactivate();
			expect([bench.hooks(first), bench.hooks(second)]).toEqual([ALL, []]);
		},
	);

	it('of a renamed node, which has lost its static data, are found again', async () => {
		const identity = makeIdentity();
		const before = await put({ ...identity, name: 'Old name' });
		await before.activate();
		const ids = bench.at(before.url()).map(({ id }) => id);
		const after = await put({ ...identity, name: 'New name' });
		after.moveTo(new URL(before.url()).origin);
		await after.activate('init');
		expect(bench.at(after.url()).map(({ id }) => id)).toEqual(ids);
		await after.deactivate();
		expect(bench.at(before.url())).toEqual([]);
	});

	it('move with n8n to another address: what stands at the old one stays, and is told', async () => {
		const trigger = await put(makeIdentity());
		await trigger.activate();
		const old = trigger.url();
		trigger.moveTo('http://127.0.0.1:9/n8n');
		await trigger.activate('init');
		expect(
			bench
				.at(old)
				.map(({ hook }) => hook)
				.sort(),
		).toEqual(ALL);
		expect(bench.hooks(trigger)).toEqual(ALL);
		expect(trigger.log).toEqual([expect.stringContaining(`registered at ${old} are left alone`)]);
		await trigger.deactivate();
		expect([bench.at(old).length, bench.hooks(trigger)]).toEqual([3, []]);
	});

	describe('with static data of an earlier version of this package', () => {
		it('are taken over where they stand at our address', async () => {
			const identity = makeIdentity();
			const trigger = await put(identity);
			await trigger.activate();
			const before = bench.at(trigger.url());
			trigger.staticData = unmarked(trigger);
			await trigger.activate('init');
			expect(bench.at(trigger.url())).toEqual(before);
			expect(trigger.staticData).toMatchObject({ nodeId: identity.nodeId, url: trigger.url() });
			await trigger.deactivate();
			expect(bench.hooks(trigger)).toEqual([]);
		});

		it('are removed where they stand at our address, by an n8n that has not checked them', async () => {
			const trigger = await put(makeIdentity());
			await trigger.activate();
			forgetSecret(trigger.url());
			trigger.staticData = unmarked(trigger);
			await trigger.deactivate();
			expect(bench.hooks(trigger)).toEqual([]);
		});

		it('are left alone where they stand elsewhere', async () => {
			const identity = makeIdentity();
			const production = await put(identity);
			await production.activate();
			const staging = await put(identity, { staticData: unmarked(production) });
			await staging.deactivate();
			await staging.activate('init');
			expect([bench.hooks(production), bench.hooks(staging)]).toEqual([ALL, ALL]);
			expect(bench.secrets(staging)).not.toEqual(bench.secrets(production));
			expect(staging.log).toEqual([expect.stringContaining(LEFTOVERS)]);
			await staging.deactivate();
			expect([bench.hooks(production), bench.hooks(staging)]).toEqual([ALL, []]);
		});

		it('still let deliveries in while the PBX is down', async () => {
			const trigger = await put(makeIdentity());
			await trigger.activate();
			trigger.staticData = unmarked(trigger);
			const fault = bench.sandbox.pbx.faults.add({
				kind: 'status',
				path: '*/webhooks',
				status: 500,
			});
			await trigger.activate('init');
			await bench.sandbox.call(CALL);
			expect(trigger.executions).toHaveLength(3);
			bench.sandbox.pbx.faults.remove(fault.id);
		});
	});

	describe('of two workflows with one path', () => {
		async function pair(): Promise<[TestTrigger, TestTrigger]> {
			const webhookId = randomUUID();
			const first = await put({ ...makeIdentity(), webhookId });
			const second = await put({ ...makeIdentity(), webhookId });
			second.moveTo(new URL(first.url()).origin);
			expect(second.url()).toBe(first.url());
			return [first, second];
		}

		it('are the first one’s when n8n starts and removes the second one', async () => {
			const [first, second] = await pair();
			await first.activate();
			await second.deactivate();
			expect(bench.hooks(first)).toEqual(ALL);
			await first.activate('init');
			await second.deactivate();
			expect(bench.hooks(first)).toEqual(ALL);
			expect(second.log).toEqual([]);
		});

		it('are the first one’s when the second one has copied or old static data', async () => {
			const [first, second] = await pair();
			await first.activate();
			for (const data of [copyOf(first), unmarked(first)]) {
				second.staticData = data;
				await second.deactivate();
				expect(bench.hooks(first)).toEqual(ALL);
			}
		});
	});

	it('stay when neither static data nor this n8n know of them', async () => {
		const trigger = await put(makeIdentity());
		await trigger.activate();
		forgetSecret(trigger.url());
		const { staticData } = trigger;
		trigger.staticData = {};
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual(ALL);
		trigger.staticData = staticData;
		await trigger.deactivate();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('are not deleted by an ID alone when the list cannot be read', async () => {
		const trigger = await put(makeIdentity());
		await trigger.activate();
		const [webhook] = bench.at(trigger.url());
		if (!webhook) throw new Error('nothing registered');
		bench.store.put({ ...webhook, uri: 'http://127.0.0.1:9/theirs' });
		bench.sandbox.pbx.faults.add({
			kind: 'status',
			method: 'GET',
			path: '*/webhooks',
			status: 403,
		});
		await trigger.deactivate();
		expect(bench.store.all().map(({ uri }) => uri)).toEqual(['http://127.0.0.1:9/theirs']);
	});

	it('are named in the log where they stay after a deactivation', async () => {
		const trigger = await put(makeIdentity());
		await trigger.activate();
		bench.sandbox.pbx.faults.add({ kind: 'status', method: 'DELETE', status: 403 });
		expect(await trigger.hook('delete')).toBe(false);
		expect(trigger.log).toEqual([expect.stringContaining(trigger.url())]);
		expect(trigger.log[0]).toContain(LEFTOVERS);
	});
});

describe('the account and the address that the user chooses', () => {
	let bench: TriggerBench;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	afterEach(async () => await bench.clear());
	afterAll(async () => await bench.close());

	const ownId = () => bench.sandbox.pbx.firstAccount.id;

	it.each(['activate', 'init'] as const)(
		'are followed with %s: all requests act in the account',
		async (mode) => {
			const trigger = await bench.trigger({ ...EVENTS, options: { accountId: ` ${ownId()} ` } });
			await trigger.activate(mode);
			expect(bench.hooks(trigger)).toEqual(ALL);
			expect(trigger.staticData.accountId).toBe(ownId());
			trigger.staticData = {};
			await trigger.activate('init');
			expect(trigger.staticData.accountId).toBe(ownId());
			await trigger.deactivate();
			expect(bench.hooks(trigger)).toEqual([]);
		},
	);

	it('are refused in the PBX’s words where the login may not enter the account', async () => {
		const trigger = await bench.trigger({ ...EVENTS, options: { accountId: 'not-there' } });
		await expect(trigger.activate()).rejects.toThrow();
		expect(bench.hooks(trigger)).toEqual([]);
	});

	it('leave nothing in the account before, when it was changed without n8n’s knowing', async () => {
		const trigger = await bench.trigger(EVENTS);
		await trigger.activate();
		const ids = bench.at(trigger.url()).map(({ id }) => id);
		trigger.setParameters({ options: { accountId: ownId() } });
		await trigger.activate('init');
		expect(bench.hooks(trigger)).toEqual(ALL);
		expect(bench.at(trigger.url()).some(({ id }) => ids.includes(id))).toBe(false);
	});

	it('go to the PBX in place of n8n’s own address, in production and for tests', async () => {
		const options = { deliveryUrl: 'http://127.0.0.1:9/proxy', skipUrlCheck: true };
		const trigger = await bench.trigger({ ...EVENTS, options });
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
		await trigger.deactivate('test');
		expect(bench.at(there('test'))).toEqual([]);

		bench.add({ uri: there('test'), hook: 'channel_answer' });
		await trigger.activate('init');
		expect(bench.at(there('test'))).toEqual([]);
		await trigger.deactivate();
		expect(bench.store.all()).toEqual([]);
	});

	it('are checked for reach in place of n8n’s own address, and named when they are wrong', async () => {
		bench.credential.write({ baseUrl: 'https://pbx.example.com' });
		const at = async (deliveryUrl: string) =>
			await bench.trigger({ ...EVENTS, options: { deliveryUrl } });
		await expect((await at('http://10.0.0.1')).hook('checkExists')).rejects.toThrow(
			'cannot call this n8n at 10.0.0.1',
		);
		bench.credential.write({ baseUrl: bench.sandbox.url });
		await expect((await at('hooks')).activate()).rejects.toThrow('Delivery URL "hooks" is not');
		await expect((await at('')).activate()).rejects.toThrow('Delivery URL is empty');
		expect(bench.store.all()).toEqual([]);
	});
});
