import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Fault } from './schema';

/** As good as no end, and as long as a timer can hold: 23 days. */
const NO_END = 2_000_000;

/**
 * Waits some seconds, or without end when none are named; gives false once the connection has
 * closed. A closing sandbox closes every connection, so no wait outlives it.
 */
export async function hold({ raw }: FastifyReply, seconds = NO_END): Promise<boolean> {
	const gone = new AbortController();
	const leave = () => gone.abort();
	raw.once('close', leave);
	if (raw.destroyed || raw.socket?.destroyed) leave();
	await sleep(seconds * 1000, undefined, { signal: gone.signal }).catch(() => {});
	raw.off('close', leave);
	return !gone.signal.aborted;
}

/** Gives the bytes of a payload that is a text or bytes. */
export const bytesOf = (payload: unknown): Buffer =>
	Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload));

type Source = AsyncIterable<string | Buffer> | Iterable<Buffer>;

/** Lets the first bytes pass, then nothing; after `seconds`, where they are named, the rest. */
async function* stalled(reply: FastifyReply, source: Source, fault: Fault): AsyncGenerator<Buffer> {
	reply.raw.flushHeaders();
	let left = fault.bytes ?? 0;
	let isHeld = false;
	for await (const chunk of source) {
		const bytes = Buffer.from(chunk as Buffer);
		if (!isHeld && bytes.length > left) {
			if (left > 0) yield bytes.subarray(0, left);
			if (!(await hold(reply, fault.seconds))) return;
			isHeld = true;
			yield bytes.subarray(left);
			continue;
		}
		left -= bytes.length;
		yield bytes;
	}
	if (!isHeld) await hold(reply, fault.seconds);
}

/** Lets `bytes` pass every `seconds`. */
async function* dripping(
	reply: FastifyReply,
	source: Source,
	{ bytes = 1000, seconds = 1 }: Fault,
): AsyncGenerator<Buffer> {
	reply.raw.flushHeaders();
	const step = Math.max(1, bytes);
	for await (const chunk of source) {
		const whole = Buffer.from(chunk as Buffer);
		for (let place = 0; place < whole.length; place += step) {
			yield whole.subarray(place, place + step);
			if (!(await hold(reply, seconds))) return;
		}
	}
}

/** Slows an answer down by a fault `stall` or `drip`; its stated length stays that of the whole. */
export function slowDown(reply: FastifyReply, payload: unknown, fault: Fault): Readable {
	const isStream = payload instanceof Readable;
	const whole = isStream ? undefined : bytesOf(payload);
	if (whole) reply.header('content-length', whole.length);
	const source: Source = isStream ? payload : [whole ?? Buffer.alloc(0)];
	const slow = fault.kind === 'stall' ? stalled : dripping;
	return Readable.from(slow(reply, source, fault), { objectMode: false });
}
