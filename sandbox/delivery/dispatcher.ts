import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../calls/call';
import type { Leg } from '../calls/leg';
import { eventArgs } from '../events/fields';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import { gregorianNow } from '../model/time';
import type { CallEvent, EventName, HookName, Mark, Webhook } from '../model/types';
import { newId, omit } from '../model/util';
import { encode, shapeEvent, type Wire } from './body';
import { SHOWN_CHARACTERS, type HttpResponse } from './client';

/** How long to hold an event back for the call's next one. */
const REORDER_PATIENCE_MS = 1000;

interface Job {
	call: Call;
	leg: Leg;
	webhook: Webhook;
	event: CallEvent;
	wire: Wire;
	/** Aborts when everything is stopped, such as by a reset. */
	stopped: AbortSignal;
}

/** Attempts a delivery once. Its retries, if any, go on in `rest`. */
type Send = () => Promise<{ rest: Promise<void> }>;

/** The deliveries of one call: a queue, and events held back to arrive out of order. */
interface Lane {
	tail: Promise<unknown>;
	held: Send[];
}

/** Creates a controller without a listener limit: thousands of pending deliveries can listen. */
function stopper(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}

/** Sends events to the webhooks registered for them (§2.5, §6). */
export class Dispatcher {
	private readonly lanes = new WeakMap<Call, Lane>();
	private stopped = stopper();

	constructor(private readonly pbx: Pbx) {}

	/** Delivers a leg's event to every enabled webhook of its hook. */
	emit(call: Call, leg: Leg, name: EventName): void {
		const { account } = call;
		const { settings } = this.pbx;
		const webhooks = account.webhooks.listening(name.toLowerCase() as HookName);
		if (webhooks.length === 0) return;
		const args = eventArgs({ call, leg, event: name, msgId: newId() });
		const event = { name, args, marks: marksOf(leg) };
		const stopped = this.stopped.signal;
		for (const webhook of webhooks) {
			const wire = encode(shapeEvent(event, webhook, settings), webhook, settings, account.id);
			this.enqueue({ call, leg, webhook, event, wire, stopped });
		}
	}

	/** Drops every pending delivery, as a reset does. */
	stop(): void {
		this.stopped.abort();
		this.stopped = stopper();
	}

	private enqueue(job: Job): void {
		const { call, leg, event } = job;
		const target = { side: 'delivery', event: event.name, leg: leg.direction } as const;
		const faults = new Set(this.pbx.faults.apply(target).map(({ kind }) => kind));
		if (faults.has('delivery-lose')) return logAttempt(this.pbx, job, 1, 'lost');
		const lane = this.lanes.get(call) ?? { tail: Promise.resolve(), held: [] };
		this.lanes.set(call, lane);
		const send: Send = async () => await this.deliver(job);
		const keep = (sent: ReturnType<Send>) =>
			call.deliveries.push(sent.then(async ({ rest }) => await rest));
		if (faults.has('delivery-reorder')) {
			let sent: ReturnType<Send> | undefined;
			const late: Send = async () => await (sent ??= send());
			lane.held.push(late);
			keep(sleep(REORDER_PATIENCE_MS).then(late));
			return;
		}
		for (let times = faults.has('delivery-duplicate') ? 2 : 1; times > 0; times--) {
			const first = lane.tail.then(send);
			const held = lane.held.splice(0);
			lane.tail = first.then(async () => {
				for (const late of held) await late();
			});
			keep(first);
		}
	}

	private async deliver(job: Job): ReturnType<Send> {
		const done = { rest: Promise.resolve() };
		if (job.stopped.aborted) return done;
		if (maxAttempts(job.webhook, this.pbx.settings) > 0)
			return (await this.attempt(job, 1)) ? done : { rest: this.retry(job) };
		logAttempt(this.pbx, job, 1, 'lost');
		return done;
	}

	private async retry(job: Job): Promise<void> {
		for (let attempts = 2; attempts <= maxAttempts(job.webhook, this.pbx.settings); attempts++) {
			const ms = this.pbx.settings.retry_interval_seconds * 1000;
			await sleep(ms, undefined, { signal: job.stopped }).catch(() => {});
			if (job.stopped.aborted || (await this.attempt(job, attempts))) return;
		}
	}

	/** Sends once. Returns whether the delivery is done: accepted, or not to be retried. */
	private async attempt(job: Job, number: number): Promise<boolean> {
		const { client, settings } = this.pbx;
		const { delivery_timeout_seconds: seconds, profile } = settings;
		const response = await client.send(job.wire, seconds, profile === 'kazoo');
		if (job.stopped.aborted) return true;
		const isAccepted = accepts(response.status, settings);
		logAttempt(this.pbx, job, number, isAccepted ? 'accepted' : 'failed', response);
		return isAccepted || !mayRetry(response, settings);
	}
}

/** Returns what only the flat forms tell about a leg. */
const marksOf = ({ role, isForwarded = false, other }: Leg): Record<Mark, boolean> => ({
	emergency_resource_used: [role, other?.role].includes('emergency'),
	is_internal_leg: role === 'loopback',
	call_forwarded: isForwarded,
});

function mayRetry({ status, error }: HttpResponse, { profile }: Settings): boolean {
	if (profile === 'contract') return true;
	const isRefused = error?.startsWith('ECONNREFUSED') === true;
	return status === null && !(profile === 'field' && isRefused);
}

const accepts = (status: number | null, { profile }: Settings): boolean =>
	status !== null && status >= 200 && status < (profile === 'contract' ? 300 : 201);

/** Returns a webhook's maximum number of delivery attempts (§2.5 retries). */
const maxAttempts = ({ retries }: Webhook, { profile }: Settings): number =>
	profile === 'contract' ? retries + 1 : retries;

const NO_RESPONSE: HttpResponse = { status: null, headers: {}, text: '', error: null, ms: 0 };

type Result = 'accepted' | 'failed' | 'lost';
export type DeliveryEntry = ReturnType<typeof entryOf>;
export type Attempt = ReturnType<typeof attemptOf>;

/** Logs a delivery attempt for the API (§4.4 attempts), the control side, and the page. */
function logAttempt(
	{ settings, deliveries, bus }: Pbx,
	job: Job,
	number: number,
	result: Result,
	response = NO_RESPONSE,
): void {
	const entry = entryOf(job, number, result, response);
	deliveries.push(entry);
	bus.publish('delivery', () => entry);
	if (result === 'lost') return;
	const left = maxAttempts(job.webhook, settings) - number;
	const attempt = attemptOf(job, entry, response, left);
	job.call.account.webhooks.addAttempt(attempt, settings.disable_after_failures);
}

/** A delivery attempt, as the sandbox sees it. Its payload leaves out `custom_data`. */
const entryOf = (
	{ call, leg, webhook, event }: Job,
	number: number,
	/** `failed`: a retry can follow. `lost`: by a fault, or since no attempt is allowed. */
	result: Result,
	{ status, text, error, ms }: HttpResponse,
) => ({
	id: newId(),
	at: new Date().toISOString(),
	account_id: call.account.id,
	call_id: call.id,
	leg_call_id: leg.callId,
	leg: leg.direction,
	event: event.name,
	hook: webhook.hook,
	webhook_id: webhook.id,
	uri: webhook.uri,
	verb: webhook.http_verb,
	msg_id: String(event.args['Msg-ID']),
	try: number,
	result,
	status,
	ms: Math.round(ms),
	error,
	response: text.slice(0, SHOWN_CHARACTERS),
	payload: event.args,
});

/** A delivery attempt for the API. The contract doesn't list its fields (§2.5): these are a guess. */
function attemptOf(
	{ webhook, wire }: Job,
	{ event, msg_id, try: number, result, response, status, error }: DeliveryEntry,
	{ headers }: HttpResponse,
	left: number,
) {
	const isAccepted = result === 'accepted';
	const failure = status === null ? 'http client error' : 'bad response code';
	return {
		hook_id: webhook.id,
		hook_event: event.toLowerCase(),
		event_id: msg_id,
		uri: webhook.uri,
		method: webhook.http_verb,
		req_body: wire.body,
		req_headers: omit(wire.headers, 'user-agent'),
		resp_headers: headers,
		resp_status_code: String(status ?? ''),
		resp_body: response,
		result: isAccepted ? ('success' as const) : ('failure' as const),
		reason: isAccepted ? '' : failure,
		...(error !== null && { client_error: error }),
		try: number,
		retries: webhook.retries,
		retries_left: !isAccepted && left <= 0 ? ('retries exceeded' as const) : left,
		timestamp: gregorianNow(),
	};
}
