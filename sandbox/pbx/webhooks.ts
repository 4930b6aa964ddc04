import type { Account } from '../model/account';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Webhook } from '../model/types';
import { notFound } from '../server/errors';
import type { App } from '../server/types';
import { shownAttempts } from './attempts';
import { accountOf } from './auth';
import { checkWebhook } from './checks';
import { envelope } from './envelope';
import { filtersOf, passes } from './filters';
import { DELETED, shownAlone, WEBHOOK_DEFAULTS } from './kazoo';
import { cut } from './paging';
import { accountParams, anyQuery, itemParams, webhookSchema, type WebhookBody } from './schemas';

/** Creates a webhook from a body. The body replaces the whole webhook, so a missing field is removed (§4.4). */
function makeWebhook(id: string, body: WebhookBody, settings: Settings): Webhook {
	checkWebhook(body, settings);
	const { name, uri, http_verb, hook, retries, custom_data, enabled = true, ...extra } = body;
	const more = settings.profile !== 'contract' ? extra : {};
	const added = settings.profile === 'kazoo' ? WEBHOOK_DEFAULTS : {};
	const webhook = { ...added, ...more, id, name, uri, http_verb, hook, retries, enabled };
	return custom_data ? { ...webhook, custom_data } : webhook;
}

function find(account: Account, id: string): Webhook {
	const webhook = account.webhooks.get(id);
	if (webhook) return webhook;
	throw notFound(id);
}

/** Returns an item of the list. A stock Kazoo shows only some fields. */
function listItem(webhook: Webhook, { profile }: Settings): Partial<Webhook> {
	if (profile !== 'kazoo') return webhook;
	const { id, name, hook, uri, enabled, disable_reason: reason } = webhook;
	return {
		id,
		name,
		hook,
		uri,
		enabled,
		...(reason === undefined ? {} : { disable_reason: reason }),
	};
}

/** Adds the rows of §4.4 that list, create, read, change, and delete webhooks. */
export function webhookRoutes(app: App, pbx: Pbx): void {
	const all = '/accounts/:account_id/webhooks';
	const one = '/accounts/:account_id/webhooks/:id';

	app.get(all, { schema: { params: accountParams, querystring: anyQuery } }, async (request) => {
		const { webhooks } = accountOf(request, request.params.account_id);
		const found = webhooks.all().filter((webhook) => passes(webhook, filtersOf(request.query)));
		const { items, notes } = cut(found, request.query, pbx.settings);
		const shown = items.map((webhook) => listItem(webhook, pbx.settings));
		return { ...envelope(request, shown, webhooks.revision), ...notes };
	});

	app.put(
		all,
		{ schema: { params: accountParams, body: webhookSchema } },
		async (request, reply) => {
			const { webhooks } = accountOf(request, request.params.account_id);
			const webhook = makeWebhook(newId(), request.body.data, pbx.settings);
			webhooks.put(webhook);
			const shown = shownAlone(pbx.settings, webhook);
			return await reply.code(201).send(envelope(request, shown, webhooks.revision));
		},
	);

	app.get(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const webhook = find(account, request.params.id);
		return envelope(request, shownAlone(pbx.settings, webhook), account.webhooks.revision);
	});

	app.post(one, { schema: { params: itemParams, body: webhookSchema } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const { id } = find(account, request.params.id);
		const webhook = makeWebhook(id, request.body.data, pbx.settings);
		account.webhooks.put(webhook);
		return envelope(request, shownAlone(pbx.settings, webhook), account.webhooks.revision);
	});

	app.delete(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const webhook = find(account, request.params.id);
		account.webhooks.remove(webhook.id);
		const shown = shownAlone(pbx.settings, webhook, DELETED);
		return envelope(request, shown, account.webhooks.revision);
	});
}

/** Adds the rows of §4.4 that list delivery attempts, of all webhooks and of one. */
export function attemptRoutes(app: App, pbx: Pbx): void {
	const all = '/accounts/:account_id/webhooks/attempts';
	const one = '/accounts/:account_id/webhooks/:id/attempts';

	app.get(all, { schema: { params: accountParams, querystring: anyQuery } }, async (request) => {
		const { webhooks } = accountOf(request, request.params.account_id);
		const { items, notes } = cut(webhooks.attempts(), request.query, pbx.settings);
		const shown = shownAttempts(items, pbx.settings);
		return { ...envelope(request, shown, webhooks.revision), ...notes };
	});

	app.get(one, { schema: { params: itemParams, querystring: anyQuery } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const { id } = find(account, request.params.id);
		const { items, notes } = cut(account.webhooks.attempts(id), request.query, pbx.settings);
		const shown = shownAttempts(items, pbx.settings);
		return { ...envelope(request, shown, account.webhooks.revision), ...notes };
	});
}
