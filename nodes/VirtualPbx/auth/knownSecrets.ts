import { asText, isObject } from '../values/json';
import type { PbxCredential } from './credential';
import { openToken } from './token';

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
