/** Generators of bodies by name. Each takes the size in bytes. */
export type Bodies<T> = Readonly<Record<string, (bytes: number) => T>>;

interface Growth {
	/** Exposes steep growth before it takes minutes. */
	small: number;
	large: number;
	/** Confirms that time grew by more than `power` of the size: 1 is linear, 2 is quadratic. */
	largest: number;
	power: number;
	/** Whether time grows evenly, since memory and caches don't matter. Then `largest` exposes even fast quadratic loops. */
	isEven: boolean;
}
const OF_BODIES = { small: 16_384, large: 262_144, largest: 1_048_576, power: 1.5, isEven: false };
/** Single texts: 64 KiB are enough to expose slow patterns. */
export const OF_TEXTS = { small: 4096, large: 65_536, largest: 262_144, power: 1.25, isEven: true };

/**
 * Defines code that reads external input. Its `fault` says why a kind of body takes more than linear time.
 *
 * @param read reads a body, as the published code does
 */
export function entryPoint<T>(
	name: string,
	bodies: Bodies<T>,
	read: (body: T) => unknown,
	growth: Growth = OF_BODIES,
) {
	const fault = (kind: string) => {
		const make = bodies[kind];
		if (!make) throw new Error(`${name} has no bodies of the kind ${kind}`);
		return faultOf(growth, (bytes) => {
			const body = make(bytes);
			return () => read(body);
		});
	};
	return { name, kinds: Object.keys(bodies), fault };
}

const ATTEMPTS = 4;
/** Shorter times are too noisy to compare. */
const STEEP_MS = 15;
const SHORT_MS = 200;
/** Allows for a busy machine, several times slower than an idle one. Quadratic time takes far longer. */
const maxMs = (bytes: number) => 150 + bytes / 300;

/** @param reading builds a body, and returns a function that reads it */
function faultOf(
	{ small, large, largest, power, isEven }: Growth,
	reading: (bytes: number) => () => unknown,
): string | undefined {
	const readSmall = reading(small);
	const first = faultAt(small, readSmall);
	if (first.fault !== undefined) return first.fault;
	const readLarge = reading(large);
	const { fault, ms } = faultAt(large, readLarge);
	if (fault !== undefined || ms < STEEP_MS) return fault;
	// The first call also compiled the code.
	const least = Math.min(first.ms, msOf(readSmall));
	if (ms <= (large / small) ** power * least) return undefined;
	const evenMs = isEven ? (largest / large) ** 1.5 * Math.min(ms, msOf(readLarge)) : Infinity;
	return faultAt(largest, reading(largest), Math.max(SHORT_MS, evenMs)).fault;
}

/** Measures the minimum of several calls: other processes, the compiler, and the garbage collector only add time. */
function faultAt(bytes: number, read: () => unknown, wantedMs = Infinity) {
	const limit = Math.min(maxMs(bytes), wantedMs);
	let ms = msOf(read);
	// Far too slow stays too slow: no need to repeat.
	for (let attempts = 1; attempts < ATTEMPTS && ms > limit && ms < 4 * limit; attempts++)
		ms = Math.min(ms, msOf(read));
	return { ms, fault: ms > limit ? `${bytes} bytes took ${ms.toFixed()} ms` : undefined };
}

/** Returns the CPU time of a call, in milliseconds. */
function msOf(call: () => unknown): number {
	const start = process.cpuUsage();
	call();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}
