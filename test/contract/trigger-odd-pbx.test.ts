import type { IDataObject } from 'n8n-workflow';
import { startTrigger, storeCredential } from '../support/core';
import type { TestTrigger } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

/** What §4.4 does not show, a PBX may do in its own way. */
interface Habits {
	/** How a stored webhook is shown. */
	show?: (webhook: IDataObject) => IDataObject;
	/** How a list item is shown; as by GET otherwise. */
	list?: (webhook: IDataObject) => unknown;
	/** The answer to a creation. */
	created?: (webhook: IDataObject) => unknown;
	/** Refuses a second webhook with the same URL and hook. */
	unique?: boolean;
	/** The status of that refusal. */
	refusal?: number;
}

describe('the event trigger on a PBX with its own habits', () => {
	let pbx: ScriptedPbx;
	let trigger: TestTrigger;
	let stored: Map<string, IDataObject>;
	/** The answer to the list, in place of the list. */
	let broken: ScriptedAnswer | undefined;

	async function start({
		show = (webhook) => webhook,
		list = show,
		created = show,
		unique,
		refusal = 400,
	}: Habits): Promise<void> {
		stored = new Map();
		broken = undefined;
		let count = 0;
		pbx = await startScriptedPbx(({ method, path, body }) => {
			const id = /\/webhooks\/([^/]+)$/.exec(path)?.[1];
			const found = stored.get(id ?? '');
			if (path.endsWith('/user_auth')) return undefined;
			if (method === 'PUT') {
				const { data } = body as { data: IDataObject };
				const isTaken = [...stored.values()].some(
					({ uri, hook }) => uri === data.uri && hook === data.hook,
				);
				if (unique && isTaken) {
					return { status: refusal, body: { status: 'error', message: 'exists already' } };
				}
				const webhook = { ...data, id: `w${++count}` };
				stored.set(webhook.id, webhook);
				return { status: 201, body: created(webhook) };
			}
			if (id === undefined) return broken ?? { body: { data: [...stored.values()].map(list) } };
			if (!found) return { status: 404, body: {} };
			if (method === 'DELETE') stored.delete(id);
			return { body: { data: show(found) } };
		});
		const login = { login: 'demo', password: 'x', realm: 'r' };
		trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: await storeCredential({ baseUrl: pbx.url, ...login }),
			parameters: { events: ['started', 'missed'], options: { customData: { floor: 3 } } },
		});
	}
	afterEach(async () => {
		await trigger.close();
		await pbx.close();
	});

	const writes = () =>
		pbx.requests.filter(({ method }) => ['PUT', 'POST', 'DELETE'].includes(method)).length;
	const hooks = () => [...stored.values()].map(({ hook }) => hook).sort();
	const BOTH = ['channel_create', 'channel_destroy'];

	it.each<[string, Habits]>([
		['shows everything', {}],
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
		['shows no address but by id', { list: ({ id, hook }) => ({ id, hook }) }],
	])('that %s registers once, and does not write again at the next starts', async (_, habits) => {
		await start(habits);
		await trigger.activate();
		expect(hooks()).toEqual(BOTH);
		const before = writes();
		await trigger.activate('init');
		await trigger.activate('init');
		expect(writes()).toBe(before);
		await trigger.deactivate();
		expect(hooks()).toEqual([]);
	});

	it.each<[string, Habits]>([
		['never shows custom data', { show: (webhook) => ({ ...webhook, custom_data: undefined }) }],
		['masks custom data', { show: (webhook) => ({ ...webhook, custom_data: '***' }) }],
	])('that %s registers anew when the secret is lost, once', async (_, habits) => {
		await start(habits);
		await trigger.activate();
		trigger.staticData = {};
		await trigger.activate('init');
		expect(hooks()).toEqual(BOTH);
		const secrets = [...stored.values()].map(
			(webhook) => (webhook.custom_data as IDataObject).n8n_webhook_secret,
		);
		expect(new Set(secrets)).toEqual(new Set([trigger.staticData.secret]));
		const before = writes();
		await trigger.activate('init');
		expect(writes()).toBe(before);
	});

	it.each<[string, ScriptedAnswer]>([
		['null', { body: { data: null } }],
		['nothing', { raw: (response) => void response.writeHead(204).end() }],
		['an error', { body: { status: 'error', message: 'db down', data: [] } }],
	])(
		'that answers the list with %s loses no registration and gets no doubles',
		async (_, answer) => {
			await start({});
			await trigger.activate();
			const { staticData } = trigger;
			const before = writes();
			broken = answer;
			await trigger.activate('init');
			expect(writes()).toBe(before);

			trigger.staticData = {};
			await expect(trigger.activate('init')).rejects.toThrow(/without a list|db down/);
			expect(hooks()).toEqual(BOTH);

			broken = undefined;
			trigger.staticData = staticData;
			await trigger.activate('init');
			expect(writes()).toBe(before);
		},
		30_000,
	);

	it('that lists webhooks under another name gets no doubles when static data are lost', async () => {
		await start({});
		await trigger.activate();
		const before = writes();
		broken = { body: { webhooks: [...stored.values()], status: 'success' } };
		trigger.staticData = {};
		await trigger.activate('init');
		expect(writes()).toBe(before);
	});

	it.each([400, 200])(
		'that refuses a second webhook of the same kind with %d still gets a damaged one replaced',
		async (refusal) => {
			await start({ unique: true, refusal });
			await trigger.activate();
			for (const webhook of stored.values()) webhook.enabled = false;
			await trigger.activate('init');
			expect(hooks()).toEqual(BOTH);
			expect([...stored.values()].every(({ enabled }) => enabled === undefined)).toBe(true);
		},
	);

	it('that keeps every webhook disabled makes the activation fail with its reason', async () => {
		await start({
			show: (webhook) => ({ ...webhook, enabled: false, disable_reason: 'account locked' }),
		});
		await expect(trigger.activate()).rejects.toThrow(
			'has disabled the webhook "n8n: Test workflow (Call Ended)" (account locked)',
		);
		expect(hooks()).toEqual([]);
	});
});
