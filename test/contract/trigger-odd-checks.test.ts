import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { countingPbx, OddBench } from '../support/trigger/oddBench';
import type { Habits } from '../support/trigger/oddBench';

const BOTH = ['channel_create', 'channel_destroy'];
const bench = new OddBench();
afterEach(async () => await bench.close());

describe('checks on a PBX with its own habits', () => {
	const uriAs = (change: (uri: string) => string): Habits => ({
		show: (webhook) => ({ ...webhook, uri: change(String(webhook.uri)) }),
	});
	const MOVING: Array<[string, Habits]> = [
		['adds a slash to addresses', uriAs((uri) => `${uri}/`)],
		['shows addresses with https', uriAs((uri) => uri.replace('http:', 'https:'))],
		['shows addresses without the port', uriAs((uri) => uri.replace(/:\d+\//, '/'))],
		[
			'keys its list by id',
			{
				whole: (items) =>
					Object.fromEntries((items as IDataObject[]).map(({ id, ...item }) => [id, item])),
			},
		],
		['lists what was there 300 ms before', { listIsLateMs: 300 }],
	];
	it.each(MOVING)(
		'that %s loses nothing that a check has made right: deactivation removes it all',
		async (_, habits) => {
			await bench.start(habits);
			await bench.trigger.activate();
			await bench.trigger.pass(5);
			bench.switchOff();
			await sleep(habits.listIsLateMs ?? 0);
			await bench.trigger.pass(5);
			expect([bench.hooks(), bench.isWell()]).toEqual([BOTH, true]);
			await bench.trigger.pass(10);
			await bench.trigger.deactivate();
			expect(bench.hooks()).toEqual([]);
		},
	);

	it.each(MOVING)(
		'that %s has one webhook per event after a check, a restart and another',
		async (_, habits) => {
			await bench.start(habits);
			await bench.trigger.activate();
			bench.switchOff();
			await sleep(habits.listIsLateMs ?? 0);
			await bench.trigger.pass(5);
			await sleep(habits.listIsLateMs ?? 0);
			await bench.restart();
			expect([bench.hooks(), bench.isWell()]).toEqual([BOTH, true]);
			const before = bench.writes();
			await bench.restart();
			await bench.trigger.pass(10);
			expect(bench.writes()).toBe(before);
			await bench.trigger.deactivate();
			expect(bench.hooks()).toEqual([]);
		},
	);

	it.each(MOVING)('that %s piles nothing up where repairs fail half-way', async (_, habits) => {
		await bench.start(habits);
		await bench.trigger.activate();
		bench.switchOff();
		await sleep(habits.listIsLateMs ?? 0);
		bench.refusesHook = 'channel_destroy';
		await bench.trigger.pass(25);
		expect(bench.stored.size).toBeLessThanOrEqual(3);
		bench.refusesHook = undefined;
		await bench.trigger.pass(5);
		expect([bench.hooks(), bench.isWell()]).toEqual([BOTH, true]);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual([]);
	});

	it.each(MOVING)(
		'that %s keeps what half a repair has made from staying for ever',
		async (_, habits) => {
			await bench.start(habits);
			await bench.trigger.activate();
			bench.switchOff();
			await sleep(habits.listIsLateMs ?? 0);
			bench.refusesHook = 'channel_destroy';
			await bench.trigger.pass(5);
			bench.refusesHook = undefined;
			await bench.trigger.deactivate();
			expect(bench.hooks()).toEqual([]);
		},
	);

	const cut = (...names: string[]): Habits => ({
		list: (webhook) => Object.fromEntries(names.map((name) => [name, webhook[name]])),
	});
	it.each<[string, Habits, number]>([
		['names of webhooks alone', cut('id', 'name'), 3],
		['everything but whether they are enabled', cut('id', 'name', 'hook', 'uri'), 3],
		['no more than one webhook', { whole: (items) => items.slice(0, 1) }, 2],
		['everything', {}, 1],
	])('that lists %s is seen to switch one off at the next check', async (_, habits, requests) => {
		await bench.start({ show: (webhook) => ({ enabled: true, ...webhook }), ...habits });
		await bench.trigger.activate();
		await bench.trigger.pass(5);
		const before = bench.pbx.requests.length;
		await bench.trigger.pass(5);
		expect(bench.pbx.requests.length - before).toBe(requests);
		const last = [...bench.stored.values()].at(-1);
		if (last) last.enabled = false;
		await bench.trigger.pass(5);
		expect([bench.hooks(), bench.isWell()]).toEqual([BOTH, true]);
		expect(bench.trigger.log).toEqual([expect.stringMatching(/was disabled/)]);
	});

	it.each([500, 502, 403, 404])(
		'that answers %d for a webhook of others, and lists no addresses, still has ours checked',
		async (status) => {
			await bench.start(cut('id', 'name'));
			bench.stored.set('broken', { id: 'broken', name: 'Someone else', hook: 'channel_destroy' });
			bench.unreadable = { broken: { status, body: {} } };
			await bench.trigger.activate();
			for (const [id, { hook }] of bench.stored)
				if (hook === 'channel_create') bench.stored.delete(id);
			await bench.trigger.pass(5);
			expect(bench.hooks()).toEqual([...BOTH, 'channel_destroy']);
			await bench.trigger.deactivate();
			expect([...bench.stored.keys()]).toEqual(['broken']);
		},
		30_000,
	);

	it('that fails to show one of ours is not taken for one that has lost it', async () => {
		await bench.start(cut('id', 'name'));
		await bench.trigger.activate();
		const [id = ''] = bench.stored.keys();
		bench.unreadable = { [id]: { status: 500, body: {} } };
		const before = bench.writes();
		await bench.trigger.pass(15);
		await bench.trigger.activate('init');
		expect(bench.writes()).toBe(before);
	});

	it('touches no webhook on another host, or with another secret, however alike its address is', async () => {
		await bench.start({});
		await bench.trigger.activate();
		const [own] = bench.stored.values();
		const secret = own?.custom_data;
		const like = (id: string, uri: string, custom_data: unknown) =>
			bench.stored.set(id, { ...own, id, uri, custom_data } as IDataObject);
		like('f1', bench.trigger.url().replace('127.0.0.1', 'other.example.com'), secret);
		like('f2', `${bench.trigger.url()}2`, secret);
		like('f3', `${bench.trigger.url()}/`, { n8n_webhook_secret: 'f'.repeat(64) });
		like('f4', `${bench.trigger.url()}/`, undefined);
		const foreign = () =>
			structuredClone([...bench.stored.values()].filter(({ id }) => /^f/.test(String(id))));
		const before = foreign();
		await bench.trigger.pass(10);
		await bench.restart();
		await bench.trigger.pass(10);
		await bench.trigger.deactivate();
		expect(foreign()).toEqual(before);
		expect(bench.stored.size).toBe(4);
	});

	it('that counts in custom data is not written to by checks, but by a change of ours', async () => {
		await bench.start(countingPbx());
		await bench.trigger.activate();
		const before = bench.writes();
		await bench.trigger.pass(15);
		expect([bench.writes(), bench.trigger.log]).toEqual([before, []]);
		bench.trigger.setParameters({ options: { pingsItself: false } });
		await bench.trigger.activate('init');
		for (const { custom_data } of bench.stored.values())
			expect(Object.keys(custom_data as object)).toEqual(['n8n_webhook_secret']);
		expect(bench.hooks()).toEqual(BOTH);
	});
});
