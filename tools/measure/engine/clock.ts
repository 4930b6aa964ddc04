import crypto from 'node:crypto';

interface Timer {
	at: number;
	order: number;
	run: () => void;
}

/** After this many turns of the event loop without a result, all awaited work waits for a timer. */
const IDLE_TURNS = 12;
/** Longer than anything in this package can take. */
const MAX_MS = 6 * 3_600_000;

const RealDate = Date;
const realTimeout = setTimeout;

/**
 * A fake clock for this process. It advances only when everything waits for it, so timers, dates, and random values are
 * the same in each run, and waiting takes no real time.
 */
export class Clock {
	now: number;
	private timers: Timer[] = [];
	private order = 0;
	private seed = 1;

	/** Permanently replaces Node's own clock, timers, and random values. */
	constructor(startIso: string) {
		this.now = RealDate.parse(startIso);
		const read = () => this.now;
		class PinnedDate extends RealDate {
			constructor(...given: unknown[]) {
				super(...((given.length > 0 ? given : [read()]) as [number]));
			}
			static override now = read;
		}
		const wait = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
			this.start(ms, () => run(...args));
		const stop = (timer: Timer | undefined) => void this.stop(timer);
		Object.assign(globalThis, { Date: PinnedDate, setTimeout: wait, clearTimeout: stop });
		performance.now = () => this.now - RealDate.parse(startIso);
		AbortSignal.timeout = (ms: number) => {
			const controller = new AbortController();
			this.start(ms, () => controller.abort(new DOMException('Timed out', 'TimeoutError')));
			return controller.signal;
		};
		this.seedRandomness();
	}

	/** Begins a scenario: drops all timers, and restarts the random values. */
	reset(now: number, seed: number): void {
		Object.assign(this, { now, seed, timers: [], order: 0 });
	}

	/** Waits for a result, and lets time pass while nothing else runs. */
	async settle<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => void (isDone = true);
		work.then(done, done);
		const until = this.now + MAX_MS;
		while (!isDone) {
			await this.idle(() => isDone);
			if (!isDone && !this.fire(until)) await new Promise((resolve) => realTimeout(resolve, 1));
		}
		return await work;
	}

	/** Lets time pass, and runs due timers. */
	async pass(ms: number): Promise<void> {
		const until = this.now + ms;
		do await this.idle(() => false);
		while (this.fire(until));
		this.now = until;
	}

	private async idle(isDone: () => boolean): Promise<void> {
		for (let turn = 0; turn < IDLE_TURNS && !isDone(); turn++)
			await new Promise((resolve) => setImmediate(resolve));
	}

	private start(ms: number, run: () => void): Timer {
		const timer = { at: this.now + Math.max(0, Number(ms) || 0), order: this.order++, run };
		this.timers.push(timer);
		return Object.assign(timer, { ref: () => timer, unref: () => timer, hasRef: () => true });
	}

	private stop(timer: Timer | undefined): void {
		this.timers = this.timers.filter((one) => one !== timer);
	}

	/** Runs the next timer. Returns false if none is due by then. */
	private fire(until: number): boolean {
		const [next] = this.timers.sort((a, b) => a.at - b.at || a.order - b.order);
		if (!next || next.at > until) return false;
		this.stop(next);
		this.now = Math.max(this.now, next.at);
		next.run();
		return true;
	}

	/** Seeds random values, and replaces scrypt with a fast hash of the same arguments. */
	private seedRandomness(): void {
		Math.random = () => {
			this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
			return this.seed / 2 ** 32;
		};
		const hash = (...given: unknown[]) => crypto.createHash('sha512').update(JSON.stringify(given));
		const randomUUID = () => hash(Math.random()).digest('hex').slice(0, 36);
		const scrypt = (word: unknown, salt: unknown, length: number, ...more: unknown[]) => {
			const done = more.pop() as (error: null, key: Buffer) => void;
			setImmediate(() =>
				done(
					null,
					hash(word, salt, length, ...more)
						.digest()
						.subarray(0, length),
				),
			);
		};
		Object.assign(crypto, { randomUUID, scrypt });
	}
}
