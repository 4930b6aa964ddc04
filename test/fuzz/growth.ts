import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bodies by name, each of about so many bytes. */
export type Bodies<T> = Readonly<Record<string, (bytes: number) => T>>;

/** A place that reads what others send. */
export interface Door {
	name: string;
	/** Why bodies break the limits, one text for each. */
	faults: () => string[];
}

/**
 * Lets bodies grow at a door. Their time may grow no faster than their size, and no more than 50 times that in memory.
 *
 * @param read reads a body as the published code does; what it returns counts as memory
 */
export function door<T>(name: string, bodies: Bodies<T>, read: (body: T) => unknown): Door {
	return { name, faults: () => faultsOf(bodies, (make) => faultOf([16_384, 262_144], make, read)) };
}

/** A door for single texts, whose patterns show what they are in 64 KiB. */
export function textDoor(
	name: string,
	bodies: Bodies<string>,
	read: (text: string) => unknown,
): Door {
	return { name, faults: () => faultsOf(bodies, (make) => faultOf([4_096, 65_536], make, read)) };
}

function faultsOf<T>(
	bodies: Bodies<T>,
	faultIn: (make: (bytes: number) => T) => string | undefined,
) {
	const faults: string[] = [];
	for (const [kind, make] of Object.entries(bodies)) {
		const fault = faultIn(make);
		if (fault !== undefined) faults.push(`${kind}: ${fault}`);
		// Each of them may take seconds.
		if (faults.length === MOST_FAULTS) break;
	}
	return faults;
}

const MOST_FAULTS = 3;
const MIB = 1_048_576;
const MOST_TIMES = 50;
const TRIES = 4;
/** Less tells nothing of how time grows. */
const STEEP_MS = 15;
/**
 * Times too short to be compared, in milliseconds of processor time: a busy machine takes several times a second for 1 MB,
 * which is fast enough, and quadratic time takes minutes.
 */
const floorMs = (bytes: number) => 150 + bytes / 400;

/** @param sizes a small one first: what grows too fast is found there before it takes minutes */
function faultOf<T>(
	[small, large]: readonly [number, number],
	make: (bytes: number) => T,
	read: (body: T) => unknown,
): string | undefined {
	const first = make(small);
	const before = leastCost(() => read(first), { ms: floorMs(small) });
	if (before.ms > floorMs(small)) return `${small} bytes took ${before.ms.toFixed(1)} ms`;

	// Linear time gives the step, quadratic time its square; caches and the garbage collector lie between.
	const mostMs = Math.max(floorMs(large), (large / small) ** 1.5 * before.ms);
	const body = make(large);
	const after = leastCost(() => read(body), { ms: mostMs });
	if (after.ms > mostMs)
		return `${large} bytes took ${after.ms.toFixed(1)} ms, ${small} bytes ${before.ms.toFixed(1)} ms`;
	const isSteep = after.ms > STEEP_MS && after.ms > (2 * large * before.ms) / small;
	const isGreedy = large >= MIB / 4 && after.bytes > MOST_TIMES * large;
	if (!isSteep && !isGreedy) return undefined;
	const most = {
		ms: Math.max(floorMs(MIB), (MIB / large) ** 1.5 * after.ms),
		...(isGreedy ? { bytes: MOST_TIMES * MIB } : {}),
	};
	return faultOfMebibyte(make, read, most);
}

/** Of less than a MiB, all garbage counts, and caches that are full look like more than linear time. */
function faultOfMebibyte<T>(
	make: (bytes: number) => T,
	read: (body: T) => unknown,
	most: Partial<Cost> & Pick<Cost, 'ms'>,
): string | undefined {
	const body = make(MIB);
	const { ms, bytes } = leastCost(() => read(body), most);
	if (ms > most.ms) return `1 MiB took ${ms.toFixed()} ms`;
	if (bytes <= (most.bytes ?? Infinity)) return undefined;
	return `it took ${Math.round(bytes / MIB)} times its size in memory`;
}

interface Cost {
	/** Processor time of this process. */
	ms: number;
	/** What is added to the heap, garbage included. */
	bytes: number;
}

/** Returns the least cost of a few calls: others on this machine, the compiler and the garbage collector only ever add. */
function leastCost(call: () => unknown, { ms = Infinity, bytes = Infinity }: Partial<Cost>): Cost {
	let least = costOf(call);
	for (let tries = 1; tries < TRIES; tries++) {
		const isOver = least.ms > ms || least.bytes > bytes;
		// What takes far too long takes too long again.
		if (!isOver || least.ms > 4 * ms) break;
		collectGarbage();
		const again = costOf(call);
		least = { ms: Math.min(least.ms, again.ms), bytes: Math.min(least.bytes, again.bytes) };
	}
	return least;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function costOf(call: () => unknown): Cost {
	const heap = process.memoryUsage().heapUsed;
	const start = process.cpuUsage();
	const result = call();
	const { user, system } = process.cpuUsage(start);
	const bytes = process.memoryUsage().heapUsed - heap;
	// The result must live until here.
	assert.notEqual(result, collectGarbage);
	return { ms: (user + system) / 1000, bytes };
}
