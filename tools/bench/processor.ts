import { readdir, readFile } from 'node:fs/promises';

/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;

/** The processor time that processes have taken together so far, in milliseconds. */
export async function processorMs(
	processes: ReadonlyArray<{ pid?: number | undefined }>,
): Promise<number> {
	const times = processes.map(async ({ pid = 0 }) => {
		const [own = 0, system = 0] = await timesOf(pid);
		return own + system;
	});
	return (await Promise.all(times)).reduce((sum, one) => sum + one, 0);
}

/**
 * The processor time that all processes of a program on this machine have taken so far, also those that have ended, in
 * milliseconds.
 *
 * @param program its name as Linux knows it, such as `postgres`
 */
export async function programMs(program: string): Promise<number> {
	const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
	const times = pids.map(async (pid) => {
		const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
		if (name.trim() !== program) return 0;
		return (await timesOf(pid).catch(() => [])).reduce((sum, one) => sum + one, 0);
	});
	return (await Promise.all(times)).reduce((sum, one) => sum + one, 0);
}

/** A process's own time, the system's for it, and both of its children that have ended, in milliseconds. */
async function timesOf(pid: number): Promise<number[]> {
	const text = await readFile(`/proc/${pid}/stat`, 'utf8');
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
	return fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_MS);
}
