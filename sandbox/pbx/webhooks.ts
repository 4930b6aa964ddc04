import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Webhook } from '../model/types';
import { notFound } from '../server/errors';
import type { App } from '../server/types';
import type { Attempt } from '../model/webhooks';
import { shownAttempt } from './attempts';
import { accountOf } from './auth';
import { checkWebhook } from './checks';
import { DELETED, shownAlone, WEBHOOK_DEFAULTS } from './kazoo';
import { envelope, listed, passes, type Asked } from './lists';
import { webhookSchema, type WebhookBody } from './schemas';

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

/** Adds the rows of §4.4. */
export function webhookRoutes(app: App, pbx: Pbx): void {
	const all = '/accounts/:account_id/webhooks';
	const one = '/accounts/:account_id/webhooks/:id';
	const body = { schema: { body: webhookSchema } };
	const bodyOf = (request: FastifyRequest) => (request.body as { data: WebhookBody }).data;

	app.get<Asked>(all, async (request) => {
		const { webhooks } = accountOf(request);
		const found = webhooks.all().filter((webhook) => passes(webhook, request));
		const show = (webhook: Webhook) => listItem(webhook, pbx.settings);
		return listed(pbx, request, found, { revision: webhooks.revision, show });
	});

	app.put<Asked>(all, body, async (request, reply) => {
		const { webhooks } = accountOf(request);
		const webhook = makeWebhook(newId(), bodyOf(request), pbx.settings);
		webhooks.put(webhook);
		const shown = shownAlone(pbx.settings, webhook);
		return await reply.code(201).send(envelope(request, shown, webhooks.revision));
	});

	app.get<Asked>(one, async (request) => {
		const account = accountOf(request);
		const shown = shownAlone(pbx.settings, find(account, request.params.id));
		return envelope(request, shown, account.webhooks.revision);
	});

	app.post<Asked>(one, body, async (request) => {
		const account = accountOf(request);
		const { id } = find(account, request.params.id);
		const webhook = makeWebhook(id, bodyOf(request), pbx.settings);
		account.webhooks.put(webhook);
		return envelope(request, shownAlone(pbx.settings, webhook), account.webhooks.revision);
	});

	app.delete<Asked>(one, async (request) => {
		const account = accountOf(request);
		const webhook = find(account, request.params.id);
		account.webhooks.remove(webhook.id);
		const shown = shownAlone(pbx.settings, webhook, DELETED);
		return envelope(request, shown, account.webhooks.revision);
	});

	for (const path of [`${all}/attempts`, `${one}/attempts`])
		app.get<Asked>(path, async (request) => {
			const account = accountOf(request);
			const id = request.params.id as string | undefined;
			const attempts = account.webhooks.attempts(id && find(account, id).id);
			const show = (attempt: Attempt) => shownAttempt(attempt, pbx.settings);
			return listed(pbx, request, attempts, { revision: account.webhooks.revision, show });
		});
}
