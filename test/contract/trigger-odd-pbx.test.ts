import type { IDataObject } from 'n8n-workflow';

import type { Habits } from '../support/trigger/oddBench';
import { OddBench } from '../support/trigger/oddBench';

const bench = new OddBench();
afterEach(async () => await bench.close());
const BOTH = ['channel_create', 'channel_destroy'];
const without =
	(...names: string[]) =>
	(webhook: IDataObject) =>
		Object.fromEntries(Object.entries(webhook).filter(([name]) => !names.includes(name)));

/** The contract shows neither the answers nor the lists of webhooks (§4.4): all reasonable forms are read. */
describe('the event trigger on a PBX with its own habits', () => {
	it.each<[string, Habits]>([
		['shows everything', {}],
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
		['shows neither method nor retries', { details: without('http_verb', 'retries') }],
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

	it('that turns every webhook to GET is refused, and says so', async () => {
		await bench.start({ details: (webhook) => ({ ...webhook, http_verb: 'get' }) });
		await expect(bench.trigger.activate()).rejects.toThrow(
			/\(Call .*\)" was set to GET instead of POST by the PBX.*Ask your PBX provider/s,
		);
		expect(bench.hooks()).toEqual([]);
	});

	it.each<[string, Habits['details']]>([
		['keep', (webhook) => ({ ...webhook, custom_data: {} })],
		['show', without('custom_data')],
	])('that does not %s custom data is refused with what to do, which works', async (_, details) => {
		await bench.start({ ...(details && { details }) });
		await expect(bench.trigger.activate()).rejects.toThrow(
			/doesn't keep the custom data.*Turn off 'Verify Deliveries'/s,
		);
		expect(bench.hooks()).toEqual([]);
		bench.trigger.setParameters({ deliveryOptions: { verifyDeliveries: false } });
		await bench.trigger.activate();
		expect(bench.hooks()).toEqual(BOTH);
		const before = bench.writes();
		await bench.trigger.pass(6);
		expect([bench.writes(), bench.trigger.reported]).toEqual([before, []]);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual([]);
	});
});
