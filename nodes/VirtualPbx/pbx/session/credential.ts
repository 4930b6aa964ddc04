import { createHash } from 'node:crypto';

import { asText, isObject, isOn, isPathSegment } from '../../util/json';
import { COUNTRY_HINT, readCountry } from '../../util/phone/countries';
import { dialectOf } from '../dialects/dialect';
import type { Dialect } from '../dialects/dialect';
import { AuthError } from '../errors/pbxError';

/** A credential's fields as the host program keeps them. */
export type CredentialData = Record<string, unknown>;

/** The user who logs in (§5). */
export interface LoginInput {
	login: string;
	password: string;
	/** Empty if the account is named instead. */
	realm: string;
	/** Empty if the realm names the account. */
	accountName: string;
}

/** What the user says about the calls of the account. */
export interface CallSettings {
	/** How many digits extensions have: at least the first number, at most the second. */
	extensionDigits: readonly [min: number, max: number];
	/** The account's SIP domain, in lower case; empty if unknown. */
	realm: string;
	/** Whether the PBX reports only the legs to phones, never the one of the caller. */
	hasOnlyPhoneLegs: boolean;
}

/** A saved `virtualPbxApi` credential, normalized for use. */
export interface PbxCredential extends LoginInput {
	dialect: Dialect;
	/** Origin and optional path of the PBX, without a trailing slash and without `/v1` or `/v2`. */
	baseUrl: string;
	/** The path segment after `/v1/` (§ preamble: `pbx` is a placeholder for the platform's own name). */
	platform: string;
	/** Other hosts that can receive the token, as the user entered them. */
	recordingHosts: string[];
	ignoreSslIssues: boolean;
	calls: CallSettings;
	/** The ISO code of the country in whose format numbers are returned; undefined leaves numbers as they are. */
	country: string | undefined;
	/** The token with the fingerprint of the login data that it was issued for, or an empty string. */
	authToken: string;
	accountId: string;
}

/** Reads the login, ignoring the other fields. Throws AuthError that names the empty field. */
export function readLogin(data: CredentialData): LoginInput {
	const login = required(data, 'login', 'Login');
	required(data, 'password', 'Password');
	const { needsRealm } = dialectOf(data.dialect);
	const accountName = needsRealm ? '' : textIn(data, 'accountName');
	const label = needsRealm ? 'Realm' : 'Realm or Account Name';
	const realm = accountName === '' ? required(data, 'realm', label) : textIn(data, 'realm');
	return { login, password: String(data.password), realm, accountName };
}

/** Returns the fields that {@link readLogin} reads, as entered: cheap to compare, since they need no check. */
export function loginAsEntered(data: CredentialData): unknown[] {
	return [data.dialect, data.login, data.password, data.realm, data.accountName];
}

function required(data: CredentialData, name: string, label: string): string {
	const text = textIn(data, name);
	if (text !== '') return text;
	throw new AuthError(`'${label}' is empty in the Virtual PBX credential. Fill it in.`);
}

function textIn(data: CredentialData, field: string): string {
	return String(data[field] ?? '').trim();
}

/**
 * Reads and checks a credential's decrypted fields before anything is sent. Removes trailing slashes and a pasted
 * path, such as `/v1/<platform>`, from the Base URL. Throws AuthError that names the empty or malformed field.
 */
export function readCredential(data: CredentialData): PbxCredential {
	const text = (name: string) => textIn(data, name);
	const address = required(data, 'baseUrl', 'Base URL');
	const login = readLogin(data);
	const country = countryOf(data);
	if (country === undefined && text('country') !== '')
		throw new AuthError(
			`'Country' in the Virtual PBX credential isn't a known country: ${text('country')}. ${COUNTRY_HINT}`,
		);

	if (extensionsIn(text('extensions')) === undefined)
		throw new AuthError(
			`'Extensions' in the Virtual PBX credential isn't a number of digits: ${text('extensions')}. Enter how many digits your extensions have, such as 3 or 3-4, or leave it empty for up to six.`,
		);

	const dialect = dialectOf(data.dialect);
	const platform = platformOf(data);
	if (!isPathSegment(platform))
		throw new AuthError(
			`'Platform Name' in the Virtual PBX credential isn't a name: ${platform}. Enter the part of the address behind /v1/, without slashes, braces, or percent signs.`,
		);
	return {
		dialect,
		calls: callSettingsOf(data),
		baseUrl: cleanBaseUrl(address, dialect.pastedPaths(platform)),
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

/**
 * Returns the platform's name (the path segment after `/v1/`), which is also the name of its pivot format (§2.2); by
 * default, `pbx`.
 */
export function platformOf(data: CredentialData): string {
	const entered = textIn(data, 'platform').replace(/^\/+|\/+$/g, '');
	return dialectOf(data.dialect).platformName(entered);
}

/** Returns a credential's country as an ISO code; undefined to leave numbers as they are, and for an unknown code. */
export function countryOf(data: CredentialData): string | undefined {
	return readCountry(data.country);
}

/** The digits of extensions by default. */
const EXTENSION_DIGITS = [1, 6] as const;

/** Reads the field Extensions: `3` or `3-4`; undefined for any other text. */
function extensionsIn(text: string): CallSettings['extensionDigits'] | undefined {
	if (text === '') return EXTENSION_DIGITS;
	const [, first, last] = /^(\d)(?:\s*[-–]\s*(\d))?$/.exec(text) ?? [];
	const [min, max] = [Number(first), Number(last ?? first)];
	return min >= 1 && min <= max ? [min, max] : undefined;
}

/** Returns what a credential says about calls, with the default for what can't be read. */
export function callSettingsOf(data: CredentialData): CallSettings {
	return {
		extensionDigits: extensionsIn(textIn(data, 'extensions')) ?? EXTENSION_DIGITS,
		realm: textIn(data, 'realm').toLowerCase(),
		hasOnlyPhoneLegs: data.reportedLegs === 'phones',
	};
}

function cleanBaseUrl(value: string, pastedPaths: readonly string[]): string {
	if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
		throw new AuthError(
			`'Base URL' isn't a web address: ${value}. Enter the address of the PBX with its scheme, for example https://pbx.example.com`,
		);
	}
	const url = new URL(value);
	if (url.username || url.password || url.search || url.hash) {
		throw new AuthError(
			`'Base URL' must contain only the address of the PBX. Remove the user name, password, and any "?" or "#" part, and use 'Login' and 'Password'.`,
		);
	}
	const path = url.pathname.replace(/\/+$/, '');
	const tail = pastedPaths.find((end) => path.endsWith(end)) ?? '';
	return url.origin + path.slice(0, path.length - tail.length);
}

/** Identifies a token's login data in 64 hexadecimal digits: after an edit, the token isn't used anymore. */
export function fingerprint(credential: PbxCredential): string {
	const { baseUrl, platform, login, password, realm, accountName } = credential;
	const parts = [baseUrl, platform, login, password, realm, ...named(accountName)];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Identifies the account and user of a credential, regardless of the password. Empty fields count, too. */
export function loginIdOf(data: CredentialData): string {
	const account = [textIn(data, 'realm'), ...named(textIn(data, 'accountName'))];
	const login = JSON.stringify([textIn(data, 'login'), ...account]);
	return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

/** Credentials without an account's name keep the identity that they had before there was one. */
const named = (accountName: string) => (accountName === '' ? [] : [accountName]);

/** Joins a token with the fingerprint of its login data: the form that n8n stores. */
export function sealToken(token: string, credential: PbxCredential): string {
	return `${sealOf(credential)}${token}`;
}

/**
 * Returns the bare token from a stored one; undefined if there is none, or if it was issued for different login data.
 */
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
 * Lists the secrets that a response can repeat: the password, including in HTTP Basic form and hashed, the token, even an
 * outdated one, and the tokens in the response itself (§2.1).
 */
export function secretsOf(credential: PbxCredential, body: unknown): string[] {
	const places = isObject(body) ? [body, body.data].filter(isObject) : [];
	const returned = places.flatMap(({ auth_token, AUTH_TOKEN }) =>
		[auth_token, AUTH_TOKEN].map(asText),
	);
	const { login, password, authToken, dialect } = credential;
	const token = authToken.replace(SEAL, '');
	const hash = asText(dialect.loginData(credential).credentials);
	return [password, `${login}:${password}`, hash, token, ...returned].filter(
		(secret): secret is string => secret !== undefined && secret !== '',
	);
}

/** Returns the secrets of a credential, and of a response that can repeat them. */
export function knownSecrets(data: CredentialData, response: unknown): string[] {
	return secretsOf(readCredential(data), response);
}
