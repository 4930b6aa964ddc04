import type { IExecuteFunctions } from 'n8n-workflow';

import { LongJson } from '../values/longJson';

/** A readable stream of bytes, as n8n's request helper gives it and its binary store takes it. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Uint8Array
>;

const MAX_WORDS = 4096;
const PIECE = 2 ** 20;

/**
 * Waits for the first bytes of a stream and puts them back, so that whoever reads next gets them, too.
 *
 * @returns the bytes; undefined when the stream ends without any
 * @throws Error when the stream breaks off before
 */
export async function firstChunk(stream: ByteStream): Promise<Uint8Array | undefined> {
	return await new Promise((resolve, reject) => {
		const settle = (act: () => void) => {
			stream
				.off('readable', onReadable)
				.off('end', onEnd)
				.off('error', onError)
				.off('close', onClose);
			act();
		};
		const onReadable = () => {
			const chunk = stream.read() as Uint8Array | null;
			if (chunk === null) return;
			settle(() => {
				stream.unshift(chunk);
				resolve(chunk);
			});
		};
		const onEnd = () => settle(() => resolve(undefined));
		const onError = (error: unknown) => settle(() => reject(error));
		const onClose = () => settle(() => reject(new Error('aborted')));
		stream.on('readable', onReadable).on('end', onEnd).on('error', onError).on('close', onClose);
	});
}

/**
 * Gathers a stream into pieces of 1 MiB and reads ahead: n8n's store in files writes piece after piece, and waits for
 * each before it takes the next.
 */
export function inLargePieces(stream: ByteStream): ByteStream {
	const pieces = stream.compose<ByteStream>(gather);
	guard(pieces);
	return pieces;
}

async function* gather(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of stream) {
		parts.push(part);
		size += part.length;
		if (size < PIECE) continue;
		yield Buffer.concat(parts, size);
		parts = [];
		size = 0;
	}
	if (size > 0) yield Buffer.concat(parts, size);
}

/** Closes a stream that nobody wants; what goes wrong with it no longer matters. */
export function discard(stream: unknown): void {
	if (!isStream(stream)) return;
	guard(stream);
	// Without an error, whoever waits for its pieces in Node.js before 24 would wait for ever.
	stream.destroy(new Error('aborted'));
}

/** Keeps an error that comes while nobody listens from ending the whole process. */
export function guard(stream: ByteStream): void {
	stream.on('error', () => undefined);
}

/**
 * Reads the beginning of an error answer, for the PBX's own words.
 *
 * @returns parsed JSON or text of at most 4 kB; an empty text when nothing can be read
 */
export async function readWords(stream: unknown): Promise<unknown> {
	if (!isStream(stream)) return stream;
	let text = '';
	try {
		for await (const chunk of stream) {
			text += String(chunk);
			if (text.length >= MAX_WORDS) break;
		}
	} catch {
		return '';
	}
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text.slice(0, MAX_WORDS);
	}
}

/** What a stream of JSON gave: its value, the beginning of what is no whole JSON, or how the connection broke. */
export type JsonOutcome = { body: unknown } | { beginning: string } | { error: unknown };

/**
 * Reads a stream of JSON without ever holding its whole text, see `LongJson`.
 *
 * @returns an empty text as the body of an empty answer
 */
export async function readLongJson(stream: unknown): Promise<JsonOutcome> {
	if (!isStream(stream)) return { body: stream };
	const json = new LongJson();
	try {
		stream.setEncoding('utf8');
		for await (const piece of stream) json.feed(String(piece));
		return { body: json.end() };
	} catch (error) {
		if (!(error instanceof SyntaxError)) return { error };
		const { beginning } = json;
		return beginning.trim() === '' ? { body: '' } : { beginning };
	} finally {
		discard(stream);
	}
}

/** Tells a web page or a JSON answer from a recording by its first bytes. */
export function looksLikeText(bytes: Uint8Array): boolean {
	const start = String.fromCharCode(...bytes.subarray(0, 64)).trimStart();
	return /^(?:<[!?a-z]|[{[]\s*["{\]}])/i.test(start);
}

function isStream(value: unknown): value is ByteStream {
	return typeof value === 'object' && value !== null && 'destroy' in value && 'pipe' in value;
}
