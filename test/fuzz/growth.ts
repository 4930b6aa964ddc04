import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A place that reads what others send, and the bodies that are thrown at it. */
export interface Door {
	name: string;
	/** By name, a body of about so many bytes. */
	bodies: Readonly<Record<string, (bytes: number) => unknown>>;
	/** Reads a body as the published code does; what it returns counts as memory. */
	read: (body: never) => unknown;
}

/** Makes a door: its bodies are of the type that it reads. */
export function door<T>(
	name: string,
	bodies: Readonly<Record<string, (bytes: number) => T>>,
	read: (body: T) => unknown,
): Door {
	return { name, bodies, read };
}

/** Small ones first: what grows too fast is found before it takes minutes. */
const SIZES = [4_096, 16_384, 65_536, 262_144, 1_048_576];
const STEP = 4;

/** Linear time gives {@link STEP}, quadratic its square; caches and the garbage collector lie between. */
const FACTOR = 9;
/** Too short to be compared, in milliseconds of processor time; what JSON.parse takes of the worst texts. */
const floorMs = (bytes: number) => 20 + bytes / 5000;
const TRIES = 5;

/** As much may one megabyte of body take, garbage included. */
const MOST_BYTES = 50 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Lets a body grow, and fails where the time to read it grows faster, or where one megabyte takes more than 50.
 *
 * @throws AssertionError with the size at which it was seen
 */
export function assertLinear({ bodies, read }: Door, kind: string): void {
	const make = bodies[kind];
	assert.ok(make);
	let before = Infinity;
	for (const bytes of SIZES) {
		const body = make(bytes) as never;
		const most = Math.max(floorMs(bytes), FACTOR * before);
		let took = cpuMs(() => read(body), most);
		// Others on this machine, the compiler and the garbage collector only ever add.
		for (let tries = 1; took > most && tries < TRIES; tries++)
			took = Math.min(
				took,
				cpuMs(() => read(body), most),
			);
		assert.ok(
			took <= most,
			`${bytes} bytes took ${took.toFixed(1)} ms, ${bytes / STEP} bytes ${before.toFixed(1)} ms`,
		);
		before = took;
	}
	const taken = memoryOf(() => read(make(SIZES.at(-1) ?? 0) as never));
	assert.ok(taken <= MOST_BYTES, `One megabyte took ${Math.round(taken / 1_048_576)} MiB`);
}

/** The processor time of this process that one call takes, in milliseconds; of several calls where it is short. */
function cpuMs(call: () => unknown, enoughMs: number): number {
	const start = process.cpuUsage();
	let spent = 0;
	let calls = 0;
	do {
		call();
		calls++;
		const { user, system } = process.cpuUsage(start);
		spent = (user + system) / 1000;
	} while (spent < Math.min(4, enoughMs) && calls < 50);
	return spent / calls;
}

/** What a call leaves on the heap. */
function memoryOf(call: () => unknown): number {
	collectGarbage();
	const before = process.memoryUsage().heapUsed;
	const result = call();
	const taken = process.memoryUsage().heapUsed - before;
	// Up to here, the result is needed.
	return result === call ? 0 : taken;
}
