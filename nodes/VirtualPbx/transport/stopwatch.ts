import { sleep } from 'n8n-workflow';

/** How late a watch may be at most. */
const TICK_MS = 250;

interface Watch {
	until: () => number;
	act: () => void;
}

const watches = new Set<Watch>();
let isTicking = false;

/**
 * Acts once a time is over. All watches share one sleep at a time, so none leaves a timer behind, however long its time is.
 *
 * @param until Unix milliseconds, read again and again, so it may move; infinite for never
 * @param act is called once at most, up to 250 ms late
 * @returns ends the watch
 */
export function whenOver(until: () => number, act: () => void): () => void {
	const watch = { until, act };
	watches.add(watch);
	if (!isTicking) void tick();
	return () => void watches.delete(watch);
}

async function tick(): Promise<void> {
	isTicking = true;
	try {
		while (watches.size > 0) {
			const next = Math.min(...[...watches].map(({ until }) => until()));
			await sleep(Math.min(TICK_MS, Math.max(1, next - Date.now())));
			const due = overdue([...watches]);
			if (due.length === 0) continue;
			// What came in while the process was busy is read before anyone is called late.
			await sleep(1);
			for (const watch of overdue(due)) finish(watch);
		}
	} finally {
		isTicking = false;
	}
}

function overdue(some: Watch[]): Watch[] {
	const now = Date.now();
	return some.filter((watch) => watches.has(watch) && watch.until() <= now);
}

function finish(watch: Watch): void {
	watches.delete(watch);
	watch.act();
}
