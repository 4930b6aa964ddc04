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
	const faultOf = (make: (bytes: number) => T) => slowness(SIZES, make, read) ?? greed(make, read);
	return { name, faults: () => faultsOf(bodies, faultOf) };
}

/** A door for single texts, whose patterns show what they are in 64 KiB. */
export function textDoor(
	name: string,
	bodies: Bodies<string>,
	read: (text: string) => unknown,
): Door {
	return {
		name,
		faults: () => faultsOf(bodies, (make) => slowness(SIZES.slice(0, 3), make, read)),
	};
}

function faultsOf<T>(
	bodies: Bodies<T>,
	faultOf: (make: (bytes: number) => T) => string | undefined,
) {
	return Object.entries(bodies).flatMap(([kind, make]) => {
		const fault = faultOf(make);
		return fault === undefined ? [] : [`${kind}: ${fault}`];
	});
}

/** Small ones first: what grows too fast is found before it takes minutes. */
const SIZES = [4_096, 16_384, 65_536, 262_144];
const STEP = 4;

/** Linear time gives {@link STEP}, quadratic time 16; caches and the garbage collector lie between. */
const FACTOR = 9;
const TRIES = 6;
/** Times too short to be compared, in milliseconds of processor time: twice what JSON.parse takes of the worst texts. */
const floorMs = (bytes: number) => 30 + bytes / 2000;

function slowness<T>(
	sizes: readonly number[],
	make: (bytes: number) => T,
	read: (body: T) => unknown,
): string | undefined {
	let before = Infinity;
	for (const bytes of sizes) {
		const body = make(bytes);
		const most = Math.max(floorMs(bytes), FACTOR * before);
		let took = cpuMs(() => read(body));
		// Others on this machine, the compiler and the garbage collector only ever add.
		for (let tries = 1; took > most && took < 4 * most && tries < TRIES; tries++)
			took = Math.min(
				took,
				cpuMs(() => read(body)),
			);
		if (took > most)
			return `${bytes} bytes took ${took.toFixed(1)} ms, ${bytes / STEP} bytes ${before.toFixed(1)} ms`;
		before = took;
	}
	return undefined;
}

/** The processor time of this process that one call takes, in milliseconds; the mean of several where it is short. */
function cpuMs(call: () => unknown): number {
	const start = process.cpuUsage();
	for (let calls = 1; ; calls++) {
		call();
		const { user, system } = process.cpuUsage(start);
		const spent = (user + system) / 1000;
		if (spent > 2 || calls === 20) return spent / calls;
	}
}

const BYTES = 1_048_576;
const MOST_TIMES = 50;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function greed<T>(make: (bytes: number) => T, read: (body: T) => unknown): string | undefined {
	const body = make(BYTES);
	let taken = memoryOf(() => read(body));
	for (let tries = 1; taken > MOST_TIMES && tries < 3; tries++) {
		collectGarbage();
		taken = Math.min(
			taken,
			memoryOf(() => read(body)),
		);
	}
	return taken > MOST_TIMES ? `it took ${Math.round(taken)} times its size in memory` : undefined;
}

/** What a call adds to the heap, garbage included, as a multiple of the body. */
function memoryOf(call: () => unknown): number {
	const before = process.memoryUsage().heapUsed;
	const result = call();
	const taken = process.memoryUsage().heapUsed - before;
	// The result must live until here.
	assert.notEqual(result, collectGarbage);
	return taken / BYTES;
}
