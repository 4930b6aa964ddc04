/** Bodies by name, each of about so many bytes. */
export type Bodies<T> = Readonly<Record<string, (bytes: number) => T>>;

/** A place that reads what others send. */
export interface Door {
	name: string;
	/** What bodies grow there. */
	kinds: string[];
	/** Returns why a kind of body takes more than linear time there, or undefined. */
	fault: (kind: string) => string | undefined;
}

/**
 * A place where bodies grow to 256 KiB.
 *
 * @param read reads a body as the published code does
 */
export function door<T>(name: string, bodies: Bodies<T>, read: (body: T) => unknown): Door {
	return doorOf(
		name,
		{ small: 16_384, large: 262_144, largest: 1_048_576, power: 1.5 },
		bodies,
		read,
	);
}

/** A place that reads single texts, whose patterns show what they are in 64 KiB. */
export function textDoor(
	name: string,
	bodies: Bodies<string>,
	read: (text: string) => unknown,
): Door {
	const growth = { small: 4_096, large: 65_536, largest: 262_144, power: 1.25, isEven: true };
	return doorOf(name, growth, bodies, read);
}

function doorOf<T>(
	name: string,
	growth: Growth,
	bodies: Bodies<T>,
	read: (body: T) => unknown,
): Door {
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

interface Growth {
	/** Here, what grows too fast is found before it takes minutes. */
	small: number;
	large: number;
	/** Here, it is seen for sure: time that grew by more than a power of the size, where linear time has 1 and quadratic 2. */
	largest: number;
	power: number;
	/** Time grows evenly, as memory and caches don't matter: from large to largest, even a fast loop of searches is seen. */
	isEven?: boolean;
}

const TRIES = 4;
/** Less tells nothing of how time grows. */
const STEEP_MS = 15;
const SHORT_MS = 200;
/** A busy machine takes several times what a quiet one takes for it; quadratic time takes far longer. */
const mostMs = (bytes: number) => 150 + bytes / 300;

/** @param reading makes a body, and gives the reading of it */
function faultOf(
	{ small, large, largest, power, isEven = false }: Growth,
	reading: (bytes: number) => () => unknown,
): string | undefined {
	const readSmall = reading(small);
	const first = faultAt(small, readSmall);
	if (first.fault !== undefined) return first.fault;
	const readLarge = reading(large);
	const { fault, ms } = faultAt(large, readLarge);
	if (fault !== undefined || ms < STEEP_MS) return fault;
	// The first call also compiled what it ran.
	const least = Math.min(first.ms, msOf(readSmall));
	if (ms <= (large / small) ** power * least) return undefined;
	const evenMs = isEven ? (largest / large) ** 1.5 * Math.min(ms, msOf(readLarge)) : Infinity;
	return faultAt(largest, reading(largest), Math.max(SHORT_MS, evenMs)).fault;
}

/** Takes the least time of a few calls: others on this machine, the compiler and the garbage collector only ever add. */
function faultAt(
	bytes: number,
	read: () => unknown,
	wantedMs = Infinity,
): { ms: number; fault?: string } {
	const most = Math.min(mostMs(bytes), wantedMs);
	let ms = msOf(read);
	// What takes far too long takes too long again.
	for (let tries = 1; tries < TRIES && ms > most && ms < 4 * most; tries++)
		ms = Math.min(ms, msOf(read));
	return ms > most ? { ms, fault: `${bytes} bytes took ${ms.toFixed()} ms` } : { ms };
}

/** Processor time of this process, in milliseconds. */
function msOf(call: () => unknown): number {
	const start = process.cpuUsage();
	call();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}
