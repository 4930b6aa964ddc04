import type { IExecuteFunctions } from 'n8n-workflow';

import { TIMEOUTS, unlessAborted } from '../values/timeouts';

/** A readable stream of bytes, as n8n's request helper gives it and its binary store takes it. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Uint8Array
>;

/** An answer of the PBX whose body is still to be read. */
export interface OpenAnswer {
	statusCode: number;
	/** With lower-case names. */
	headers: Record<string, unknown>;
	body: ByteStream;
	/** Ends the connection. */
	close: () => void;
}

const PIECE = 2 ** 20;

/** Keeps an error that comes while nobody listens from ending the whole process. */
export function guard(stream: ByteStream): void {
	stream.on('error', () => undefined);
}

/** Closes an answer that nobody reads on, and its connection. */
export function discard({ body, close }: OpenAnswer): void {
	close();
	// Without an error, whoever waits for its pieces in Node.js before 24 would wait for ever.
	body.destroy(new Error('aborted'));
}

/**
 * Gives the pieces of a body, or of what a stream passes on of it. Time counts only while somebody waits for the next
 * one: an error says `timeout` when none comes for `TIMEOUTS.idle`, since n8n's helper waits for ever.
 */
export async function* piecesOf<T>(parts: AsyncIterable<T>, answer: OpenAnswer): AsyncGenerator<T> {
	const iterator = parts[Symbol.asyncIterator]();
	for (;;) {
		const next = await unlessSilent(answer, async () => await iterator.next());
		if (next.done) return;
		yield next.value;
	}
}

async function unlessSilent<T>({ close }: OpenAnswer, piece: () => Promise<T>): Promise<T> {
	const silence = AbortSignal.timeout(TIMEOUTS.idle);
	try {
		return await unlessAborted(silence, piece);
	} finally {
		// n8n wraps the body: its stream ends only when the connection does.
		if (silence.aborted) close();
	}
}

/** Waits for the first bytes of a body and puts them back; undefined when it ends without any, throws when it breaks off. */
export async function firstChunk(answer: OpenAnswer): Promise<Uint8Array | undefined> {
	const { body } = answer;
	const chunk = async () =>
		await new Promise<Uint8Array | undefined>((resolve, reject) => {
			const look = () => {
				const bytes = body.read() as Uint8Array | null;
				if (bytes === null) return;
				body.off('readable', look).unshift(bytes);
				resolve(bytes);
			};
			body
				.on('readable', look)
				.once('end', () => resolve(undefined))
				.once('error', reject)
				.once('close', () => reject(new Error('aborted')));
		});
	return await unlessSilent(answer, chunk);
}

/**
 * Gathers a stream into pieces of 1 MiB and reads ahead: n8n's store in files writes piece after piece, and waits for
 * each before it takes the next. It breaks off when the stream falls silent, however long the store takes.
 */
export function inLargePieces(answer: OpenAnswer): ByteStream {
	const pieces = answer.body.compose<ByteStream>((parts: AsyncIterable<Uint8Array>) =>
		gather(piecesOf(parts, answer)),
	);
	guard(pieces);
	return pieces;
}

async function* gather(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let gathered: Uint8Array[] = [];
	let size = 0;
	for await (const part of parts) {
		gathered.push(part);
		size += part.length;
		if (size < PIECE) continue;
		yield Buffer.concat(gathered, size);
		gathered = [];
		size = 0;
	}
	if (size > 0) yield Buffer.concat(gathered, size);
}

/** Tells a web page or a JSON answer from a recording by its first bytes. */
export function looksLikeText(bytes: Uint8Array): boolean {
	const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
	return /^(?:<[!?a-z]|[{[]\s*["{\]}])/i.test(start);
}
