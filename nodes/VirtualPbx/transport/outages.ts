import type { Failure } from './failure';

/** How long what was found out about a PBX holds. */
const FRESH_MS = 60_000;
const MAX_PBXS = 1000;

/** By login data: since when a PBX did not answer, and how. */
const outages = new Map<string, { at: number; failure: Failure }>();

/**
 * Notes how a request went, for those who would otherwise wait for the same dead PBX one after another.
 *
 * @param key the fingerprint of the login data
 * @param failure undefined when the PBX answered, which ends its outage
 */
export function noteReach(key: string, failure: Failure | undefined, now = Date.now()): void {
	if (!failure || !isOutage(failure)) {
		outages.delete(key);
		return;
	}
	if (!outages.has(key) && outages.size >= MAX_PBXS) outages.clear();
	outages.set(key, { at: now, failure });
}

/** No answer, or none of a PBX that works; an answer in good time that says no costs the others none. */
function isOutage({ kind, status = 0, mayPass }: Failure): boolean {
	return kind === 'network' || mayPass === true || status === 429 || status >= 500;
}

/** The failure of a PBX that did not answer within the last minute. */
export function knownOutage(key: string, now = Date.now()): Failure | undefined {
	const outage = outages.get(key);
	return outage && now - outage.at < FRESH_MS ? outage.failure : undefined;
}

/** Forgets all outages. For tests, whose PBXs come and go. */
export function forgetOutages(): void {
	outages.clear();
}
