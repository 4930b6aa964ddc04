import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../n8n';
import type { N8nProcess } from '../../n8n';

/** Environment that lets an n8n process collect garbage on a signal. */
export const COLLECTING = {
	NODE_OPTIONS: `--require ${path.join(ROOT, 'tools/measure/bench/collect-on-signal.cjs')}`,
};

/**
 * Returns a process's memory in MiB: current (`VmRSS`), or the peak since {@link resetPeak}
 * (`VmHWM`). Linux only.
 */
export function residentMb(pid: number | undefined, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Resets the peak of a process's memory. */
export function resetPeak(pid: number | undefined): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The cost of one run. */
export interface Spent {
	ms: number;
	/** Peak memory above the process's baseline, in MiB. */
	peakMb: number;
}

/**
 * Measures the time and peak memory of a workflow that responds with a `count`, in an n8n process
 * started with {@link COLLECTING}. Throws on any other response. Linux only.
 */
export async function spentBy(n8n: N8nProcess, url: string, count: number): Promise<Spent> {
	const { pid = 0 } = n8n;
	process.kill(pid, 'SIGUSR2');
	await sleep(3000);
	resetPeak(pid);
	const rest = residentMb(pid);
	const began = performance.now();
	const body = await (await fetch(url)).text();
	const ms = performance.now() - began;
	if (body !== JSON.stringify({ count })) throw new Error(`${url} responded with ${body}`);
	return { ms, peakMb: residentMb(pid, 'VmHWM') - rest };
}
