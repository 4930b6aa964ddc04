import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../calls/call';
import type { Leg } from '../calls/leg';
import type { Account } from '../model/account';
import { eventArgs } from '../events/payload';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { CallEvent, EventName, HookName, Mark, Webhook } from '../model/types';
import { encode, shapeEvent } from './body';
import type { HttpResponse } from './client';
import { logAttempt, maxAttempts, type Job } from './log';

/** How long to hold an event back for the call's next one. */
const REORDER_PATIENCE_MS = 1000;

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
	emit(call: Call, leg: Leg, event: EventName): void {
		const { account } = call;
		const webhooks = account.webhooks.listening(event.toLowerCase() as HookName);
		if (webhooks.length === 0) return;
		const msgId = newId();
		const args = eventArgs({ call, leg, event, msgId, settings: this.pbx.settings });
		const callEvent = { name: event, args, marks: marksOf(leg) };
		for (const webhook of webhooks)
			this.enqueue({ ...this.jobOf(account, webhook, callEvent), of: { call, leg } });
	}

	/** Sends one event through a webhook, including retries, regardless of its hook. Returns its Msg-ID. */
	async push(account: Account, webhook: Webhook, event: CallEvent): Promise<string> {
		const msgId = newId();
		const args = { ...event.args, 'Msg-ID': msgId };
		await (
			await this.deliver(this.jobOf(account, webhook, { ...event, args }))
		).rest;
		return msgId;
	}

	/** Drops every pending delivery, as a reset does. */
	stop(): void {
		this.stopped.abort();
		this.stopped = stopper();
	}

	private jobOf(account: Account, webhook: Webhook, event: CallEvent): Job {
		const { settings } = this.pbx;
		const wire = encode(shapeEvent(event, webhook, settings), webhook, settings, account.id);
		return { account, webhook, event, wire, stopped: this.stopped.signal };
	}

	private enqueue(job: Job & Required<Pick<Job, 'of'>>): void {
		const { call, leg } = job.of;
		const target = { side: 'delivery', event: job.event.name, leg: leg.direction } as const;
		const faults = new Set(this.pbx.faults.apply(target).map(({ kind }) => kind));
		if (faults.has('delivery-lose')) return logAttempt(this.pbx, job, 1, { result: 'lost' });
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
		logAttempt(this.pbx, job, 1, { result: 'lost' });
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
		const result = isAccepted ? 'accepted' : 'failed';
		logAttempt(this.pbx, job, number, { result, response });
		return isAccepted || !mayRetry(response, settings);
	}
}

/** Returns what only the flat forms tell about a leg. */
const marksOf = ({ role, isForwarded = false, other }: Leg): Record<Mark, boolean> => ({
	emergency_resource_used: [role, other?.role].includes('emergency'),
	is_internal_leg: role === 'loopback',
	call_forwarded: isForwarded,
});

/** Whether a failed delivery can be retried. */
function mayRetry({ status, error }: HttpResponse, { profile }: Settings): boolean {
	if (profile === 'contract') return true;
	const isRefused = error?.startsWith('ECONNREFUSED') === true;
	return status === null && !(profile === 'field' && isRefused);
}

const accepts = (status: number | null, { profile }: Settings): boolean =>
	status !== null && status >= 200 && status < (profile === 'contract' ? 300 : 201);
