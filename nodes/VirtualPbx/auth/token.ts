import { createHash } from 'node:crypto';

import type { PbxCredential } from './credential';

const SEPARATOR = ':';

/**
 * Identifies the login data that a token belongs to, so that a token is never used after an edit of the credential.
 *
 * @returns 64 hexadecimal digits
 */
export function fingerprint(credential: PbxCredential): string {
	const { baseUrl, platform, login, password, realm } = credential;
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, platform, login, password, realm]))
		.digest('hex');
}

/** Joins a token with the fingerprint of its login data: the form that n8n stores. */
export function sealToken(token: string, credential: PbxCredential): string {
	return `${shortFingerprint(credential)}${SEPARATOR}${token}`;
}

/**
 * Takes a stored token apart.
 *
 * @returns the bare token, or undefined when there is none or when it was made with other login data
 */
export function openToken(credential: PbxCredential): string | undefined {
	const prefix = shortFingerprint(credential) + SEPARATOR;
	const { authToken } = credential;
	return authToken.startsWith(prefix) && authToken.length > prefix.length
		? authToken.slice(prefix.length)
		: undefined;
}

function shortFingerprint(credential: PbxCredential): string {
	return fingerprint(credential).slice(0, 16);
}
