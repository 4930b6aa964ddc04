import { createHash } from 'node:crypto';

import { asText, isObject, isOn } from '../../util/json';
import { COUNTRY_HINT, readCountry } from '../../util/phone/country';
import { AuthError } from '../errors/pbxError';

/** The fields of a credential as the program keeps them. */
export type CredentialData = Record<string, unknown>;

/** Who logs in (§5). */
export interface LoginInput {
	login: string;
	password: string;
	realm: string;
}

/** What a saved `virtualPbxApi` credential holds, cleaned up for use. */
export interface PbxCredential extends LoginInput {
	/** Origin and optional path of the PBX, without a trailing slash and without `/v1`. */
	baseUrl: string;
	/** The path segment after `/v1/` (§ preamble: `pbx` stands for the platform's own name). */
	platform: string;
	/** Other hosts that may receive the token, as the user wrote them. */
	recordingHosts: string[];
	ignoreSslIssues: boolean;
	/** The ISO code of the country in whose form numbers come; undefined to keep them as they are. */
	country: string | undefined;
	/** The token with the fingerprint of the login data that made it, or an empty string. */
	authToken: string;
	accountId: string;
}

/** Reads who logs in, without a look at the other fields. Throws AuthError that names the field that is empty. */
export function readLogin(data: CredentialData): LoginInput {
	const login = required(data, 'login', 'Login');
	required(data, 'password', 'Password');
	return { login, password: String(data.password), realm: required(data, 'realm', 'Realm') };
}

function required(data: CredentialData, name: string, label: string): string {
	const text = textIn(data, name);
	if (text !== '') return text;
	throw new AuthError(`${label} is empty in the Virtual PBX credential. Fill it in.`);
}

function textIn(data: CredentialData, field: string): string {
	return String(data[field] ?? '').trim();
}

/**
 * Reads the decrypted fields of a credential, checked before anything is sent; the Base URL loses trailing slashes and a
 * pasted `/v1` or `/v1/<platform>`. Throws AuthError that names the empty or malformed field.
 */
export function readCredential(data: CredentialData): PbxCredential {
	const text = (name: string) => textIn(data, name);
	const address = required(data, 'baseUrl', 'Base URL');
	const login = readLogin(data);
	const country = countryOf(data);
	if (country === undefined && text('country') !== '')
		throw new AuthError(
			`Country "${text('country')}" is not known in the Virtual PBX credential. ${COUNTRY_HINT}`,
		);

	const platform = platformOf(data);
	return {
		baseUrl: cleanBaseUrl(address, platform),
		platform,
		...login,
		recordingHosts: text('recordingHosts')
			.split(/[\s,;]+/)
			.filter(Boolean),
		ignoreSslIssues: isOn(data.ignoreSslIssues),
		country,
		authToken: text('authToken'),
		accountId: text('accountId'),
	};
}

/** The platform's name (the path segment after `/v1/`), which its own pivot format bears, too (§2.2); `pbx` by default. */
export function platformOf(data: CredentialData): string {
	return (
		String(data.platform ?? '')
			.trim()
			.replace(/^\/+|\/+$/g, '') || 'pbx'
	);
}

/** The country of a credential as an ISO code; undefined where numbers stay as they are, and for an unknown code. */
export function countryOf(data: CredentialData): string | undefined {
	return readCountry(data.country);
}

function cleanBaseUrl(value: string, platform: string): string {
	if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
		throw new AuthError(
			`Base URL "${value}" is not a web address. Enter the address of the PBX with its scheme, for example https://pbx.example.com`,
		);
	}
	const url = new URL(value);
	if (url.username || url.password || url.search || url.hash) {
		throw new AuthError(
			`Base URL must contain only the address of the PBX. Remove the user name, password, and any "?" or "#" part, and use the Login and Password fields.`,
		);
	}
	const path = url.pathname.replace(/\/+$/, '');
	const tail = [`/v1/${platform}`, '/v1'].find((end) => path.endsWith(end)) ?? '';
	return url.origin + path.slice(0, path.length - tail.length);
}

/** Identifies the login data that a token belongs to, in 64 hexadecimal digits: a token is never used after an edit of them. */
export function fingerprint(credential: PbxCredential): string {
	const { baseUrl, platform, login, password, realm } = credential;
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, platform, login, password, realm]))
		.digest('hex');
}

/** Identifies the account and user that a credential logs in as, whatever the password; empty fields count, too. */
export function loginIdOf(data: CredentialData): string {
	const login = JSON.stringify([textIn(data, 'login'), textIn(data, 'realm')]);
	return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

/** Joins a token with the fingerprint of its login data: the form that n8n stores. */
export function sealToken(token: string, credential: PbxCredential): string {
	return `${sealOf(credential)}${token}`;
}

/** Gives the bare token of a stored one; undefined when there is none, or when it was made with other login data. */
export function openToken(credential: PbxCredential): string | undefined {
	const seal = sealOf(credential);
	const { authToken } = credential;
	return authToken.startsWith(seal) ? authToken.slice(seal.length) || undefined : undefined;
}

const SEAL = /^[\da-f]{16}:/;

function sealOf(credential: PbxCredential): string {
	return `${fingerprint(credential).slice(0, 16)}:`;
}

/**
 * Lists the secrets that an answer's words may repeat: the password, also as HTTP's Basic authentication has it, the
 * token, even an outdated one, and the tokens that it holds itself (§2.1).
 */
export function secretsOf(credential: PbxCredential, body: unknown): string[] {
	const places = isObject(body) ? [body, body.data].filter(isObject) : [];
	const told = places.flatMap(({ auth_token, AUTH_TOKEN }) => [auth_token, AUTH_TOKEN].map(asText));
	const { login, password, authToken } = credential;
	const token = authToken.replace(SEAL, '');
	return [password, `${login}:${password}`, token, ...told].filter(
		(secret): secret is string => secret !== undefined && secret !== '',
	);
}

/** Returns the secrets of a credential, and of a response that may repeat them. */
export function knownSecrets(data: CredentialData, response: unknown): string[] {
	return secretsOf(readCredential(data), response);
}
