import { parseJson } from '../../util/json';
import { errorOfGarbage } from '../errors/failures';
import { JsonParser } from './jsonParser';
import type { ByteStream, HttpResponse } from './message';
import { TIMEOUTS, unlessAborted } from './timeouts';

/** A PBX response whose body hasn't been read yet. */
export interface OpenResponse extends HttpResponse {
	close: () => void;
}

/** Handles errors of a stream without a reader, which would otherwise crash the process. */
export function guard(stream: ByteStream): void {
	stream.on('error', () => undefined);
}

/** Closes a response that won't be read further, and its connection. */
export function discard({ body, close }: OpenResponse): void {
	close();
	// Before Node.js 24, a reader would wait forever if the stream ended without an error.
	body.destroy(new Error('aborted'));
}

/**
 * Yields the pieces of a body, or of a stream that transforms it. The timer runs only while a reader waits for the
 * next piece: after `TIMEOUTS.idle` without one, throws an error that says `timeout`. n8n's helper would wait
 * forever.
 */
async function* piecesOf<T>(parts: AsyncIterable<T>, response: OpenResponse): AsyncGenerator<T> {
	const iterator = parts[Symbol.asyncIterator]();
	for (;;) {
		const next = await unlessSilent(response, async () => await iterator.next());
		if (next.done) return;
		yield next.value;
	}
}

/** Waits for a piece of a body; closes the connection after `TIMEOUTS.idle` without one. */
async function unlessSilent<T>({ close }: OpenResponse, piece: () => Promise<T>): Promise<T> {
	const silence = AbortSignal.timeout(TIMEOUTS.idle);
	try {
		return await unlessAborted(silence, piece);
	} finally {
		// n8n wraps the body: its stream ends only when the connection does.
		if (silence.aborted) close();
	}
}

const MAX_TEXT = 65_536;

/**
 * Parses a response's JSON without ever holding its whole text; an empty text for an empty response. Throws PbxError
 * if it's not JSON, and the stream's error if it breaks off.
 */
export async function readJson(response: OpenResponse): Promise<unknown> {
	const parser = new JsonParser();
	try {
		for await (const piece of textOf(response)) parser.feed(piece);
		return parser.end();
	} catch (error) {
		const isGarbage = error instanceof SyntaxError;
		if (isGarbage && parser.beginning.trim() === '') return '';
		throw isGarbage ? errorOfGarbage(parser.beginning) : error;
	}
}

/** Reads the PBX's own words in an error response: JSON, or at most 64 kB of text; an empty text if it breaks off. */
export async function readErrorBody(response: OpenResponse): Promise<unknown> {
	return await readWords(response).catch(() => '');
}

/** Reads JSON, or at most 64 kB of text. Throws the stream's error if it breaks off. */
export async function readWords(response: OpenResponse): Promise<unknown> {
	let text = '';
	for await (const piece of textOf(response)) {
		text += piece;
		if (text.length >= MAX_TEXT) break;
	}
	const json = parseJson(text);
	return json === undefined ? text.slice(0, MAX_TEXT) : json;
}

/** Yields a response's text, without the byte order mark that some servers put before it. */
async function* textOf(response: OpenResponse): AsyncGenerator<string> {
	response.body.setEncoding('utf8');
	let isFirst = true;
	for await (const piece of piecesOf(response.body, response)) {
		const text = String(piece);
		yield isFirst ? text.replace(/^\uFEFF/, '') : text;
		isFirst = false;
	}
}

const PIECE = 2 ** 20;
/** Enough to recognize any kind of file. */
const START = 64;

/**
 * Waits for the first 64 bytes of a body, or for all of a shorter one, and puts them back; undefined if it ends without
 * any. Throws if it breaks off.
 */
export async function firstBytes(response: OpenResponse): Promise<Uint8Array | undefined> {
	const { body } = response;
	const bytesOf = async () =>
		await new Promise<Uint8Array | undefined>((resolve, reject) => {
			const look = () => {
				const bytes = body.read(START) as Uint8Array | null;
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
	return await unlessSilent(response, bytesOf);
}

/**
 * Collects a stream into 1 MiB pieces and reads ahead: n8n's file storage writes one piece at a time, waiting for
 * each. Breaks off when the PBX goes silent, but not when the storage is slow.
 */
export function inLargePieces(response: OpenResponse): ByteStream {
	const pieces = response.body.compose((parts) => gather(piecesOf(parts, response))) as ByteStream;
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
