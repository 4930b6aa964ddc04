import { createHash } from 'node:crypto';

import { asText, isObject } from '../values/json';
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

/**
 * Lists the secrets that words of the PBX may repeat: the password, the tokens, and those in its own answer (§2.1).
 *
 * @param body the answer that holds the words
 * @param tokens further tokens of the login data
 */
export function knownSecrets(
	credential: PbxCredential,
	body?: unknown,
	tokens: readonly string[] = [],
): string[] {
	const places = isObject(body) ? [body, body.data].filter(isObject) : [];
	const told = places.flatMap(({ auth_token, AUTH_TOKEN }) => [auth_token, AUTH_TOKEN].map(asText));
	return [credential.password, openToken(credential), ...tokens, ...told].filter(
		(secret): secret is string => secret !== undefined && secret !== '',
	);
}
