import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../n8n';

/** Environment of an n8n whose memory is measured: it collects garbage on a signal. */
export const COLLECTING = {
	NODE_OPTIONS: `--require ${path.join(ROOT, 'tools/bench/collect-on-signal.cjs')}`,
};

/** One run. */
export interface Spent {
	ms: number;
	/** Peak of the process above its rest, in MiB. */
	peakMb: number;
}

/**
 * Measures work that a process does: its time, and how far its memory rises above rest. Linux only.
 *
 * @param pid a process that was started with {@link COLLECTING}
 * @param restMs how long it may collect garbage before
 */
export async function spentBy(
	pid: number,
	work: () => Promise<void>,
	restMs = 3000,
): Promise<Spent> {
	const field = (name: string) => {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
	};
	process.kill(pid, 'SIGUSR2');
	await sleep(restMs);
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	const rest = field('VmRSS');
	const began = performance.now();
	await work();
	return { ms: performance.now() - began, peakMb: field('VmHWM') - rest };
}
