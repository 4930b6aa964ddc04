import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME, writeTag } from '../../nodes/VirtualPbx/pbx/events/webhookTag';
import type { Habits } from '../support/trigger/oddBench';
import { OddBench } from '../support/trigger/oddBench';

const bench = new OddBench();
afterEach(async () => await bench.close());
const OWNER = '0123456789abcdef';
const SECRET = 'a1'.repeat(32);
const BOTH = ['channel_create', 'channel_destroy'];
const MASKED = { [TAG_NAME]: '********', floor: '*' };
const without =
	(...names: string[]) =>
	(webhook: IDataObject) =>
		Object.fromEntries(Object.entries(webhook).filter(([name]) => !names.includes(name)));

/** The contract shows neither the answers nor the lists of webhooks (§4.4): all reasonable forms are read. */
describe('the event trigger on a PBX with its own habits', () => {
	it.each<[string, Habits]>([
		['shows everything', {}],
		['never shows custom data', { details: ({ custom_data: _, ...rest }) => rest }],
		[
			'adds to custom data, shortens names, caps retries, and writes verbs and hooks large',
			{
				details: (webhook) => ({
					...webhook,
					...{ name: 'n8n', http_verb: 'POST', retries: 1 },
					hook: String(webhook.hook).toUpperCase(),
					custom_data: { ...(webhook.custom_data as object), floor: '3', sent: Math.random() },
				}),
			},
		],
		['masks custom data', { details: (webhook) => ({ ...webhook, custom_data: MASKED }) }],
		['shows neither method nor retries', { details: without('http_verb', 'retries') }],
		['does not show the event', { details: without('hook', 'custom_data') }],
		['lists bare ids', { list: ({ id }) => id }],
		['shows no address but by id', { list: ({ id, hook }) => ({ id, hook }) }],
		['answers creation without a body', { created: () => undefined }],
		['answers creation without an id', { created: ({ name }) => ({ data: { name } }) }],
		['calls the id _id', { details: ({ id, ...rest }) => ({ ...rest, _id: id }) }],
		['shows a webhook in an array', { details: (webhook) => [webhook], list: (one) => one }],
		['shows an empty list as null', { whenEmpty: { body: { data: null } } }],
	])('that %s registers once, and is not written to again', async (_, habits) => {
		await bench.start(habits);
		await bench.trigger.activate();
		expect(bench.hooks()).toEqual(BOTH);
		const before = bench.writes();
		await bench.trigger.pass(5);
		await bench.trigger.restart();
		await bench.trigger.pass(6);
		expect([bench.writes(), bench.trigger.log]).toEqual([before, []]);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual([]);
	});

	it('that never shows custom data gets the secret of a new password, once', async () => {
		await bench.start({ details: ({ custom_data: _, ...rest }) => rest });
		await bench.trigger.activate();
		const before = bench.customData();
		bench.credential.write({ password: 'another', authToken: '' });
		await bench.trigger.pass(1);
		expect(bench.hooks()).toEqual(BOTH);
		expect(bench.customData()).not.toEqual(before);
		const writes = bench.writes();
		await bench.trigger.pass(6);
		expect(bench.writes()).toBe(writes);
	});

	it('that shows the custom data of other webhooks gets ours again if they lost it before a restart', async () => {
		const lost = new Set<unknown>();
		const hide = without('custom_data');
		await bench.start({ details: (webhook) => (lost.has(webhook.id) ? hide(webhook) : webhook) });
		const tag = { [TAG_NAME]: writeTag({ owner: OWNER, settings: 'abcdef01', secret: SECRET }) };
		const uri = 'https://n8n.example/webhook/1/webhook';
		bench.add({ hook: 'channel_answer', uri, custom_data: tag });
		await bench.trigger.activate();
		for (const id of ['w1', 'w2']) lost.add(id);
		await bench.trigger.restart();
		await bench.trigger.pass(1);
		expect(bench.hooks()).toEqual(['channel_answer', ...BOTH]);
		expect(bench.trigger.log).toEqual([expect.stringContaining('the webhooks were repaired')]);
		const before = bench.writes();
		await bench.trigger.pass(6);
		expect(bench.writes()).toBe(before);
	});

	it('that always shows 0 attempts is written to again once per start, and works', async () => {
		await bench.start({ details: (webhook) => ({ ...webhook, retries: '0' }) });
		await bench.trigger.activate();
		expect(bench.hooks()).toEqual(BOTH);
		const before = bench.writes();
		await bench.trigger.pass(11);
		expect(bench.writes()).toBe(before);
		await bench.trigger.restart();
		await bench.trigger.pass(1);
		const after = bench.writes();
		await bench.trigger.pass(11);
		expect([bench.writes(), bench.hooks()]).toEqual([after, BOTH]);
	});

	it('that turns every webhook to GET is refused, and says so', async () => {
		await bench.start({ details: (webhook) => ({ ...webhook, http_verb: 'get' }) });
		await expect(bench.trigger.activate()).rejects.toThrow(
			/\(Call .*\)" was set to GET instead of POST by the PBX.*Ask your PBX provider/s,
		);
		expect(bench.hooks()).toEqual([]);
	});

	it('that hides custom data keeps a stranger’s webhook at our address, for an event not chosen', async () => {
		await bench.start({ details: without('custom_data') });
		bench.add({ hook: 'channel_answer', uri: bench.trigger.url(), name: 'Mine' });
		await bench.trigger.activate();
		await bench.trigger.pass(6);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual(['channel_answer']);
	});

	it('that does not keep custom data is refused with what to do, which works', async () => {
		await bench.start({ details: (webhook) => ({ ...webhook, custom_data: {} }) });
		await expect(bench.trigger.activate()).rejects.toThrow(
			/doesn't keep the custom data.*Turn off 'Verify Deliveries'/s,
		);
		expect(bench.hooks()).toEqual([]);
		bench.trigger.setParameters({ options: { verifyDeliveries: false } });
		await bench.trigger.activate();
		expect(bench.hooks()).toEqual(BOTH);
		const before = bench.writes();
		await bench.trigger.pass(6);
		expect([bench.writes(), bench.trigger.reported]).toEqual([before, []]);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual([]);
	});
});
