import { parseJson } from '../../util/json';
import { errorOfGarbage } from '../errors/responseErrors';
import type { ByteStream, HttpResponse } from './message';
import { JsonParser } from './jsonParser';
import { TIMEOUTS, unlessAborted } from './timeouts';

/** A response of the PBX whose body is still to be read. */
export interface OpenResponse extends HttpResponse {
	/** Ends the connection. */
	close: () => void;
}

/** Keeps an error that comes while nobody listens from ending the whole process. */
export function guard(stream: ByteStream): void {
	stream.on('error', () => undefined);
}

/** Closes an answer that nobody reads on, and its connection. */
export function discard({ body, close }: OpenResponse): void {
	close();
	// Without an error, whoever waits for its pieces in Node.js before 24 would wait for ever.
	body.destroy(new Error('aborted'));
}

/**
 * Gives the pieces of a body, or of what a stream passes on of it. Time counts only while somebody waits for the next
 * one: an error says `timeout` when none comes for `TIMEOUTS.idle`, since n8n's helper waits for ever.
 */
export async function* piecesOf<T>(
	parts: AsyncIterable<T>,
	answer: OpenResponse,
): AsyncGenerator<T> {
	const iterator = parts[Symbol.asyncIterator]();
	for (;;) {
		const next = await unlessSilent(answer, async () => await iterator.next());
		if (next.done) return;
		yield next.value;
	}
}

/** Waits for a piece of a body; ends the connection when none comes for `TIMEOUTS.idle`. */
export async function unlessSilent<T>(
	{ close }: OpenResponse,
	piece: () => Promise<T>,
): Promise<T> {
	const silence = AbortSignal.timeout(TIMEOUTS.idle);
	try {
		return await unlessAborted(silence, piece);
	} finally {
		// n8n wraps the body: its stream ends only when the connection does.
		if (silence.aborted) close();
	}
}

const MAX_WORDS = 65_536;

/**
 * Reads the JSON of a response without ever holding its whole text; an empty text for an empty response. Throws PbxError
 * where it is no JSON, and what the stream throws where it breaks off.
 */
export async function readJson(answer: OpenResponse): Promise<unknown> {
	const parser = new JsonParser();
	try {
		for await (const piece of textOf(answer)) parser.feed(piece);
		return parser.end();
	} catch (error) {
		const isGarbage = error instanceof SyntaxError;
		if (isGarbage && parser.beginning.trim() === '') return '';
		throw isGarbage ? errorOfGarbage(parser.beginning) : error;
	}
}

/** Reads the PBX's own words in an error response: JSON, or at most 64 kB of text; an empty text where it breaks off. */
export async function readErrorBody(response: OpenResponse): Promise<unknown> {
	return await readWords(response).catch(() => '');
}

/** Reads JSON, or at most 64 kB of text. Throws what the stream throws where it breaks off. */
export async function readWords(response: OpenResponse): Promise<unknown> {
	let text = '';
	for await (const piece of textOf(response)) {
		text += piece;
		if (text.length >= MAX_WORDS) break;
	}
	const json = parseJson(text);
	return json === undefined ? text.slice(0, MAX_WORDS) : json;
}

/** The text of an answer, without the mark that some servers put before it. */
async function* textOf(answer: OpenResponse): AsyncGenerator<string> {
	answer.body.setEncoding('utf8');
	let isFirst = true;
	for await (const piece of piecesOf(answer.body, answer)) {
		const text = String(piece);
		yield isFirst ? text.replace(/^\uFEFF/, '') : text;
		isFirst = false;
	}
}
