import { performance } from 'node:perf_hooks';
import { percentile, rounded } from './measure';

/** A load: the number of parallel callers, and how long or how many requests in all. */
interface Load {
	callers: number;
	seconds?: number;
	amount?: number;
	/** A caller's timeout in seconds. The default exceeds a trigger's deadline of 60. */
	patience?: number;
}

/**
 * Sends requests; each caller sends the next one after a response. Returns the number of 2xx
 * responses, their rate per second and times in milliseconds, and the number of all other results.
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
			const response = await fetch(request(sent++), { signal }).catch(() => undefined);
			await response?.text();
			if (response?.ok) times.push(performance.now() - before);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	const accepted = times.length;
	const perSecond = rounded((accepted * 1000) / (performance.now() - began));
	const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
	return { accepted, rejected: sent - accepted, perSecond, p50, p99 };
}
