import { Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { Exchange } from '../calls/exchange';
import { callSchema } from '../calls/params';
import { faultSchema } from '../faults/schema';
import type { Account } from '../model/account';
import { omit } from '../model/util';
import type { Pbx } from '../model/pbx';
import { SettingError, type Settings } from '../model/settings';
import type { Webhook } from '../model/types';
import { shown } from '../pbx/request-log';
import { ApiError, missing, toApiError } from '../server/errors';
import type { App } from '../server/types';
import { crmRoutes } from './crm';
import { recordRoutes } from './records';

const idParams = Type.Object({ id: Type.String() });
const byId = { schema: { params: idParams } };

/** Adds the control side under `/sandbox`: what tests, the CLI, and the page do to the PBX. */
export function controlRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	const respond = async (reply: FastifyReply, { status, message, data }: ApiError) =>
		await reply.code(status).send({ error: message, details: data });
	app.setErrorHandler(async (error, _request, reply) => await respond(reply, toApiError(error)));
	app.setNotFoundHandler(
		async (_request, reply) => await respond(reply, new ApiError(404, {}, 'not found')),
	);
	stateRoutes(app, pbx, exchange);
	callRoutes(app, exchange);
	logRoutes(app, pbx);
	faultRoutes(app, pbx);
	webhookRoutes(app, pbx);
	recordRoutes(app, pbx);
	crmRoutes(app, pbx);
	liveRoutes(app, pbx);
}

function accountView(account: Account) {
	return {
		...omit(account.identity, 'password', 'ownerId', 'ownerRole'),
		sounds: [...account.sounds].map(([filename, seconds]) => ({ filename, seconds })),
		users: account.users(),
		callflows: account.callflows.all(),
	};
}

function stateRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	app.get('/health', async () => ({ status: 'ok', url: pbx.url, active_calls: exchange.active }));

	app.get('/state', async () => ({
		settings: pbx.settings,
		accounts: [...pbx.accounts.values()].map(accountView),
	}));

	app.get('/settings', async () => pbx.settings);

	app.patch('/settings', async (request) => {
		const change = async () => pbx.change(request.body as Partial<Settings>);
		const settings = await change().catch((error: Error) => {
			throw error instanceof SettingError ? new ApiError(400, {}, error.message) : error;
		});
		pbx.bus.publish('settings', () => settings);
		return settings;
	});

	app.post('/tokens/expire', async () => ({ expired: pbx.tokens.expire() }));

	app.post('/reset', async () => {
		await exchange.reset();
		return { status: 'ok' };
	});
}

function callRoutes(app: App, exchange: Exchange): void {
	const find = (id: string) => exchange.get(id) ?? missing('call', id);

	app.post('/calls', { schema: { body: callSchema } }, async (request, reply) => {
		const { wait, ...order } = request.body;
		const call =
			exchange.place(order) ?? missing('account or employee', order.account_id ?? order.from);
		if (wait) await exchange.settled(call, wait === 'ended' ? 'ended' : 'delivered');
		return await reply.code(201).send(call.view());
	});

	app.get('/calls', async () => {
		const calls = exchange.list().map((call) => call.view());
		return { count: calls.length, active: exchange.active, calls };
	});

	app.get('/truth', async () => {
		const calls = exchange.truths();
		return { count: calls.length, calls };
	});

	app.get('/calls/:id', byId, async ({ params }) => find(params.id).view());

	app.delete('/calls/:id', byId, async ({ params }) => {
		const call = find(params.id);
		call.hangUp();
		await exchange.settled(call, 'ended');
		return call.view();
	});
}

/** Adds the logs of PBX requests, deliveries, and routing requests. A query filters them by fields; `limit` keeps the newest. */
function logRoutes(app: App, { requests, deliveries, routing }: Pbx): void {
	const add = (name: string, list: () => object[], counters?: () => object) =>
		app.get<{ Querystring: Record<string, string> }>(`/${name}`, async ({ query }) => {
			const { limit = Infinity, ...wanted } = query;
			const isWanted = (entry: object) =>
				Object.entries(wanted).every(([field, value]) => {
					const { [field]: own } = entry as Record<string, unknown>;
					return String(own) === value;
				});
			const found = list().filter(isWanted).slice(-Number(limit));
			return { count: found.length, counters: counters?.(), [name]: found };
		});
	add(
		'requests',
		() => requests.list().map(shown),
		() => requests.counters(),
	);
	add(
		'deliveries',
		() => deliveries.list(),
		() => deliveries.counters(),
	);
	add('routing', () => routing.list());
}

function faultRoutes(app: App, pbx: Pbx): void {
	const list = () => ({ count: pbx.faults.list().length, faults: pbx.faults.list() });
	const changed = () => {
		pbx.bus.publish('faults', list);
		return list();
	};

	app.get('/faults', async () => list());

	app.post('/faults', { schema: { body: faultSchema } }, async (request, reply) => {
		const fault = pbx.faults.add(request.body);
		changed();
		return await reply.code(201).send(fault);
	});

	app.delete('/faults', async () => {
		pbx.faults.clear();
		return changed();
	});

	app.delete('/faults/:id', byId, async ({ params }) => {
		if (!pbx.faults.remove(params.id)) missing('fault', params.id);
		return changed();
	});
}

/** Adds routes that show webhooks with the result of their latest delivery, and change them behind the client's back. */
function webhookRoutes(app: App, pbx: Pbx): void {
	const list = () =>
		[...pbx.accounts.values()].flatMap(({ id: account_id, webhooks }) =>
			webhooks.all().map((webhook) => {
				const result = webhooks.isFailing(webhook.id) ? 'failing' : 'ok';
				return { ...webhook, account_id, state: webhook.enabled ? result : 'switched off' };
			}),
		);
	const find = (wanted: string) => list().find(({ id }) => id === wanted);

	app.get('/webhooks', async () => ({ count: list().length, webhooks: list() }));

	app.patch('/webhooks/:id', byId, async ({ params: { id }, body }) => {
		const { account_id = '' } = find(id) ?? missing('webhook', id);
		const webhooks = pbx.accounts.get(account_id)?.webhooks;
		const webhook = webhooks?.get(id);
		if (webhook) webhooks?.put({ ...webhook, ...(body as Partial<Webhook>) });
		return find(id);
	});
}

/** Adds the page's stream of everything that happens (server-sent events). */
function liveRoutes(app: App, pbx: Pbx): void {
	app.get('/events', async (_request, reply) => {
		reply.hijack();
		const { raw } = reply;
		raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		raw.write('retry: 1000\n\n');
		const stop = pbx.bus.listen((type, data) => {
			raw.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
		});
		raw.on('close', stop);
	});
}
