/** How long to wait for the PBX, in milliseconds, unless a deadline comes first. Only tests change it. */
export const TIMEOUTS = {
	/** For a login, including its whole response. */
	login: 30_000,
	/** Until a response begins. */
	response: 60_000,
	/** Between two pieces of a response, which as a whole can take any time. */
	idle: 60_000,
	/** After a write, so that others who read the callflow earlier have finished writing. */
	settling: 300,
};

/** Waits for work, which doesn't start if the signal has already aborted. Throws the signal's reason when it aborts. */
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

/** Waits the given milliseconds, or until the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	const over = AbortSignal.timeout(Math.ceil(milliseconds));
	const waiting = async () =>
		await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
	await unlessAborted(signal, waiting).catch(() => undefined);
}
