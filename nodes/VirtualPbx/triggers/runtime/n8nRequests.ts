import type { IHttpRequestHelper } from 'n8n-workflow';

import { isObject } from '../../util/json';

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
