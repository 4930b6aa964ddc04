import type { IDataObject } from 'n8n-workflow';
import type { ScriptedAnswer } from '../support/scriptedPbx';
import { countingPbx, OddBench } from '../support/trigger/oddBench';
import type { Habits } from '../support/trigger/oddBench';

const bench = new OddBench();
afterEach(async () => await bench.close());

describe('the event trigger on a PBX with its own habits', () => {
	const BOTH = ['channel_create', 'channel_destroy'];

	it.each<[string, Habits]>([
		['shows everything', {}],
		['counts in custom data', countingPbx()],
		['never shows custom data', { show: (webhook) => ({ ...webhook, custom_data: undefined }) }],
		[
			'masks custom data',
			{ show: (webhook) => ({ ...webhook, custom_data: { n8n_webhook_secret: '***' } }) },
		],
		[
			'turns custom data into text',
			{ show: (webhook) => ({ ...webhook, custom_data: JSON.stringify(webhook.custom_data) }) },
		],
		[
			'turns values into texts',
			{
				show: (webhook) => ({
					...webhook,
					retries: '2',
					enabled: 'true',
					custom_data: { ...(webhook.custom_data as object), floor: '3' },
				}),
			},
		],
		[
			'shortens names and writes verbs large',
			{ show: (webhook) => ({ ...webhook, name: 'n8n', http_verb: 'POST' }) },
		],
		['caps retries', { show: (webhook) => ({ ...webhook, retries: 1 }) }],
		[
			'writes hooks large',
			{ show: (webhook) => ({ ...webhook, hook: String(webhook.hook).toUpperCase() }) },
		],
		[
			'adds a slash to addresses',
			{ show: (webhook) => ({ ...webhook, uri: `${String(webhook.uri)}/` }) },
		],
		['lists bare ids', { list: ({ id }) => id }],
		['lists only ids', { list: ({ id }) => ({ id }) }],
		['answers creation without a body', { created: () => undefined }],
		['answers creation without an id', { created: ({ name }) => ({ data: { name } }) }],
		['answers creation without an envelope', { created: (webhook) => webhook }],
		['calls the id _id', { show: ({ id, ...rest }) => ({ ...rest, _id: id }) }],
		[
			'shows a webhook in an array, and its address only there',
			{ list: ({ id, hook }) => ({ id, hook }), details: (webhook) => [webhook] },
		],
		['answers creation with an array', { created: (webhook) => ({ data: [webhook] }) }],
		['shows no address but by id', { list: ({ id, hook }) => ({ id, hook }) }],
	])('that %s registers once, and does not write again at the next starts', async (_, habits) => {
		await bench.start(habits);
		await bench.trigger.activate();
		expect(bench.hooks()).toEqual(BOTH);
		const before = bench.writes();
		await bench.trigger.activate('init');
		await bench.trigger.activate('init');
		expect(bench.writes()).toBe(before);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual([]);
	});

	it.each<[string, Habits]>([
		['never shows custom data', { show: (webhook) => ({ ...webhook, custom_data: undefined }) }],
		['masks custom data', { show: (webhook) => ({ ...webhook, custom_data: '***' }) }],
	])('that %s registers anew when the secret is lost, once', async (_, habits) => {
		await bench.start(habits);
		await bench.trigger.activate();
		bench.trigger.staticData = {};
		await bench.trigger.activate('init');
		expect(bench.hooks()).toEqual(BOTH);
		const secrets = [...bench.stored.values()].map(
			(webhook) => (webhook.custom_data as IDataObject).n8n_webhook_secret,
		);
		expect(new Set(secrets)).toEqual(new Set([bench.trigger.staticData.secret]));
		const before = bench.writes();
		await bench.trigger.activate('init');
		expect(bench.writes()).toBe(before);
	});

	const NOTHING: Array<[string, ScriptedAnswer]> = [
		['null', { body: { data: null } }],
		['an empty object', { body: { data: {}, status: 'success', request_id: 'r1' } }],
		['an envelope alone', { body: { status: 'success' } }],
		['nothing', { raw: (response) => void response.writeHead(204).end() }],
	];
	const ERROR = { body: { status: 'error', message: 'db down', data: [] } };

	it.each<[string, ScriptedAnswer]>([...NOTHING, ['an error', ERROR]])(
		'that answers the list with %s loses no registration and gets no doubles',
		async (_, answer) => {
			await bench.start({});
			await bench.trigger.activate();
			const before = bench.writes();
			bench.broken = answer;
			await bench.trigger.activate('init');
			await bench.trigger.pass(10);
			expect(bench.writes()).toBe(before);
			expect(bench.hooks()).toEqual(BOTH);
		},
		30_000,
	);

	it.each(NOTHING)('that shows an empty list as %s can be registered at', async (_, answer) => {
		await bench.start({ whenEmpty: answer });
		await bench.trigger.activate();
		expect(bench.hooks()).toEqual(BOTH);
		await bench.trigger.deactivate();
		expect(bench.hooks()).toEqual([]);
	});

	it('that answers the list with an error gets no doubles when static data are lost', async () => {
		await bench.start({});
		await bench.trigger.activate();
		const { staticData } = bench.trigger;
		const before = bench.writes();
		bench.broken = ERROR;
		bench.trigger.staticData = {};
		await expect(bench.trigger.activate('init')).rejects.toThrow(/db down/);
		expect(bench.hooks()).toEqual(BOTH);
		bench.broken = undefined;
		bench.trigger.staticData = staticData;
		await bench.trigger.activate('init');
		expect(bench.writes()).toBe(before);
	}, 30_000);

	it('that lists webhooks under another name gets no doubles when static data are lost', async () => {
		await bench.start({});
		await bench.trigger.activate();
		const before = bench.writes();
		bench.broken = { body: { webhooks: [...bench.stored.values()], status: 'success' } };
		bench.trigger.staticData = {};
		await bench.trigger.activate('init');
		expect(bench.writes()).toBe(before);
	});

	it.each([400, 200])(
		'that refuses a second webhook of the same kind with %d still gets a damaged one replaced',
		async (refusal) => {
			await bench.start({ unique: true, refusal });
			await bench.trigger.activate();
			for (const webhook of bench.stored.values()) webhook.enabled = false;
			await bench.trigger.activate('init');
			expect(bench.hooks()).toEqual(BOTH);
			expect([...bench.stored.values()].every(({ enabled }) => enabled === undefined)).toBe(true);
		},
	);

	it('that keeps every webhook disabled makes the activation fail with its reason', async () => {
		await bench.start({
			show: (webhook) => ({ ...webhook, enabled: false, disable_reason: 'account locked' }),
		});
		await expect(bench.trigger.activate()).rejects.toThrow(
			'has disabled the webhook "n8n: Test workflow (Call Ended)" (account locked)',
		);
		expect(bench.hooks()).toEqual([]);
	});
});
