import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux's control group (version 1) for processor time. */
const GROUPS = '/sys/fs/cgroup/cpu';
/** How often a process gets its share. Linux gives at least a millisecond at a time. */
const PERIOD_US = 20_000;
/** In how large pieces a core takes of a share: 5 ms of Linux's own are a whole share, and other threads get none. */
const PIECE = { file: '/proc/sys/kernel/sched_cfs_bandwidth_slice_us', us: '1000' };
const TRIES = 20;
const PAUSE_MS = 100;

/** Whether this machine lets you limit the processor time of a process: on Linux, as root, with control groups. */
export function canSlice(): boolean {
	const folder = path.join(GROUPS, `sizing-try-${process.pid}`);
	try {
		mkdirSync(folder);
		rmdirSync(folder);
		return true;
	} catch {
		return false;
	}
}

/**
 * Gives a process a share of one processor core and no more.
 *
 * @param share of a core, from 0.05 to 1
 * @returns what takes the limit away
 * @throws where {@link canSlice} is false
 */
export function slice(pid: number, share: number): () => Promise<void> {
	const folder = path.join(GROUPS, `sizing-${pid}`);
	mkdirSync(folder);
	writeFileSync(PIECE.file, PIECE.us);
	writeFileSync(path.join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
	writeFileSync(path.join(folder, 'cpu.cfs_quota_us'), String(Math.round(PERIOD_US * share)));
	writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
	return async () => {
		moveOut(pid);
		await remove(folder);
	};
}

function moveOut(pid: number): void {
	try {
		writeFileSync(path.join(GROUPS, 'cgroup.procs'), String(pid));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** A group can go only when Linux has buried its last process. */
async function remove(folder: string, tries = TRIES): Promise<void> {
	try {
		rmdirSync(folder);
	} catch (error) {
		if (tries === 0) throw error;
		await sleep(PAUSE_MS);
		await remove(folder, tries - 1);
	}
}
