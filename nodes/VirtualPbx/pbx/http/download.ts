import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { percentDecoded } from '../../util/json';
import { meaningOf } from '../errors/meanings';
import type { ErrorDetails } from '../errors/pbxError';
import { PbxError } from '../errors/pbxError';
import { cancelled, errorOfBody } from '../errors/thrownErrors';
import { discard, guard, piecesOf, unlessSilent } from './body';
import type { ByteStream, OpenAnswer } from './body';
import { openAddress } from './redirects';
import type { Client } from './request';
import { hostOf, signalOf, whyStopped, withToken } from './request';
import { retryDelay } from './retry';
import { pause } from './timeouts';

/** A file to download. */
export interface FileRequest {
	address: string;
	/** How long to wait for a file that is not there yet, in milliseconds; 0 does not wait. */
	waitMs: number;
}

/** A file of which the first bytes have come. */
export interface OpenFile {
	/** Whole: the first bytes are still in it. It breaks off when the PBX falls silent. */
	readonly stream: ByteStream;
	/** Of the answer, with lower-case names. */
	headers: Record<string, unknown>;
	/** Where it was asked for. */
	address: string;
}

/** Uses the open file. */
export type TakeFile<T> = (file: OpenFile) => Promise<T>;

const NOT_THERE = new Set([202, 204, 404, 410, 425]);
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Downloads a file as a stream (§2.4, §5.4). The token goes only to allowed hosts, redirects are followed one by one,
 * faults are retried like those of any read, and `take` may be called again. Throws PbxError, also for a file that is cut
 * off, empty, or a web page.
 */
export async function fetchFile<T>(
	client: Client,
	request: FileRequest,
	take: TakeFile<T>,
): Promise<T> {
	const until = Date.now() + request.waitMs;
	let faults = 0;
	let waits = 0;
	for (;;) {
		try {
			return await tryAddress(client, request.address, take);
		} catch (thrown) {
			const error = errorOfFile(client, request, thrown);
			const { isMissing } = error.details;
			const delay = isMissing ? nextWait(waits++, until) : retryDelay(error, 'GET', ++faults);
			if (delay !== undefined) await pause(delay, signalOf(client));
			if (delay === undefined || whyStopped(client)) throw notFetched(client, request, error);
		}
	}
}

function nextWait(waits: number, until: number): number | undefined {
	const left = until - Date.now();
	return left <= 0 ? undefined : Math.min(left, LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
}

function notFetched(client: Client, { address }: FileRequest, error: PbxError): PbxError {
	if (client.cancel.aborted) return cancelled();
	const path = URL.canParse(address) ? new URL(address).pathname.slice(1) : address;
	return error.inRequest({ method: 'GET', path: [path], headline: error.details.reason });
}

async function tryAddress<T>(client: Client, address: string, take: TakeFile<T>): Promise<T> {
	const open = async (data: Client['data']) => await openAddress(client, address, data);
	const answer = await withToken(client, `read files of ${hostOf(address)}`, open);
	try {
		return await takeFrom(answer, address, take);
	} finally {
		discard(answer);
	}
}

async function takeFrom<T>(answer: OpenAnswer, address: string, take: TakeFile<T>): Promise<T> {
	const { headers, statusCode } = answer;
	const start = NOT_THERE.has(statusCode) ? undefined : await firstChunk(answer);
	if (start === undefined) throw new PbxError(EMPTY);
	const isSound = /^(?:audio|video)\//i.test(String(headers['content-type'] ?? ''));
	if (!isSound && looksLikeText(start)) throw new PbxError(NO_RECORDING);
	const file = {
		get stream() {
			return inLargePieces(answer);
		},
		headers,
		address,
	};
	return await take(file);
}

/** An error of the PBX gets a message about the recording. */
function errorOfFile(client: Client, { address }: FileRequest, thrown: unknown): PbxError {
	const error =
		thrown instanceof PbxError
			? thrown
			: (whyStopped(client) ?? errorOfBody(thrown, hostOf(address)));
	const { kind, status = 0, details } = error;
	if (kind !== 'status') return error;
	if (NOT_THERE.has(status)) {
		const reason = 'The recording is not there';
		return new PbxError({ ...details, reason, hint: LATER, isMissing: true });
	}
	const reason = `The recording could not be downloaded: ${meaningOf(status).reason}`;
	return new PbxError({ ...details, reason });
}

const LATER =
	'It may not be written yet, or it may be deleted. To wait for it, turn on Wait Until Available.';
const EMPTY: ErrorDetails = {
	kind: 'answer',
	reason: 'The recording is empty',
	hint: LATER,
	isMissing: true,
};
const NO_RECORDING: ErrorDetails = {
	kind: 'answer',
	reason: 'The address returns a web page or a message instead of a recording',
	hint: 'Check REC_LINK and REC_FILE of the call record, and whether the user of the credential may listen to recordings.',
};

/** Stores a downloaded file in n8n's binary store as it streams in, with its name and type; `file` is REC_FILE, or empty. */
export function storeFile(
	context: IExecuteFunctions | IPollFunctions,
	file: string,
): TakeFile<IBinaryData> {
	return async ({ stream, headers, address }) => {
		const { fileName, mimeType } = labelFile(headers, file, address);
		return await context.helpers.prepareBinaryData(stream, fileName, mimeType);
	};
}

/** Names a downloaded recording by REC_FILE, else by its address; its type is left to n8n where the PBX states none of sound. */
export function labelFile(
	headers: Record<string, unknown>,
	file: string,
	address: string,
): { fileName: string; mimeType: string | undefined } {
	const contentType = String(headers['content-type'] ?? '').toLowerCase();
	const [mimeType] = /^(?:audio|video)\/[\w.-]+/.exec(contentType) ?? [];
	return { fileName: lastSegment(file) || nameIn(address) || 'recording', mimeType };
}

/** The file name in an address. */
function nameIn(address: string): string {
	const { pathname } = URL.canParse(address) ? new URL(address) : { pathname: address };
	return lastSegment(percentDecoded(pathname));
}

function lastSegment(path: string): string {
	const end = path.split(/[/\\]/).pop() ?? '';
	return end.replace(/\p{Cc}/gu, '').trim();
}

const PIECE = 2 ** 20;

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
