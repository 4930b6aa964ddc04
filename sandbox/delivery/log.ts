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
import { ANSWER_KEPT, type Answer } from './client';

/** An event on its way to a webhook. */
export interface Job {
	account: Account;
	/** The event's call and leg. Missing if it was made by hand. */
	of?: { call: Call; leg: Leg };
	webhook: Webhook;
	event: CallEvent;
	msgId: string;
	wire?: Wire;
	/** Aborts when everything is stopped, as by a reset. */
	stopped: AbortSignal;
}

interface Outcome {
	result: DeliveryEntry['result'];
	answer?: Answer;
}

const NO_ANSWER: Answer = { status: null, headers: {}, text: '', error: null, ms: 0 };

const NO_WIRE: Pick<Wire, 'body' | 'headers'> = { body: '', headers: {} };

/** Returns how many times a webhook tries to deliver an event (§2.5 retries). */
export const mostTries = ({ retries }: Webhook, settings: Settings): number =>
	settings.retries_mean === 'tries' ? retries : retries + 1;

function attemptOf(
	job: Job,
	number: number,
	{ result, answer = NO_ANSWER, settings }: Outcome & { settings: Settings },
): Attempt {
	const { webhook, event, msgId, wire = NO_WIRE } = job;
	const left = mostTries(webhook, settings) - number;
	const failure = answer.status === null ? 'http client error' : 'bad response code';
	return {
		hook_id: webhook.id,
		hook_event: event.name.toLowerCase(),
		event_id: msgId,
		uri: webhook.uri,
		method: webhook.http_verb,
		req_body: wire.body,
		req_headers: omit(wire.headers, 'user-agent'),
		resp_headers: answer.headers,
		resp_status_code: answer.status === null ? '' : String(answer.status),
		resp_body: answer.text.slice(0, ANSWER_KEPT),
		result: result === 'accepted' ? 'success' : 'failure',
		reason: result === 'accepted' ? '' : failure,
		...(answer.error === null ? {} : { client_error: answer.error }),
		try: number,
		retries: webhook.retries,
		retries_left: result !== 'accepted' && left <= 0 ? 'retries exceeded' : left,
		timestamp: gregorianNow(),
	};
}

/** Logs a delivery attempt for the API (§4.4 attempts), the control side, and the page. */
export function logTry(pbx: Pbx, job: Job, number: number, outcome: Outcome): void {
	const { account, of, webhook, event, msgId } = job;
	const { result, answer = NO_ANSWER } = outcome;
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
		msg_id: msgId,
		try: number,
		result,
		status: answer.status,
		ms: Math.round(answer.ms),
		error: answer.error,
		response: answer.text.slice(0, ANSWER_KEPT),
		payload: event.args,
	};
	pbx.deliveries.push(entry);
	pbx.bus.publish('delivery', () => entry);
	if (result === 'lost') return;
	const attempt = attemptOf(job, number, { ...outcome, settings: pbx.settings });
	account.webhooks.log(attempt, pbx.settings);
}
