import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../n8n';
import type { N8nProcess } from '../../n8n';

/** Environment of an n8n whose memory is measured: it collects garbage on a signal. */
export const COLLECTING = {
	NODE_OPTIONS: `--require ${path.join(ROOT, 'tools/measure/bench/collect-on-signal.cjs')}`,
};

/** What a process holds, in MiB: now (`VmRSS`), or at most since {@link forgetPeak} (`VmHWM`). Linux only. */
export function residentMb(pid: number | undefined, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Lets the peak of a process's memory begin anew. */
export function forgetPeak(pid: number | undefined): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** One run. */
export interface Spent {
	ms: number;
	/** Peak of the process above its rest, in MiB. */
	peakMb: number;
}

/**
 * Measures a workflow that answers with a `count`, in an n8n that was started with {@link COLLECTING}: its time, and how far the
 * memory rises above rest. Throws when it answers anything else. Linux only.
 */
export async function spentBy(n8n: N8nProcess, url: string, count: number): Promise<Spent> {
	const { pid = 0 } = n8n;
	process.kill(pid, 'SIGUSR2');
	await sleep(3000);
	forgetPeak(pid);
	const rest = residentMb(pid);
	const began = performance.now();
	const answer = await (await fetch(url)).text();
	const ms = performance.now() - began;
	if (answer !== JSON.stringify({ count })) throw new Error(`${url} answered ${answer}`);
	return { ms, peakMb: residentMb(pid, 'VmHWM') - rest };
}
