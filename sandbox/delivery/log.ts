import type { Account } from '../model/account';
import type { Call } from '../calls/call';
import type { Leg } from '../calls/leg';
import type { DeliveryEntry } from '../model/logs';
import { newId } from '../model/ids';
import { omit } from '../model/omit';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import { gregorianNow } from '../model/time';
import type { CallEvent, Webhook } from '../model/types';
import type { Attempt } from '../model/webhooks';
import type { Wire } from './body';
import { SHOWN_CHARACTERS, type HttpResponse } from './client';

/** An event on its way to a webhook. */
export interface Job {
	account: Account;
	/** The event's call and leg. Missing if it was made by hand. */
	of?: { call: Call; leg: Leg };
	webhook: Webhook;
	event: CallEvent;
	wire: Wire;
	/** Aborts when everything is stopped, such as by a reset. */
	stopped: AbortSignal;
}

interface Outcome {
	result: DeliveryEntry['result'];
	response?: HttpResponse;
}

const NO_RESPONSE: HttpResponse = { status: null, headers: {}, text: '', error: null, ms: 0 };

/** Returns a webhook's maximum number of delivery attempts (§2.5 retries). */
export const maxAttempts = ({ retries }: Webhook, { profile }: Settings): number =>
	profile === 'contract' ? retries + 1 : retries;

function attemptOf(
	job: Job,
	number: number,
	{ result, response = NO_RESPONSE, settings }: Outcome & { settings: Settings },
): Attempt {
	const { webhook, event, wire } = job;
	const left = maxAttempts(webhook, settings) - number;
	const failure = response.status === null ? 'http client error' : 'bad response code';
	return {
		hook_id: webhook.id,
		hook_event: event.name.toLowerCase(),
		event_id: String(event.args['Msg-ID']),
		uri: webhook.uri,
		method: webhook.http_verb,
		req_body: wire.body,
		req_headers: omit(wire.headers, 'user-agent'),
		resp_headers: response.headers,
		resp_status_code: response.status === null ? '' : String(response.status),
		resp_body: response.text.slice(0, SHOWN_CHARACTERS),
		result: result === 'accepted' ? 'success' : 'failure',
		reason: result === 'accepted' ? '' : failure,
		...(response.error === null ? {} : { client_error: response.error }),
		try: number,
		retries: webhook.retries,
		retries_left: result !== 'accepted' && left <= 0 ? 'retries exceeded' : left,
		timestamp: gregorianNow(),
	};
}

/** Logs a delivery attempt for the API (§4.4 attempts), the control side, and the page. */
export function logAttempt(pbx: Pbx, job: Job, number: number, outcome: Outcome): void {
	const { account, of, webhook, event } = job;
	const { result, response = NO_RESPONSE } = outcome;
	const entry: DeliveryEntry = {
		id: newId(),
		at: new Date().toISOString(),
		account_id: account.id,
		call_id: of?.call.id ?? '',
		leg_call_id: of?.leg.callId ?? '',
		leg: of?.leg.direction ?? null,
		event: event.name,
		hook: webhook.hook,
		webhook_id: webhook.id,
		uri: webhook.uri,
		verb: webhook.http_verb,
		msg_id: String(event.args['Msg-ID']),
		try: number,
		result,
		status: response.status,
		ms: Math.round(response.ms),
		error: response.error,
		response: response.text.slice(0, SHOWN_CHARACTERS),
		payload: event.args,
	};
	pbx.deliveries.push(entry);
	pbx.bus.publish('delivery', () => entry);
	if (result === 'lost') return;
	const attempt = attemptOf(job, number, { ...outcome, settings: pbx.settings });
	account.webhooks.log(attempt, pbx.settings);
}
