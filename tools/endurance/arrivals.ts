import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { percentile } from '../bench/measure';

/** How long a PBX waits for an answer. */
const LIMIT_MS = 10_000;

/** One delivery. */
export interface Sent {
	/** What stood for `$id` in it. */
	id: string;
	/** The status, or why there is none. */
	answer: string;
	ms: number;
}

/** What became of deliveries. */
export interface Arrived {
	sent: number;
	/** How many of each answer. */
	answers: Record<string, number>;
	/** Of those that got 200, in milliseconds. */
	p50: number;
	p99: number;
}

/** Sends deliveries as a PBX does: whenever a call ends, however many others are under way. */
export class Arrivals {
	private readonly dispatcher: Agent;

	/**
	 * @param body in which `$id` becomes a new id each time
	 * @param localAddress who sends it
	 */
	constructor(
		private readonly url: string,
		private readonly body: string,
		localAddress = '127.0.0.1',
	) {
		this.dispatcher = new Agent({ connections: 4000, pipelining: 1, localAddress });
	}

	/** So many at one moment. */
	async burst(count: number): Promise<Sent[]> {
		return await Promise.all(Array.from({ length: count }, async () => await this.send()));
	}

	/** So many a second in even steps, whatever becomes of the earlier ones. */
	async stream(perSecond: number, seconds: number): Promise<Sent[]> {
		const began = performance.now();
		const all: Array<Promise<Sent>> = [];
		while (performance.now() - began < seconds * 1000) {
			all.push(this.send());
			await sleep(Math.max(0, began + (all.length * 1000) / perSecond - performance.now()));
		}
		return await Promise.all(all);
	}

	/** As many as are answered within a time, so many under way at once. */
	async asManyAsGo(callers: number, seconds: number): Promise<Sent[]> {
		const until = performance.now() + seconds * 1000;
		const all: Sent[] = [];
		const caller = async () => {
			while (performance.now() < until) all.push(await this.send());
		};
		await Promise.all(Array.from({ length: callers }, caller));
		return all;
	}

	async send(): Promise<Sent> {
		const began = performance.now();
		const id = randomUUID().replaceAll('-', '');
		const answer = await this.answerTo(this.body.replaceAll('$id', id));
		return { id, answer, ms: performance.now() - began };
	}

	async close(): Promise<void> {
		await this.dispatcher.destroy();
	}

	private async answerTo(body: string): Promise<string> {
		try {
			const response = await fetch(this.url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body,
				signal: AbortSignal.timeout(LIMIT_MS),
				dispatcher: this.dispatcher,
			});
			await response.arrayBuffer();
			return String(response.status);
		} catch (error) {
			const { name, cause } = error as Error & { cause?: { code?: string } };
			return cause?.code ?? name;
		}
	}
}

/** Counts the answers of deliveries, and says how quickly those came that were taken. */
export function arrivedOf(sent: readonly Sent[]): Arrived {
	const answers: Record<string, number> = {};
	for (const { answer } of sent) answers[answer] = (answers[answer] ?? 0) + 1;
	const times = sent.filter(({ answer }) => answer === '200').map(({ ms }) => ms);
	return {
		sent: sent.length,
		answers,
		p50: percentile(times, 0.5),
		p99: percentile(times, 0.99),
	};
}
