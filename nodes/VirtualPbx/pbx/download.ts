import type { PbxCredential } from './credential';
import {
	basePathOf,
	mayReceiveToken,
	readCredential,
	secretsOf,
	securedAddress,
} from './credential';
import { cancelled, errorOfBody, errorOfResponse, notStored } from './errors/failures';
import { meaningOf } from './errors/meanings';
import type { ErrorDetails } from './errors/pbxError';
import { PbxError } from './errors/pbxError';
import { blankSecrets } from './redact';
import type { Connection } from './request';
import { attempt, hostOf, open, retryDelay, whyStopped } from './request';
import type { OpenResponse } from './response';
import { discard, firstBytes, inLargePieces, readErrorBody } from './response';
import type { ByteStream, CredentialData } from './types';

export interface FileRequest {
	address: string;
	/** How long to wait for a file that isn't there yet, in milliseconds; 0 doesn't wait. */
	waitMs: number;
}

/** A file whose first bytes have arrived. */
export interface OpenFile {
	/** The whole file, including the first bytes. Breaks off when the PBX goes silent. */
	readonly stream: ByteStream;
	/** Response headers, with lower-case names. */
	headers: Record<string, unknown>;
	address: string;
	/** The first bytes, which show what kind of file it is. */
	start: Uint8Array;
}

export type TakeFile<T> = (file: OpenFile) => Promise<T>;

const NOT_THERE = new Set([202, 204, 404, 410, 425]);
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;

/**
 * Streams a file (§2.4, §5.4). Sends the token only to allowed hosts, follows redirects one by one, and retries
 * faults like any read, so `take` can be called more than once, but not after it has failed itself. Throws PbxError,
 * even for a file that is cut off, partial, empty, endless, or a web page.
 */
async function fetchFile<T>(
	connection: Connection,
	{ address, waitMs }: FileRequest,
	take: TakeFile<T>,
): Promise<T> {
	const until = performance.now() + waitMs;
	let waits = 0;
	let faults = 0;
	const nextWait = () => {
		const left = until - performance.now();
		return left <= 0 ? undefined : Math.min(left, MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** waits++);
	};
	const delayAfter = (error: PbxError) =>
		error.details.isMissing ? nextWait() : retryDelay(error, 'GET', ++faults);
	const errorOf = (thrown: unknown) => errorOfFile(connection, address, thrown);
	const tryOnce = async (data: CredentialData) => {
		const response = await openAddress(connection, address, data);
		try {
			return await takeFrom(connection, response, address, take);
		} finally {
			discard(response);
		}
	};
	return await attempt(connection, { delayAfter, errorOf }, tryOnce).catch((error: PbxError) => {
		if (connection.cancel.aborted) throw cancelled();
		// It isn't about the request.
		if (error.kind === 'storage') throw error;
		const path = URL.canParse(address) ? new URL(address).pathname.slice(1) : address;
		throw error.inRequest({ method: 'GET', path: [path], headline: error.details.reason });
	});
}

async function takeFrom<T>(
	connection: Connection,
	response: OpenResponse,
	address: string,
	take: TakeFile<T>,
): Promise<T> {
	const { headers, statusCode } = response;
	const start = NOT_THERE.has(statusCode) ? undefined : await firstBytes(response);
	if (start === undefined) throw new PbxError(EMPTY);
	if (statusCode === PARTIAL && !isWhole(headers)) throw new PbxError(ONLY_PART);
	// Whatever type the host states: some call every file audio, even an error page.
	if (looksLikeText(start)) throw new PbxError(NO_RECORDING);
	let failure: unknown;
	const file = {
		get stream() {
			return inLargePieces(response, (error) => void (failure ??= error));
		},
		headers,
		address,
		start,
	};
	try {
		return await take(file);
	} catch (thrown) {
		// If the PBX's stream didn't fail, n8n's storage did.
		throw failure ?? whyStopped(connection) ?? notStored(thrown);
	}
}

/** Converts an exception into a PbxError whose message is about the recording. */
function errorOfFile(connection: Connection, address: string, thrown: unknown): PbxError {
	const error =
		thrown instanceof PbxError
			? thrown
			: (whyStopped(connection) ?? errorOfBody(thrown, hostOf(address)));
	const { kind, status = 0, details } = error;
	if (kind !== 'status') return error;
	if (NOT_THERE.has(status)) {
		const reason = "The recording isn't there";
		return new PbxError({ ...details, reason, hint: LATER, isMissing: true });
	}
	const reason = `The recording couldn't be downloaded: ${meaningOf(status).reason}`;
	return new PbxError({ ...details, reason });
}

const LATER =
	"The PBX might not have written it yet, or it was deleted. To wait for it, turn on 'Wait Until Available'.";
const EMPTY: ErrorDetails = {
	kind: 'response',
	reason: 'The recording is empty',
	hint: LATER,
	isMissing: true,
};
const ONLY_PART: ErrorDetails = {
	kind: 'network',
	reason: 'The host of the recording returned only part of it',
	hint: 'Try again. If this happens again, check the proxies and caches between n8n and the recordings.',
};
const NO_RECORDING: ErrorDetails = {
	kind: 'response',
	reason: 'The address returns a web page or a message instead of a recording',
	hint: "Check the recording's address in the call record, and whether the credential's user is allowed to access recordings.",
};

const PARTIAL = 206;

/** Returns whether a partial response has the whole file: `bytes 0-99/100`. */
function isWhole(headers: Record<string, unknown>): boolean {
	const range = String(headers['content-range'] ?? '');
	const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/i.exec(range) ?? [];
	return last !== undefined && Number(last) + 1 === Number(size);
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const FORBIDDEN = new Set([401, 403]);

const WHERE_FROM =
	'The call record must contain a web address: REC_LINK and REC_FILE together, or recording_url.';
const ALLOW_IT =
	"If this host belongs to your PBX, add it to 'Recording Hosts' in the Virtual PBX credential.";
const ASK = 'Ask your provider.';

/**
 * Opens an address, absolute or relative to the Base URL, as a stream, and follows redirects itself (§2.4, §5.4):
 * n8n's helper would pass the token along. The first address must be allowed to receive the token, and after a
 * redirect leaves those hosts, the token is never sent again. Throws PbxError.
 */
async function openAddress(
	connection: Connection,
	address: string,
	data: CredentialData,
): Promise<OpenResponse> {
	const credential = readCredential(data);
	const start = webAddress(address, `${credential.baseUrl}/`);
	if (start === undefined)
		throw notSent(`The address of the recording isn't valid: ${address}`, WHERE_FROM);
	let url = securedAddress(start, credential);
	if (!mayReceiveToken(url, credential)) throw notSent(foreign(url, credential), ALLOW_IT);

	let isTrusted = true;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const response = await get(connection, url, isTrusted ? data : undefined);
		if (response.statusCode >= 200 && response.statusCode <= 299) return response;

		if (!REDIRECTS.has(response.statusCode)) {
			if (!isTrusted) assertOpenToAll(response, url, credential);
			throw await errorOfFailure(response, data);
		}
		discard(response);
		const next = webAddress(String(response.headers.location ?? ''), url);
		if (next === undefined)
			throw notSent('The PBX redirects the download to an invalid address', ASK);
		url = securedAddress(next, credential);
		isTrusted = isTrusted && mayReceiveToken(url, credential);
	}
	throw notSent(`The PBX redirects the download more than ${MAX_REDIRECTS} times`, ASK);
}

/** Throws if a host that doesn't get the token seems to need it. */
function assertOpenToAll(response: OpenResponse, url: string, credential: PbxCredential): void {
	if (!FORBIDDEN.has(response.statusCode) || mayReceiveToken(url, credential)) return;
	discard(response);
	throw notSent(foreignRedirect(url, response.statusCode, credential), ALLOW_IT);
}

async function errorOfFailure(response: OpenResponse, data: CredentialData): Promise<PbxError> {
	const words = await readErrorBody(response);
	const body = blankSecrets(words, secretsOf(readCredential(data), words));
	discard(response);
	return errorOfResponse({ ...response, body });
}

function webAddress(address: string, base: string): string | undefined {
	if (address === '' || !URL.canParse(address, base)) return undefined;
	const url = new URL(address, base);
	return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}

function notSent(reason: string, hint: string): PbxError {
	return new PbxError({ kind: 'unsent', reason, hint });
}

function foreign(url: string, credential: PbxCredential): string {
	return `The recording is on ${new URL(url).origin}, which is ${notListed(credential)}, so nothing was sent there`;
}

function foreignRedirect(url: string, status: number, credential: PbxCredential): string {
	return `The PBX redirects the recording to ${new URL(url).origin}, which responded ${status}. That is ${notListed(credential)}, so the token wasn't sent there`;
}

function notListed(credential: PbxCredential): string {
	return `neither the host of the Base URL (${new URL(credential.baseUrl).origin}) nor one of the Recording Hosts`;
}

async function get(
	connection: Connection,
	url: string,
	data: CredentialData | undefined,
): Promise<OpenResponse> {
	// Compression would change the file's length from the one that the PBX announces.
	const headers = { 'Accept-Encoding': 'identity' };
	return await open(connection, { request: { method: 'GET', url, headers }, data });
}

/** Returns the address of a recording that a call record names by its ID; undefined if the platform has none. */
export function addressOfRecording(
	data: CredentialData,
	accountId: string | undefined,
	id: string,
): string | undefined {
	const credential = readCredential(data);
	const { path } = credential.dialect.recordingById ?? {};
	if (path === undefined) return undefined;
	// The request fills in the account of a login that is still to come.
	const account = encodeURIComponent(accountId || credential.accountId) || '{account_id}';
	const file = path.replace('{id}', encodeURIComponent(id));
	return `${credential.baseUrl}${basePathOf(credential)}/accounts/${account}/${file}`;
}

/** Streams a recording, see `fetchFile`, and says what a platform lacks that has recordings by their IDs. */
export async function fetchRecording<T>(
	connection: Connection,
	request: FileRequest,
	take: TakeFile<T>,
): Promise<T> {
	const { recordingById } = readCredential(connection.data).dialect;
	return await fetchFile(connection, request, take).catch((error: unknown) => {
		const isMissing = error instanceof PbxError && error.details.isMissing;
		if (!recordingById || !isMissing) throw error;
		const { details, status } = error;
		// An unknown ID is named in the body of the 404, an unknown endpoint has none.
		const isUnknown = status === 404 && details.says === undefined;
		if (!isUnknown && status !== undefined) throw error;
		const words = isUnknown ? recordingById.whenUnknown : recordingById.whenEmpty;
		throw new PbxError({ ...details, ...words }).inRequest({
			method: 'GET',
			path: error.request?.path ?? [],
			headline: words.reason,
		});
	});
}

/** Returns whether bytes begin a web page or JSON rather than a recording. */
function looksLikeText(bytes: Uint8Array): boolean {
	const start = new TextDecoder().decode(bytes).trimStart();
	return /^(?:<[!?a-z]|[{[]\s*["{\]}])/i.test(start);
}

/** How files of sound begin, read as Latin-1, and their types. */
const BEGINNINGS: Array<[RegExp, string]> = [
	[/^RIFF.{4}WAVE/s, 'audio/wav'],
	[/^(?:ID3|\xFF[\xE2-\xE5\xF2-\xF5\xFA-\xFD])/, 'audio/mpeg'],
	[/^OggS/, 'audio/ogg'],
	[/^fLaC/, 'audio/flac'],
	[/^.{4}ftyp/s, 'audio/mp4'],
];

/** Returns the type of sound that a file's first bytes show; undefined for anything else. */
export function soundTypeOf(start: Uint8Array): string | undefined {
	const text = Buffer.from(start).toString('latin1');
	return BEGINNINGS.find(([beginning]) => beginning.test(text))?.[1];
}
