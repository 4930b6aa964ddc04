import { asText, isObject, parseJson } from '../util/json';
import { unlessAborted } from '../util/limits';
import { messageIn, responseDetails } from './errors/failures';
import { CHECK_ADDRESS } from './errors/meanings';
import { PbxError, RUN_AGAIN } from './errors/pbxError';
import type { ByteStream, HttpResponse, ReadResponse } from './types';

/** How long to wait for the PBX, in milliseconds, unless a deadline comes first. Only tests change it. */
export const TIMEOUTS = {
	/** For a login, including its whole response. */
	login: 30_000,
	/** Until a response begins. */
	response: 60_000,
	/** Between two pieces of a response. */
	idle: 60_000,
	/** For all of a response, and for all of a recording, in both cases while n8n waits for the PBX. */
	body: 10 * 60_000,
	recording: 60 * 60_000,
	/** After a write, so that others who read the callflow earlier have finished writing. */
	settling: 300,
};

const MIB = 2 ** 20;

/** How much to take from the PBX: more than any real one sends, less than what ends n8n. Only tests change it. */
export const LIMITS = {
	/** Bytes of a response, and of all pages of a list. 100,000 call records have some 150 MiB. */
	listBytes: 256 * MIB,
	listRows: 250_000,
	/** Bytes of a recording: eighteen hours of uncompressed sound. */
	recordingBytes: 1024 * MIB,
	/** Bytes of an error response or of a login's. */
	wordsBytes: 65_536,
};

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

/** How much of a body to read: bytes, and milliseconds of waiting for the PBX. */
interface Bounds {
	bytes: number;
	ms: number;
	error: (passed: 'bytes' | 'ms') => Error;
}

/**
 * Yields the pieces of a body. n8n's helper would wait and collect forever: this throws PbxError for a body beyond the
 * bounds, and an error that says `timeout` after `TIMEOUTS.idle` without a piece. Only waiting for the PBX counts, not
 * the reader's own time.
 */
async function* piecesOf(
	parts: AsyncIterable<Uint8Array>,
	{ bytes, ms, error }: Bounds,
): AsyncGenerator<Uint8Array> {
	const iterator = parts[Symbol.asyncIterator]();
	let size = 0;
	let waited = 0;
	for (;;) {
		const since = performance.now();
		const next = await unlessSilent(async () => await iterator.next());
		if (next.done) return;
		waited += performance.now() - since;
		size += next.value.length;
		if (size > bytes) throw error('bytes');
		if (waited > ms) throw error('ms');
		yield next.value;
	}
}

/** Waits for a piece of a body, for `TIMEOUTS.idle` at most. */
async function unlessSilent<T>(piece: () => Promise<T>): Promise<T> {
	return await unlessAborted(AbortSignal.timeout(TIMEOUTS.idle), piece);
}

const bytesIn = ({ body }: OpenResponse) => body as unknown as AsyncIterable<Uint8Array>;

/** Without the byte order mark that some servers put before it. */
const textOf = (pieces: readonly Uint8Array[]) => new TextDecoder().decode(Buffer.concat(pieces));

/**
 * Reads and parses a response's JSON, and takes its size off the budget; an empty text for an empty response. Throws
 * PbxError if it's not JSON or too large, and the stream's error if it breaks off.
 */
export async function readJson(
	response: OpenResponse,
	budget = { bytes: LIMITS.listBytes },
): Promise<unknown> {
	const pieces: Uint8Array[] = [];
	const { listBytes } = LIMITS;
	const what = budget.bytes < listBytes ? 'list' : 'response';
	const bounds: Bounds = {
		bytes: budget.bytes,
		ms: TIMEOUTS.body,
		error: (passed) =>
			endless(what, passed === 'ms' ? { ms: TIMEOUTS.body } : { bytes: listBytes }),
	};
	for await (const piece of piecesOf(bytesIn(response), bounds)) pieces.push(piece);
	budget.bytes -= pieces.reduce((sum, { length }) => sum + length, 0);
	const text = textOf(pieces);
	if (text.trim() === '') return '';
	const json = parseJson(text);
	if (json === undefined) throw /^\s*[{[]/.test(text) ? cutOff() : notJson();
	return json;
}

/** Reads the PBX's own words in an error response; an empty text if it breaks off. */
export async function readErrorBody(response: OpenResponse): Promise<unknown> {
	return await readWords(response).catch(() => '');
}

/**
 * Reads JSON, or the beginning of a text: at most 64 kB, and as long as a login can take. Throws the stream's error if
 * it breaks off.
 */
export async function readWords(response: OpenResponse): Promise<unknown> {
	const pieces: Uint8Array[] = [];
	const bounds = { bytes: Infinity, ms: TIMEOUTS.login, error: () => new Error('timeout') };
	let size = 0;
	for await (const piece of piecesOf(bytesIn(response), bounds)) {
		pieces.push(piece);
		size += piece.length;
		if (size >= LIMITS.wordsBytes) break;
	}
	const text = textOf(pieces);
	return parseJson(text) ?? text.slice(0, LIMITS.wordsBytes);
}

/** Returns the payload of an envelope (§2.1). A response without one is its own payload. */
export function unwrap(body: unknown): unknown {
	return isObject(body) && 'data' in body ? body.data : body;
}

/**
 * Finds the list in a response: an array, bare or in the envelope (§2.1); undefined if there is none, not even an
 * empty one.
 */
export function listIn(body: unknown): unknown[] | undefined {
	const payload = unwrap(body);
	return Array.isArray(payload) ? payload : undefined;
}

/**
 * Returns the error in a response with a success status: its `status` says otherwise (§2.1; in a list, anything but
 * success), it has nothing but an `error_message` (§5.2), or a list is missing. Undefined if all is well.
 */
export function errorOfContent(response: ReadResponse, isList = false): PbxError | undefined {
	const { body, statusCode } = response;
	const status = (isObject(body) && asText(body.status)) || 'success';
	const isError = isList
		? !/^(?:success|ok|2\d\d$)/i.test(status)
		: /^(?:error|fail)/i.test(status);
	if (isError || isOnlyError(body)) {
		return new PbxError(responseDetails(response, messageIn(body) ?? `status "${status}"`));
	}
	if (!isList || listIn(body)) return undefined;
	return new PbxError({
		kind: 'response',
		status: statusCode,
		reason: "The PBX's response has no list",
		says: messageIn(body),
		hint: RUN_AGAIN,
	});
}

function isOnlyError(body: unknown): boolean {
	if (!isObject(body) || 'data' in body) return false;
	return asText(body.error_message) !== undefined && asText(body.error_code) !== '0';
}

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
	return await unlessSilent(bytesOf);
}

/**
 * Collects a recording into 1 MiB pieces and reads ahead: n8n's file storage writes one piece at a time, waiting for
 * each. Breaks off when the PBX goes silent or sends without an end, but not when the storage is slow.
 *
 * @param onFailure called if the PBX's stream fails before the reader does
 */
export function inLargePieces(
	{ body }: OpenResponse,
	onFailure: (error: unknown) => void = () => undefined,
): ByteStream {
	const { recordingBytes } = LIMITS;
	const ms = TIMEOUTS.recording;
	const bounds: Bounds = {
		bytes: recordingBytes,
		ms,
		error: (passed) => endless('recording', passed === 'ms' ? { ms } : { bytes: recordingBytes }),
	};
	const failed = (error: unknown) => {
		if (!pieces.destroyed) onFailure(error);
		return error;
	};
	body.once('error', failed);
	async function* gather(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		let gathered: Uint8Array[] = [];
		let size = 0;
		try {
			for await (const part of piecesOf(parts, bounds)) {
				gathered.push(part);
				size += part.length;
				if (size < MIB) continue;
				yield Buffer.concat(gathered, size);
				gathered = [];
				size = 0;
			}
		} catch (error) {
			throw failed(error);
		}
		if (size > 0) yield Buffer.concat(gathered, size);
	}
	const pieces = body.compose(gather) as ByteStream & { destroyed: boolean };
	guard(pieces);
	return pieces;
}

function cutOff(): PbxError {
	const reason = "The PBX's response was cut off";
	return new PbxError({ kind: 'network', reason, hint: RUN_AGAIN });
}

function notJson(): PbxError {
	return new PbxError({
		kind: 'response',
		reason: "The response isn't from a PBX API (expected JSON)",
		hint: `A web page or proxy might have responded. ${CHECK_ADDRESS}`,
	});
}

const ASK_WHY = 'ask your provider why the PBX sends so much.';

/** Returns the error for a response, list, or recording beyond its limit: bytes, rows, or milliseconds. */
export function endless(
	what: 'response' | 'list' | 'recording',
	limit: { bytes?: number; rows?: number; ms?: number },
): PbxError {
	const { bytes, rows, ms = 0 } = limit;
	const passed =
		(bytes !== undefined && `is larger than ${Math.floor(bytes / MIB)} MiB`) ||
		(rows !== undefined && `has more than ${rows.toLocaleString('en-US')} entries`) ||
		`didn't end within ${Math.ceil(ms / 60_000)} minutes`;
	const hint =
		what === 'recording'
			? "Check the recording's address. If the recording really is that long, download it without n8n, or ask your provider for a shorter one."
			: `Request less at once: a shorter time range, or a lower 'Limit' instead of 'Return All'. If that doesn't help, ${ASK_WHY}`;
	return new PbxError({ kind: 'endless', reason: `The PBX's ${what} ${passed}`, hint });
}
