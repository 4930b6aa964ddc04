import type { ICredentialsDecrypted } from 'n8n-workflow';

import type { PbxCredential } from '../auth/credential';
import { readCredential } from '../auth/credential';
import type { Age } from '../auth/exchange';
import {
	ageOf,
	isOutdated,
	isRenewalUseless,
	knownTokens,
	newestLogin,
	noteRefused,
	noteServed,
	noteUseless,
} from '../auth/exchange';
import { knownSecrets, openToken, sealToken } from '../auth/token';
import { blankSecrets } from '../values/secrets';
import type { Failure } from './failure';
import type { Door } from './request';
import { CREDENTIAL } from './request';

/** The stored token, the newest of this process, the newest of another process, one of a new login, and one in reserve. */
const MAX_SENDS = 5;

/**
 * Sends a request with the newest token, and again with a newer one where the PBX refuses it (§5: its lifetime is not
 * shown). Each request has a copy of the credential, so it is known which token was refused. A newer token is that of
 * another request, then that of another process, which n8n has stored; only then n8n logs in, once for all.
 *
 * @param kind what stays forbidden together, such as `GET callflows`
 * @param send sends it with this credential, in which n8n leaves the token that it used
 */
export async function withToken<T extends object>(
	door: Door,
	kind: string,
	send: (credential: ICredentialsDecrypted) => Promise<T | { failure: Failure }>,
): Promise<T | { failure: Failure }> {
	const began = Date.now();
	for (let sends = 1; ; sends++) {
		const copy = withNewestToken(door);
		const result = await send(copy);
		const used = readCredential(copy.data ?? {});
		const failure = 'failure' in result ? result.failure : undefined;
		if (failure?.tokenRefused === undefined) {
			const token = openToken(used);
			if (failure === undefined && token !== undefined) noteServed(used, token);
			return result;
		}
		const refusal = {
			kind,
			isSure: failure.tokenRefused === 'surely',
			began,
			isFirst: sends === 1,
		};
		if (sends === MAX_SENDS || !(await renew(door, used, refusal))) return result;
	}
}

/** A token that was refused. */
interface TokenRefusal {
	/** What stays forbidden together. */
	kind: string;
	/** Whether the token was refused, and not the request. */
	isSure: boolean;
	/** When the request was sent first. */
	began: number;
	/** Whether this is its first refusal. */
	isFirst: boolean;
}

/** Blanks every secret of the credential in words or data of the PBX. */
export function withoutKnownSecrets<T>(door: Door, value: T): T {
	const credential = readCredential(door.credentialsDecrypted.data ?? {});
	return blankSecrets(value, knownSecrets(credential, value, knownTokens(credential)));
}

function withNewestToken({ credentialsDecrypted }: Door): ICredentialsDecrypted {
	const data = { ...credentialsDecrypted.data };
	const credential = readCredential(data);
	const stored = openToken(credential);
	if (stored === undefined || isOutdated(credential, stored)) {
		const login = newestLogin(credential);
		// Without a token n8n logs in and stores what it gets.
		data.authToken = login ? sealToken(login.token, credential) : '';
		if (login) data.accountId = login.accountId;
	}
	return { ...credentialsDecrypted, data };
}

/** @returns whether there is a newer token, or a login may bring one */
async function renew(door: Door, used: PbxCredential, refusal: TokenRefusal): Promise<boolean> {
	const token = openToken(used);
	if (token === undefined) return false;
	const age = ageOf(used, token, refusal.began);
	if (!refusal.isSure && !mayHelp(used, age, refusal)) return false;
	noteRefused(used, token);
	if (newestLogin(used) || (await readStored(door))) return true;
	return refusal.isFirst || age !== 'new';
}

/** Tells whether a new token may help a request that was refused, perhaps for another reason than its token. */
function mayHelp(used: PbxCredential, age: Age, { kind, isFirst }: TokenRefusal): boolean {
	if (isRenewalUseless(used, kind)) return false;
	if (age === 'unknown' || (age === 'new' && isFirst)) return true;
	noteUseless(used, kind);
	return false;
}

/** Takes over what n8n has stored meanwhile: another process may have logged in. */
async function readStored(door: Door): Promise<boolean> {
	try {
		const data = await door.context.getCredentials(CREDENTIAL);
		const credential = readCredential(data);
		const token = openToken(credential);
		if (token === undefined || isOutdated(credential, token)) return false;
		door.credentialsDecrypted = { ...door.credentialsDecrypted, data };
		return true;
	} catch {
		return false;
	}
}
