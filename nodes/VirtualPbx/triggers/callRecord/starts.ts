import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { shortHash } from '../../pbx/cdrs/cdr';
import type { Candidate } from './calls';
import { createItems } from './calls';
import type { Progress } from './progress';
import { saveProgress } from './progress';
import type { Check, Settings } from './parameters';

/** How many executions run at once. More don't make n8n faster (docs/run-at-scale.md). */
const AT_ONCE = 5;
/** How many candidates wait in memory at most, and when to read more. */
const MAX_QUEUED = 200;
const FEW_QUEUED = 20;
/** The lane of executions that process several calls. */
const ALL = 'all';

/** How long to wait before another attempt, and after n8n couldn't start one, in milliseconds. Only tests change it. */
export const PAUSES = { retries: [300_000, 1_800_000], restart: 60_000 };

interface Job {
	id: string;
	candidates: Candidate[];
	items: INodeExecutionData[];
	/** Jobs of one customer run one at a time, in order. */
	customer: string | undefined;
}

type Outcome = 'done' | 'failed' | 'notStarted' | 'shutDown';

/** Starts the executions of one publication, a few at once. */
export class Starts {
	/** Whether there is more to read once the queue is short. */
	wantsMore = false;
	private readonly queue: Job[] = [];
	/** The keys of executions started since the current reading began. */
	private readonly started = new Set<string>();

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly signal: AbortSignal,
		private readonly requestCheck: () => void,
	) {}

	get isFull(): boolean {
		return this.queue.length >= MAX_QUEUED;
	}

	/** Forgets what was started before: a new reading doesn't find it. */
	beginReading(): void {
		this.started.clear();
	}

	/** Queues what isn't queued yet, as far as there is room. Returns whether anything was left out for later. */
	async add(check: Check, due: readonly Candidate[], progress: Progress): Promise<boolean> {
		const isKnown = (id: string) => this.started.has(id) || this.queue.some((job) => job.id === id);
		const fresh = due.filter(({ id, openId = id }) => !isKnown(openId));
		const again = new Map<string, Candidate[]>();
		for (const candidate of fresh) {
			const { openId } = candidate;
			if (openId !== undefined) again.set(openId, [...(again.get(openId) ?? []), candidate]);
		}
		const added = fresh.filter(({ openId }) => openId === undefined);
		const room = this.roomFor(check.settings, progress);
		const taken = added.slice(0, room);

		const made = await createItems(check, [...[...again.values()].flat(), ...taken], progress);
		const ready = taken.filter((one) => made.has(one));
		const jobs = check.settings.isPerCall
			? ready.map((one) => jobOf(one.id, [one], made))
			: ready.length === 0
				? []
				: [jobOf(shortHash(ready.map(({ id }) => id).join()), ready, made)];
		const repeated = [...again]
			.filter(([, candidates]) => candidates.every((one) => made.has(one)))
			.map(([id, candidates]) => jobOf(id, candidates, made));
		// Later calls of the same customers have waited for these.
		this.queue.unshift(...repeated);
		this.queue.push(...jobs.filter(({ id }) => !this.started.has(id)));
		return taken.length < added.length;
	}

	private roomFor({ isPerCall, maxItems }: Settings, { running, retries }: Progress): number {
		if (isPerCall) return MAX_QUEUED - this.queue.length;
		return this.queue.length + running.size + retries.size > 0 ? 0 : maxItems;
	}

	pump(settings: Settings, progress: Progress): void {
		const { running, retries } = progress;
		const held = new Set(running.values());
		const waiting = [...retries].filter(([id]) => !this.queue.some((job) => job.id === id));
		for (const [, { customer }] of waiting) held.add(customer);
		for (const job of [...this.queue]) {
			if (this.signal.aborted || running.size >= AT_ONCE) return;
			if (job.customer !== undefined && held.has(job.customer)) continue;
			held.add(job.customer);
			this.queue.splice(this.queue.indexOf(job), 1);
			void this.start(job, settings, progress);
		}
		const isFree = settings.isPerCall || running.size + retries.size === 0;
		if (this.wantsMore && isFree && this.queue.length <= FEW_QUEUED) this.requestCheck();
	}

	/** Enters a job, so that it is started again after a crash, starts it, and waits for its end. */
	private async start(
		{ id, candidates, items, customer }: Job,
		settings: Settings,
		progress: Progress,
	): Promise<void> {
		const { context } = this;
		const open = progress.enter(id, candidates);
		progress.running.set(id, customer);
		progress.retries.delete(id);
		this.started.add(id);
		const run = async () => {
			saveProgress(context, progress);
			const done = context.helpers.createDeferredPromise<IRun>();
			context.emit(
				[items],
				undefined,
				done,
				executionKey(context, [progress.source, id, open.attempt]),
			);
			return await done.promise;
		};
		const outcome = await run().then(outcomeOf, outcomeOfError);

		progress.running.delete(id);
		if (outcome === 'notStarted') {
			this.tryAgain(id, PAUSES.restart, customer, progress);
		} else if (outcome === 'failed' && mayRetry(open, settings, progress)) {
			this.tryAgain(id, PAUSES.retries[open.attempt - 1] ?? 0, customer, progress);
			open.attempt++;
		} else if (outcome !== 'shutDown') {
			progress.finish(id);
		}
		this.pump(settings, progress);
	}

	private tryAgain(
		id: string,
		pauseMs: number,
		customer: string | undefined,
		progress: Progress,
	): void {
		progress.retries.set(id, { at: performance.now() + pauseMs, customer });
		void sleep(pauseMs).then(this.requestCheck);
	}
}

type MadeItems = Awaited<ReturnType<typeof createItems>>;

function jobOf(id: string, candidates: Candidate[], made: MadeItems): Job {
	const all = candidates.flatMap((one) => made.get(one) ?? []);
	const items = all.map(({ item }) => item);
	return { id, candidates, items, customer: all.length > 1 ? ALL : all[0]?.customer };
}

/** Returns whether a failed execution is tried again: as long as its records can be read. */
function mayRetry(
	{ attempt, at }: Progress['open'][string],
	{ maxAttempts }: Settings,
	{ from }: Progress,
): boolean {
	return attempt < maxAttempts && at >= from;
}

/** Returns the key under which n8n starts an execution only once. */
function executionKey(context: ITriggerFunctions, parts: Array<string | number>): string {
	const identity = [context.getWorkflow().id, context.getNode().id, ...parts];
	return createHash('sha256').update(JSON.stringify(identity)).digest('base64url');
}

/** n8n returns no run if it knows the key, and a waiting one at a Wait node. */
function outcomeOf(run: IRun | undefined): Outcome {
	return run?.status === 'error' || run?.status === 'crashed' ? 'failed' : 'done';
}

/** Reads why n8n cancelled an execution. Other errors mean that it has none. */
function outcomeOfError(error: { reason?: unknown }): Outcome {
	const outcomes: Record<string, Outcome> = {
		manual: 'done',
		timeout: 'failed',
		shutdown: 'shutDown',
	};
	return outcomes[String(error.reason)] ?? 'notStarted';
}
