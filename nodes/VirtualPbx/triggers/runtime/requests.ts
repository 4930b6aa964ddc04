import type { IHttpRequestHelper, IWebhookFunctions } from 'n8n-workflow';

import type { Body } from '../../pbx/events/delivery';
import { isObject } from '../../util/json';

/** An event has about 4 kB, a routing request about 20 parameters. */
const MAX_BYTES = 1_048_576;

export interface UnreadBody {
	status: number;
	fault: string;
}

/** Reads a request's body, or says why not. Reads nothing that is too large. */
export async function receiveBody(context: IWebhookFunctions): Promise<Body | UnreadBody> {
	const request = context.getRequestObject();
	const { 'content-type': type = '', 'content-length': length = 0 } = request.headers;
	// n8n parses these without keeping their text, or doesn't read them. No PBX sends them.
	if (/^\s*multipart\//i.test(type))
		return { status: 415, fault: "The body is multipart, which PBXs don't send" };
	if (Number(length) > MAX_BYTES) return TOO_LARGE;
	try {
		const isUnread = request.body === undefined && request.method === 'POST';
		if (isUnread) await request.readRawBody?.();
		return readParsed(type, request);
	} catch {
		return { status: 400, fault: "The body can't be read" };
	}
}

function readParsed(
	type: string,
	{ rawBody: raw, body: parsed }: { rawBody?: Buffer; body?: unknown },
): Body | UnreadBody {
	const bytes = raw?.length ?? JSON.stringify(parsed ?? '').length;
	if (bytes > MAX_BYTES) return TOO_LARGE;
	const text = raw?.toString('utf8').replace(/^\ufeff/, '') ?? '';
	return { parsed, text, isJson: raw === undefined || /^\s*application\/json\b/i.test(type) };
}

const TOO_LARGE: UnreadBody = { status: 413, fault: 'The body is larger than 1 MiB' };

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** Sends a request for sample events to n8n itself, at the address where it listens for a test event. */
export async function sendSample(
	httpRequest: HttpRequest,
	url: string,
	body: object,
): Promise<void> {
	await httpRequest({ method: 'POST', url, body, json: true, timeout: 10_000 });
}

/** Sent to a trigger's own address. Neither starts the workflow nor counts as a delivery. */
const PROBE = { n8n_virtual_pbx: 'probe' };

/** Returns whether the body of a request is a probe of `isListenedTo`. */
export function isProbe(body: unknown): boolean {
	return isObject(body) && body.n8n_virtual_pbx === PROBE.n8n_virtual_pbx;
}

/** The status codes of our triggers for rejected requests. */
const OURS: readonly number[] = [400, 401, 413, 422];

/**
 * Returns whether a trigger of this package listens at an address: true if it rejects a probe, false for 404 or
 * 2xx, which n8n's editor sends instead. Undefined if n8n can't reach the address, or something in front responds.
 */
export async function isListenedTo(
	{ helpers }: { helpers: { httpRequest: HttpRequest } },
	url: string,
): Promise<boolean | undefined> {
	try {
		const { statusCode } = (await helpers.httpRequest({
			method: 'POST',
			url,
			body: PROBE,
			json: true,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			timeout: 5_000,
		})) as { statusCode: number };
		if (OURS.includes(statusCode)) return true;
		return statusCode === 404 || (statusCode >= 200 && statusCode < 300) ? false : undefined;
	} catch {
		return undefined;
	}
}
