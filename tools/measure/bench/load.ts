import { performance } from 'node:perf_hooks';
import { percentile, rounded } from './measure';

/** How much to send: by so many callers at once, for so many seconds or so many requests in all. */
interface Load {
	callers: number;
	seconds?: number;
	amount?: number;
	/** How many seconds a caller waits for an answer; by default longer than a trigger's deadline of 60. */
	patience?: number;
}

/**
 * Sends requests, each caller the next one when the last is answered. Gives how many got 2xx, how many of them a second, their
 * times in milliseconds, and how many got anything else.
 */
export async function sendLoad(
	request: (count: number) => Request,
	{ callers, seconds = Infinity, amount = Infinity, patience = 90 }: Load,
) {
	const times: number[] = [];
	const began = performance.now();
	let sent = 0;
	const caller = async () => {
		while (sent < amount && performance.now() - began < seconds * 1000) {
			const before = performance.now();
			const signal = AbortSignal.timeout(patience * 1000);
			const answer = await fetch(request(sent++), { signal }).catch(() => undefined);
			await answer?.text();
			if (answer?.ok) times.push(performance.now() - before);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	const accepted = times.length;
	const perSecond = rounded((accepted * 1000) / (performance.now() - began));
	const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
	return { accepted, refused: sent - accepted, perSecond, p50, p99 };
}
