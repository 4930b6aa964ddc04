import type { Attempt } from '../delivery/dispatcher';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Webhook } from '../model/types';
import { omit } from '../model/util';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { checkWebhook } from './checks';
import { documentOf, documentRoutes } from './documents';
import { listed, type Asked } from './lists';
import { webhookSchema, type WebhookBody } from './schemas';

/** Renames an attempt's keys to those of an older version of the platform. */
function oldKeys(attempt: Attempt) {
	const { hook_id, result, resp_status_code, resp_body, client_error, timestamp } = attempt;
	const isOver = attempt.retries_left === 'retries exceeded';
	const left = isOver ? 0 : attempt.retries_left;
	if (result === 'success') return { hook_id, result, timestamp };
	const isAnswered = resp_status_code !== '';
	const reason = isAnswered ? attempt.reason : 'kazoo http client error';
	return {
		hook_id,
		result,
		reason: isOver && attempt.retries > 1 ? 'retries exceeded' : reason,
		...(isAnswered ? { response_code: resp_status_code, response_body: resp_body } : {}),
		...(client_error === undefined ? {} : { client_error }),
		retries_left: left,
		timestamp,
	};
}

type Pair = [name: unknown, ...signsAndValue: string[]];

/** Parses a form as a stock Kazoo's logger does, with each object's fields in a separate list. */
function nested(form: string): unknown[] {
	const parts: unknown[] = [];
	let group: { name: string; pairs: unknown[] } | undefined;
	for (const text of form.split('&')) {
		const [key = '', value = ''] = text.split('=');
		const [, outer, inner] = /^(.+)\[(.+)\]$/.exec(decodeURIComponent(key)) ?? [];
		if (outer !== undefined && inner !== undefined) {
			const pair: Pair = [[outer], '[', inner, ']', '=', value];
			if (group?.name === outer) group.pairs.push('&', pair);
			else parts.push((group = { name: outer, pairs: [pair] }).pairs);
		} else {
			group = undefined;
			parts.push([key, '=', value] satisfies Pair);
		}
	}
	return parts.flatMap((part, index) => (index === 0 ? [part] : ['&', part]));
}

/** Formats an attempt as a stock Kazoo lists it, where `try` is one too high. */
function kazooKeys(attempt: Attempt) {
	const { client_error, req_headers, req_body, resp_status_code, resp_body, resp_headers } =
		attempt;
	const { hook_id, hook_event, event_id, uri, method, result, retries_left, timestamp } = attempt;
	const isForm = req_headers['content-type']?.endsWith('form-urlencoded');
	const response = { resp_status_code, resp_body, resp_headers, reason: attempt.reason };
	const none = { client_error, reason: 'kazoo http client error' };
	return {
		...(resp_status_code === '' ? none : response),
		...{ hook_id, hook_event: hook_event.toUpperCase(), event_id, uri, method, result },
		...{ try: attempt.try + 1, retries_left, timestamp, req_headers },
		req_body: isForm ? nested(req_body) : req_body,
	};
}

/** Returns an attempt with the keys of the profile (§4.4). */
function shownAttempt(attempt: Attempt, { profile }: Settings): object {
	if (profile === 'kazoo') return kazooKeys(attempt);
	if (profile === 'field') return oldKeys(attempt);
	return omit(attempt, 'try', 'req_headers', 'resp_headers');
}

/** Adds the rows of §4.4. */
export function webhookRoutes(app: App, pbx: Pbx): void {
	documentRoutes<Webhook, WebhookBody>(app, pbx, {
		name: 'webhooks',
		schema: webhookSchema,
		storeOf: ({ webhooks }) => webhooks,
		make(id, body, _account, settings) {
			checkWebhook(body, settings);
			const { name, uri, http_verb, hook, retries, custom_data, enabled = true, ...extra } = body;
			return {
				...(settings.profile === 'kazoo' && { format: 'form-data', include_internal_legs: true }),
				...(settings.profile !== 'contract' && extra),
				...{ id, name, uri, http_verb, hook, retries, enabled },
				...(custom_data && { custom_data }),
			};
		},
		/** A stock Kazoo shows only some fields. */
		item(webhook, { profile }) {
			if (profile !== 'kazoo') return webhook;
			const { id, name, hook, uri, enabled, disable_reason } = webhook;
			return { id, name, hook, uri, enabled, ...(disable_reason && { disable_reason }) };
		},
	});

	const all = '/accounts/:account_id/webhooks';
	for (const path of [`${all}/attempts`, `${all}/:id/attempts`])
		app.get<Asked>(path, async (request) => {
			const { webhooks } = accountOf(request);
			const isOfOne = 'id' in request.params;
			// A stock Kazoo logs failures only.
			const isLogged = ({ result }: Attempt) =>
				pbx.settings.profile !== 'kazoo' || result === 'failure';
			const attempts = webhooks
				.attempts(isOfOne ? documentOf(webhooks, request).id : undefined)
				.filter(isLogged);
			const show = (attempt: Attempt) => shownAttempt(attempt, pbx.settings);
			return listed(pbx, request, attempts, { revision: webhooks.revision, show });
		});
}
