import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { errorOf, headlineOf } from './errors';
import type { Answer, Failure } from './failure';
import { failureOfError } from './failure';
import { followHops } from './hops';
import { ATTEMPTS, timeLeft } from './limits';
import { Patience } from './patience';
import type { Door, Opened } from './request';
import { pause, retryDelay } from './retry';
import type { ByteStream } from './stream';
import { discard, firstChunk, guard, inLargePieces, looksLikeText } from './stream';
import { withToken } from './tokens';

/** A file to download. */
export interface FileRequest {
	/** Where it may be, in this order; the next one is tried when one is not there. */
	addresses: readonly string[];
	/** How long to wait for a file that is not there yet, in milliseconds; 0 does not wait. */
	waitMs: number;
	/** Does not repeat a download that failed. */
	isOnce?: boolean;
	itemIndex?: number | undefined;
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

/** Uses the open file, and tells how many bytes it took where it took all of them. */
export type TakeFile<T> = (file: OpenFile) => Promise<{ value: T; bytes?: number | undefined }>;

/** What a download gave. `missing`: there is no such file (yet), while the PBX itself answers. */
export type FileOutcome<T> =
	| { ok: true; value: T }
	| { ok: false; missing: boolean; failure: Failure; error: NodeApiError | NodeOperationError };

type Attempt<T> = { ok: true; value: T } | { ok: false; missing: boolean; failure: Failure };

const RECORDING = { method: 'DOWNLOAD', path: ['recording'] };
const NOT_THERE = new Set([202, 204, 404, 410, 425]);
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Downloads a file as a stream (§2.4, §5.4). The token goes only to allowed hosts, redirects are followed hop by hop,
 * faults are retried like those of any read, and a file that is cut off, empty, or a web page is a failure.
 *
 * @param take gets the open stream; it is called again when the download broke off half-way
 */
export async function fetchFile<T>(
	door: Door,
	request: FileRequest,
	take: TakeFile<T>,
): Promise<FileOutcome<T>> {
	const deadline = Date.now() + request.waitMs;
	let faults = request.isOnce ? ATTEMPTS : 0;
	let waits = 0;
	let patience = patienceFor(door, request);
	for (;;) {
		const attempt = await tryAddresses(door, request.addresses, { patience, take });
		if (attempt.ok) return attempt;

		const { missing, failure } = attempt;
		if (missing) patience = patienceFor(door, request);
		const delay = missing ? nextWait(waits++, deadline) : retryDelay(failure, 'GET', ++faults);
		const isOver = delay === undefined || delay >= timeLeft(door.budget) || patience.isOver;
		if (isOver || door.signal?.aborted) {
			return { ok: false, missing, failure, error: notFetched(door, request, failure) };
		}
		await pause(delay, door.signal);
	}
}

function patienceFor(door: Door, { addresses }: FileRequest): Patience {
	return new Patience(hostOf(addresses[0] ?? ''), door.budget);
}

function nextWait(waits: number, deadline: number): number | undefined {
	const left = deadline - Date.now();
	return left <= 0 ? undefined : Math.min(left, LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
}

function notFetched(door: Door, request: FileRequest, failure: Failure) {
	const shown: Failure = door.signal?.aborted
		? { kind: 'cancelled', words: 'The execution was canceled', hint: '' }
		: failure;
	const address = request.addresses[0] ?? '';
	const path = URL.canParse(address) ? new URL(address).pathname.slice(1) : address;
	const line = { method: 'GET', path: [path], headline: shown.words };
	return errorOf(door.node, shown, line, request.itemIndex);
}

/** What to do with an address. */
interface Way<T> {
	patience: Patience;
	take: TakeFile<T>;
}

async function tryAddresses<T>(
	door: Door,
	addresses: readonly string[],
	way: Way<T>,
): Promise<Attempt<T>> {
	let first: Attempt<T> | undefined;
	for (const address of addresses) {
		const attempt = await tryAddress(door, address, way);
		if (attempt.ok) return attempt;
		first ??= attempt;
		if (!attempt.missing) break;
	}
	return first ?? { ok: false, missing: false, failure: NO_ADDRESS };
}

async function tryAddress<T>(
	door: Door,
	address: string,
	{ patience, take }: Way<T>,
): Promise<Attempt<T>> {
	const opened = await openFile(door, address, patience);
	if ('failure' in opened) return failed(opened.failure);
	const { answer } = opened;
	const stream = answer.body as ByteStream;
	guard(stream);
	if (NOT_THERE.has(answer.statusCode)) {
		discard(stream);
		return { ok: false, missing: true, failure: EMPTY };
	}
	try {
		const start = await firstChunk(stream, patience);
		if (start === undefined) return { ok: false, missing: true, failure: EMPTY };
		if (!isSound(answer) && looksLikeText(start)) return failed(NO_RECORDING);
		const { value, bytes } = await take({
			get stream() {
				return inLargePieces(stream, patience);
			},
			headers: answer.headers,
			address,
		});
		return isCutOff(answer, bytes) ? failed(CUT_OFF) : { ok: true, value };
	} catch (error) {
		return failed(patience.verdict ?? failureOfError(error, hostOf(address)));
	} finally {
		discard(stream);
	}
}

async function openFile(door: Door, address: string, patience: Patience): Promise<Opened> {
	try {
		return await withToken(
			door,
			'GET recording',
			async (credential) => await followHops(door, { address, patience, credential }),
		);
	} catch (error) {
		return { failure: failureOfError(error, hostOf(address)) };
	}
}

function failed(failure: Failure): { ok: false; missing: boolean; failure: Failure } {
	const { kind, status = 0, hint } = failure;
	const missing = kind === 'status' && NOT_THERE.has(status);
	if (kind !== 'status' || (status >= 300 && status < 400)) {
		return { ok: false, missing, failure };
	}
	const words = missing ? 'The recording is not there' : headlineOf(failure, RECORDING);
	return {
		ok: false,
		missing,
		failure: { ...failure, words, hint: missing ? LATER : hint },
	};
}

function isSound({ headers }: Answer): boolean {
	return /^(?:audio|video)\//i.test(String(headers['content-type'] ?? ''));
}

/** Only what comes as it was sent can be compared: n8n unpacks a packed file, but keeps the packed length. */
function isCutOff({ headers, body }: Answer, bytes: number | undefined): boolean {
	const isAsSent = typeof body === 'object' && body !== null && 'rawHeaders' in body;
	const length = Number(headers['content-length'] ?? NaN);
	return isAsSent && bytes !== undefined && Number.isInteger(length) && bytes !== length;
}

function hostOf(address: string): string {
	return URL.canParse(address) ? new URL(address).host : 'the PBX';
}

const LATER =
	'It may not be written yet, or it may be deleted. To wait for it, turn on Wait Until Available.';
const NO_ADDRESS: Failure = {
	kind: 'refused',
	words: 'There is no address to download from',
	hint: '',
};
const EMPTY: Failure = { kind: 'answer', words: 'The recording is empty', hint: LATER };
const CUT_OFF: Failure = {
	kind: 'network',
	words: 'The recording is incomplete: fewer bytes arrived than the PBX announced',
	hint: 'Run again. If this happens again, check the proxies between n8n and the PBX.',
};
const NO_RECORDING: Failure = {
	kind: 'answer',
	words: 'The address returns a web page or a message instead of a recording',
	hint: 'Check REC_LINK and REC_FILE of the call record, and whether the user of the credential may listen to recordings.',
};
