import type { IExecuteFunctions } from 'n8n-workflow';

import { LongJson } from './longJson';
import { SILENCE } from './limits';

/** A readable stream of bytes, as n8n's request helper gives it and its binary store takes it. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Uint8Array
>;

/** Watches over the pieces of an answer; `Patience.forPieces` does. */
export interface PieceWatch {
	forPieces(stream: ByteStream, since: () => number | undefined, wholeMs?: number): () => void;
}

const MAX_WORDS = 65_536;
const PIECE = 2 ** 20;

/**
 * Waits for the first bytes of a stream and puts them back, so that whoever reads next gets them, too.
 *
 * @returns the bytes; undefined when the stream ends without any
 * @throws Error when the stream breaks off before, or none comes
 */
export async function firstChunk(
	stream: ByteStream,
	patience: PieceWatch,
): Promise<Uint8Array | undefined> {
	const began = Date.now();
	const end = patience.forPieces(stream, () => began);
	try {
		return await nextChunk(stream);
	} finally {
		end();
	}
}

async function nextChunk(stream: ByteStream): Promise<Uint8Array | undefined> {
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
 * each before it takes the next. It breaks off when the stream falls silent, however long the store takes.
 */
export function inLargePieces(stream: ByteStream, patience: PieceWatch): ByteStream {
	const pieces = stream.compose<ByteStream>((parts: AsyncIterable<Uint8Array>) =>
		gather(whileItComes(parts, stream, patience)),
	);
	guard(pieces);
	return pieces;
}

/** Gives the parts of a stream; time counts only while somebody waits for the next one. */
async function* whileItComes<T>(
	parts: AsyncIterable<T>,
	stream: ByteStream,
	patience: PieceWatch,
	wholeMs?: number,
): AsyncGenerator<T> {
	let since: number | undefined;
	const end = patience.forPieces(stream, () => since, wholeMs);
	try {
		const iterator = parts[Symbol.asyncIterator]();
		for (;;) {
			since = Date.now();
			const next = await iterator.next();
			since = undefined;
			if (next.done) return;
			yield next.value;
		}
	} finally {
		end();
	}
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

/** What ends the connection that a stream comes from. */
const connections = new WeakMap<object, () => void>();

/**
 * Ties a stream to its connection: n8n's helper may wrap it, and then closing a silent stream closes nothing.
 *
 * @param end is called when the stream is discarded, as every stream is in the end
 */
export function tie(stream: unknown, end: () => void): void {
	if (isStream(stream)) connections.set(stream, end);
	else end();
}

/** Closes a stream that nobody wants, and its connection; what goes wrong with it no longer matters. */
export function discard(stream: unknown): void {
	if (!isStream(stream)) return;
	guard(stream);
	connections.get(stream)?.();
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
 * @returns parsed JSON or text of at most 64 kB; an empty text when nothing can be read
 */
export async function readWords(stream: unknown, patience: PieceWatch): Promise<unknown> {
	if (!isStream(stream)) return stream;
	let text = '';
	try {
		stream.setEncoding('utf8');
		for await (const piece of textOf(stream, patience)) {
			text += piece;
			if (text.length >= MAX_WORDS) break;
		}
	} catch {
		return '';
	} finally {
		discard(stream);
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
export async function readJson(stream: unknown, patience: PieceWatch): Promise<JsonOutcome> {
	if (!isStream(stream)) return { body: stream };
	const json = new LongJson();
	try {
		stream.setEncoding('utf8');
		for await (const piece of textOf(stream, patience)) json.feed(piece);
		return { body: json.end() };
	} catch (error) {
		if (!(error instanceof SyntaxError)) return { error };
		const { beginning } = json;
		return beginning.trim() === '' ? { body: '' } : { beginning };
	} finally {
		discard(stream);
	}
}

/** The text of an answer, without the mark that some servers put before it. */
async function* textOf(stream: ByteStream, patience: PieceWatch): AsyncGenerator<string> {
	let isFirst = true;
	for await (const piece of whileItComes(stream, stream, patience, SILENCE.wholeMs)) {
		const text = String(piece);
		yield isFirst ? text.replace(/^\uFEFF/, '') : text;
		isFirst = false;
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
