import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../calls/call';
import type { Leg } from '../calls/leg';
import type { Account } from '../model/account';
import { eventArgs } from '../events/payload';
import { newId } from '../model/ids';
import type { Fault } from '../faults/schema';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { CallEvent, EventName, HookName, Mark, Webhook } from '../model/types';
import { encode, shapeEvent } from './body';
import type { HttpResponse, Client } from './client';
import { logAttempt, maxAttempts, type Job } from './log';

/** How long to hold an event back for the call's next one. */
const REORDER_PATIENCE_MS = 1000;

/** A job with its event encoded. */
type WiredJob = Job & Required<Pick<Job, 'wire'>>;

/** Retries a delivery. */
type Retry = () => Promise<void>;

/** Attempts a delivery once. Returns a function for the retries if any are needed. */
type Send = () => Promise<Retry | undefined>;

/** The deliveries of one call: a queue, and an event held back to arrive out of order. */
interface Lane {
	tail: Promise<unknown>;
	held: Array<() => Promise<void>>;
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

	constructor(
		private readonly pbx: Pbx,
		private readonly client: Client,
	) {}

	/** Delivers a leg's event to every enabled webhook of its hook. */
	emit(call: Call, leg: Leg, event: EventName): void {
		const hook = event.toLowerCase() as HookName;
		const webhooks = call.account.webhooks.listening(hook);
		if (webhooks.length === 0) return;
		const msgId = newId();
		const stopped = this.stopped.signal;
		const args = eventArgs({ call, leg, event, msgId, settings: this.pbx.settings });
		const { account } = call;
		for (const webhook of webhooks) {
			const job = {
				account,
				webhook,
				event: { name: event, args, marks: marksOf(leg) },
				msgId,
				stopped,
			};
			this.enqueue(call, { ...job, of: { call, leg } });
		}
	}

	/** Sends one event through a webhook, including retries, regardless of its hook. Returns its Msg-ID. */
	async push(account: Account, webhook: Webhook, event: CallEvent): Promise<string> {
		const msgId = newId();
		const args = { ...event.args, 'Msg-ID': msgId };
		const job = {
			account,
			webhook,
			event: { ...event, args },
			msgId,
			stopped: this.stopped.signal,
		};
		const retry = await this.deliver({ ...job, wire: this.wireOf(job) });
		await retry?.();
		return msgId;
	}

	/** Drops every pending delivery, as a reset does. */
	stop(): void {
		this.stopped.abort();
		this.stopped = stopper();
	}

	private enqueue(call: Call, job: Job & Required<Pick<Job, 'of'>>): void {
		const { event, of } = job;
		const leg = of.leg.direction;
		const faults = this.pbx.faults.apply({ side: 'delivery', event: event.name, leg });
		const has = (kind: Fault['kind']) => faults.some((fault) => fault.kind === kind);
		if (has('delivery-lose')) {
			logAttempt(this.pbx, job, 1, { result: 'lost' });
			return;
		}
		const wire = this.wireOf(job);
		const send: Send = async () => await this.deliver({ ...job, wire });
		if (has('delivery-reorder')) this.hold(call, send);
		else this.line(call, send);
		if (has('delivery-duplicate')) this.line(call, send);
	}

	/** Queues a delivery for its call. Its retries don't hold up the next one. */
	private line(call: Call, send: Send): void {
		const lane = this.laneOf(call);
		const first = lane.tail.then(send);
		const released = lane.held.splice(0);
		lane.tail = first.then(async () => {
			for (const release of released) await release();
		});
		call.deliveries.push(first.then(async (retry) => await retry?.()));
	}

	/** Holds a delivery back until the next one of its call is sent. */
	private hold(call: Call, send: Send): void {
		const first = new Promise<Retry | undefined>((resolve) => {
			let isReleased = false;
			const release = async () => {
				if (isReleased) return;
				isReleased = true;
				const sent = send();
				resolve(sent);
				await sent;
			};
			this.laneOf(call).held.push(release);
			setTimeout(() => void release(), REORDER_PATIENCE_MS).unref();
		});
		call.deliveries.push(first.then(async (retry) => await retry?.()));
	}

	private laneOf(call: Call): Lane {
		const lane = this.lanes.get(call) ?? { tail: Promise.resolve(), held: [] };
		this.lanes.set(call, lane);
		return lane;
	}

	private wireOf({ account, event, webhook }: Pick<Job, 'account' | 'event' | 'webhook'>) {
		const { settings } = this.pbx;
		return encode(shapeEvent(event, webhook, settings), webhook, settings, account.id);
	}

	private async deliver(job: WiredJob): Promise<Retry | undefined> {
		if (maxAttempts(job.webhook, this.pbx.settings) < 1) {
			logAttempt(this.pbx, job, 1, { result: 'lost' });
			return undefined;
		}
		if (job.stopped.aborted || (await this.attempt(job, 1))) return undefined;
		return async () => await this.retry(job);
	}

	private async retry(job: WiredJob): Promise<void> {
		for (let attempts = 2; attempts <= maxAttempts(job.webhook, this.pbx.settings); attempts++) {
			const ms = this.pbx.settings.retry_interval_seconds * 1000;
			const continues = await pause(ms, job.stopped);
			if (!continues || (await this.attempt(job, attempts))) return;
		}
	}

	/** Sends once. Returns whether the delivery is done: accepted, or not to be retried. */
	private async attempt(job: WiredJob, number: number): Promise<boolean> {
		const { settings } = this.pbx;
		const { delivery_timeout_seconds: seconds, profile } = settings;
		const response = await this.client.send(job.wire, seconds, profile === 'kazoo');
		if (job.stopped.aborted) return true;
		const isAccepted = accepts(response.status, settings);
		const result = isAccepted ? 'accepted' : 'failed';
		logAttempt(this.pbx, job, number, { result, response });
		return isAccepted || !mayRetry(response, settings);
	}
}

/** Returns what only the flat forms tell about a leg. */
export const marksOf = ({ role, isForwarded = false, other }: Leg): Record<Mark, boolean> => ({
	emergency_resource_used: [role, other?.role].includes('emergency'),
	is_internal_leg: role === 'loopback',
	call_forwarded: isForwarded,
});

/** Waits in real time. Returns false if everything was stopped meanwhile. */
async function pause(ms: number, stopped: AbortSignal): Promise<boolean> {
	await sleep(ms, undefined, { signal: stopped }).catch(() => {});
	return !stopped.aborted;
}

/** Whether a failed delivery can be retried. */
function mayRetry({ status, error }: HttpResponse, { profile }: Settings): boolean {
	if (profile === 'contract') return true;
	const isRefused = error?.startsWith('ECONNREFUSED') === true;
	return status === null && !(profile === 'field' && isRefused);
}

const accepts = (status: number | null, { profile }: Settings): boolean =>
	status !== null && status >= 200 && status < (profile === 'contract' ? 300 : 201);
