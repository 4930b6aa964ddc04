import { createHash } from 'node:crypto';

import { asText, isObject } from '../values/json';
import type { PbxCredential } from './credential';

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
	return `${sealOf(credential)}${token}`;
}

/**
 * Takes a stored token apart.
 *
 * @returns the bare token, or undefined when there is none or when it was made with other login data
 */
export function openToken(credential: PbxCredential): string | undefined {
	const seal = sealOf(credential);
	const { authToken } = credential;
	return authToken.startsWith(seal) ? authToken.slice(seal.length) || undefined : undefined;
}

function sealOf(credential: PbxCredential): string {
	return `${fingerprint(credential).slice(0, 16)}:`;
}

/**
 * Lists the secrets that the PBX's words may repeat: the password, the token, and those in its own answer (§2.1).
 *
 * @param body the answer that holds the words
 */
export function secretsOf(credential: PbxCredential, body: unknown): string[] {
	const places = isObject(body) ? [body, body.data].filter(isObject) : [];
	const told = places.flatMap(({ auth_token, AUTH_TOKEN }) => [auth_token, AUTH_TOKEN].map(asText));
	return [credential.password, openToken(credential), ...told].filter(
		(secret): secret is string => secret !== undefined && secret !== '',
	);
}
