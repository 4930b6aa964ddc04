import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { forgetSecret } from '../../nodes/VirtualPbx/triggers/callEvent/registration/state';
import { startTrigger, storeCredential } from '../support/core';
import type { TestTrigger } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

/** What §4.4 does not show, a PBX may do in its own way. */
interface Habits {
	/** How a stored webhook is shown. */
	show?: (webhook: IDataObject) => IDataObject;
	/** How a webhook is shown by its id; as in the list otherwise. */
	details?: (webhook: IDataObject) => unknown;
	/** How a list item is shown; as by GET otherwise. */
	list?: (webhook: IDataObject) => unknown;
	/** How the list itself is shown; as an array otherwise. */
	whole?: (items: unknown[]) => unknown;
	/** The answer to the list where there is none. */
	whenEmpty?: ScriptedAnswer;
	/** The list shows what was there so many milliseconds before. */
	listIsLateMs?: number;
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
	/** By id: the answer in place of a webhook. */
	let unreadable: Record<string, ScriptedAnswer>;
	/** Of which event it takes no webhook. */
	let refusesHook: string | undefined;

	async function start({
		show = (webhook) => webhook,
		details = show,
		list = show,
		whole = (items) => items,
		whenEmpty,
		listIsLateMs = 0,
		created = show,
		unique,
		refusal = 400,
	}: Habits): Promise<void> {
		stored = new Map();
		broken = undefined;
		refusesHook = undefined;
		unreadable = {};
		let count = 0;
		const history: Array<{ at: number; all: IDataObject[] }> = [];
		const listed = () => {
			if (listIsLateMs === 0) return [...stored.values()];
			return history.filter(({ at }) => at <= Date.now() - listIsLateMs).at(-1)?.all ?? [];
		};
		const note = () => history.push({ at: Date.now(), all: structuredClone([...stored.values()]) });
		const showList = () => broken ?? { body: { data: whole(listed().map(list)) } };
		const make = (body: unknown): ScriptedAnswer => {
			const { data } = body as { data: IDataObject };
			if (data.hook === refusesHook) return { status: 400, body: { message: 'too many' } };
			const isTaken = [...stored.values()].some(
				({ uri, hook }) => uri === data.uri && hook === data.hook,
			);
			if (unique && isTaken) {
				return { status: refusal, body: { status: 'error', message: 'exists already' } };
			}
			const webhook = { ...data, id: `w${++count}` };
			stored.set(webhook.id, webhook);
			note();
			return { status: 201, body: created(webhook) };
		};
		pbx = await startScriptedPbx(({ method, path, body }) => {
			const id = /\/webhooks\/([^/]+)$/.exec(path)?.[1];
			const found = stored.get(id ?? '');
			if (path.endsWith('/user_auth')) return undefined;
			if (method === 'PUT') return make(body);
			if (id === undefined) return stored.size === 0 ? (whenEmpty ?? showList()) : showList();
			if (unreadable[id]) return unreadable[id];
			if (!found) return { status: 404, body: {} };
			if (method === 'DELETE') {
				stored.delete(id);
				note();
			}
			return { body: { data: details(found) } };
		});
		const login = { login: 'demo', password: 'x', realm: 'r' };
		trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: await storeCredential({ baseUrl: pbx.url, ...login }),
			parameters: {
				events: ['started', 'missed'],
				options: { customData: { floor: 3 }, pingsItself: false },
			},
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
		[
			'shows a webhook in an array, and its address only there',
			{ list: ({ id, hook }) => ({ id, hook }), details: (webhook) => [webhook] },
		],
		['answers creation with an array', { created: (webhook) => ({ data: [webhook] }) }],
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
	const switchOff = () => {
		for (const webhook of stored.values()) webhook.enabled = false;
	};
	const restart = async () => {
		forgetSecret(trigger.url());
		await trigger.activate('init');
	};
	const isWell = () => [...stored.values()].every(({ enabled }) => enabled !== false);

	it.each(MOVING)(
		'that %s loses nothing that a check has made right: deactivation removes it all',
		async (_, habits) => {
			await start(habits);
			await trigger.activate();
			await trigger.pass(5);
			switchOff();
			await sleep(habits.listIsLateMs ?? 0);
			await trigger.pass(5);
			expect([hooks(), isWell()]).toEqual([BOTH, true]);
			await trigger.pass(10);
			await trigger.deactivate();
			expect(hooks()).toEqual([]);
		},
	);

	it.each(MOVING)(
		'that %s has one webhook per event after a check, a restart and another',
		async (_, habits) => {
			await start(habits);
			await trigger.activate();
			switchOff();
			await sleep(habits.listIsLateMs ?? 0);
			await trigger.pass(5);
			await sleep(habits.listIsLateMs ?? 0);
			await restart();
			expect([hooks(), isWell()]).toEqual([BOTH, true]);
			const before = writes();
			await restart();
			await trigger.pass(10);
			expect(writes()).toBe(before);
			await trigger.deactivate();
			expect(hooks()).toEqual([]);
		},
	);

	it.each(MOVING)('that %s piles nothing up where repairs fail half-way', async (_, habits) => {
		await start(habits);
		await trigger.activate();
		switchOff();
		await sleep(habits.listIsLateMs ?? 0);
		refusesHook = 'channel_destroy';
		await trigger.pass(25);
		expect(stored.size).toBeLessThanOrEqual(3);
		refusesHook = undefined;
		await trigger.pass(5);
		expect([hooks(), isWell()]).toEqual([BOTH, true]);
		await trigger.deactivate();
		expect(hooks()).toEqual([]);
	});

	it.each(MOVING)(
		'that %s keeps what half a repair has made from staying for ever',
		async (_, habits) => {
			await start(habits);
			await trigger.activate();
			switchOff();
			await sleep(habits.listIsLateMs ?? 0);
			refusesHook = 'channel_destroy';
			await trigger.pass(5);
			refusesHook = undefined;
			await trigger.deactivate();
			expect(hooks()).toEqual([]);
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
		await start({ show: (webhook) => ({ enabled: true, ...webhook }), ...habits });
		await trigger.activate();
		await trigger.pass(5);
		const before = pbx.requests.length;
		await trigger.pass(5);
		expect(pbx.requests.length - before).toBe(requests);
		const last = [...stored.values()].at(-1);
		if (last) last.enabled = false;
		await trigger.pass(5);
		expect([hooks(), isWell()]).toEqual([BOTH, true]);
		expect(trigger.log).toEqual([expect.stringMatching(/was disabled/)]);
	});

	it.each([500, 502, 403, 404])(
		'that answers %d for a webhook of others, and lists no addresses, still has ours checked',
		async (status) => {
			await start(cut('id', 'name'));
			stored.set('broken', { id: 'broken', name: 'Someone else', hook: 'channel_destroy' });
			unreadable = { broken: { status, body: {} } };
			await trigger.activate();
			for (const [id, { hook }] of stored) if (hook === 'channel_create') stored.delete(id);
			await trigger.pass(5);
			expect(hooks()).toEqual([...BOTH, 'channel_destroy']);
			await trigger.deactivate();
			expect([...stored.keys()]).toEqual(['broken']);
		},
		30_000,
	);

	it('that fails to show one of ours is not taken for one that has lost it', async () => {
		await start(cut('id', 'name'));
		await trigger.activate();
		const [id = ''] = stored.keys();
		unreadable = { [id]: { status: 500, body: {} } };
		const before = writes();
		await trigger.pass(15);
		await trigger.activate('init');
		expect(writes()).toBe(before);
	});

	it('touches no webhook on another host, or with another secret, however alike its address is', async () => {
		await start({});
		await trigger.activate();
		const [own] = stored.values();
		const secret = own?.custom_data;
		const like = (id: string, uri: string, custom_data: unknown) =>
			stored.set(id, { ...own, id, uri, custom_data } as IDataObject);
		like('f1', trigger.url().replace('127.0.0.1', 'other.example.com'), secret);
		like('f2', `${trigger.url()}2`, secret);
		like('f3', `${trigger.url()}/`, { n8n_webhook_secret: 'f'.repeat(64) });
		like('f4', `${trigger.url()}/`, undefined);
		const foreign = () =>
			structuredClone([...stored.values()].filter(({ id }) => /^f/.test(String(id))));
		const before = foreign();
		await trigger.pass(10);
		await restart();
		await trigger.pass(10);
		await trigger.deactivate();
		expect(foreign()).toEqual(before);
		expect(stored.size).toBe(4);
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
			await start({});
			await trigger.activate();
			const before = writes();
			broken = answer;
			await trigger.activate('init');
			await trigger.pass(10);
			expect(writes()).toBe(before);
			expect(hooks()).toEqual(BOTH);
		},
		30_000,
	);

	it.each(NOTHING)('that shows an empty list as %s can be registered at', async (_, answer) => {
		await start({ whenEmpty: answer });
		await trigger.activate();
		expect(hooks()).toEqual(BOTH);
		await trigger.deactivate();
		expect(hooks()).toEqual([]);
	});

	it('that answers the list with an error gets no doubles when static data are lost', async () => {
		await start({});
		await trigger.activate();
		const { staticData } = trigger;
		const before = writes();
		broken = ERROR;
		trigger.staticData = {};
		await expect(trigger.activate('init')).rejects.toThrow(/db down/);
		expect(hooks()).toEqual(BOTH);
		broken = undefined;
		trigger.staticData = staticData;
		await trigger.activate('init');
		expect(writes()).toBe(before);
	}, 30_000);

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
