/** How long the PBX is waited for, in milliseconds, where no deadline ends it before. Changed by tests only. */
export const TIMEOUTS = {
	/** A login, with its whole answer. */
	login: 30_000,
	/** Until an answer begins. */
	answer: 60_000,
	/** Between two pieces of an answer, which as a whole may take as long as it needs. */
	idle: 60_000,
	/** After a write, until others who had read the callflow before have written, too. */
	settling: 300,
	/** For all requests that look for something helpful, which can be done without. */
	lookUp: 5_000,
};

/** Waits for work, which is not begun when the signal has aborted; throws the signal's reason when it aborts. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	signal.throwIfAborted();
	let abort: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => {
		abort = () => reject(signal.reason as Error);
	});
	signal.addEventListener('abort', abort);
	try {
		return await Promise.race([work(), aborted]);
	} finally {
		signal.removeEventListener('abort', abort);
	}
}

/** Waits so many milliseconds, or until the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	const over = AbortSignal.timeout(Math.ceil(milliseconds));
	const waiting = async () =>
		await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
	await unlessAborted(signal, waiting).catch(() => undefined);
}
