import { createHash } from 'node:crypto';

import { asText, isObject, isOn, isPathSegment } from '../util/json';
import { COUNTRY_CODES, COUNTRY_HINT } from '../util/phone';
import { DIALECTS } from './dialects';
import { AuthError } from './errors/pbxError';
import type { CallSettings, CredentialData, Dialect, LoginInput } from './types';

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
	/** A random text, or empty until the first login. */
	webhookSecret: string;
}

/** Reads the login, ignoring the other fields. Throws AuthError that names the empty field. */
function readLogin(data: CredentialData): LoginInput {
	const login = required(data, 'login', 'Login');
	required(data, 'password', 'Password');
	const { needsRealm } = dialectOf(data.dialect);
	const accountName = needsRealm ? '' : textIn(data, 'accountName');
	const label = needsRealm ? 'Realm' : 'Realm or Account Name';
	const realm = accountName === '' ? required(data, 'realm', label) : textIn(data, 'realm');
	return { login, password: String(data.password), realm, accountName };
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
			`'Country for Phone Numbers' in the Virtual PBX credential isn't a known country: ${text('country')}. ${COUNTRY_HINT}`,
		);

	if (extensionsIn(text('extensions')) === undefined)
		throw new AuthError(
			`'Extension Length' in the Virtual PBX credential isn't a number of digits: ${text('extensions')}. Enter how many digits your extensions have, such as 3 or 3-4, or leave it empty for up to six.`,
		);

	const dialect = dialectOf(data.dialect);
	const platform = platformOf(data);
	if (!isPathSegment(platform))
		throw new AuthError(
			`'API Path Segment' in the Virtual PBX credential isn't a name: ${platform}. Enter the part of the address behind /v1/, without slashes, braces, or percent signs.`,
		);
	return {
		dialect,
		calls: callSettingsOf(data),
		baseUrl: cleanBaseUrl(
			address,
			dialect.pastedPaths.map((path) => path.replace('{platform}', platform)),
		),
		platform,
		...login,
		recordingHosts: text('recordingHosts')
			.split(/[\s,;]+/)
			.filter(Boolean),
		ignoreSslIssues: isOn(data.ignoreSslIssues),
		country,
		authToken: text('authToken'),
		accountId: text('accountId'),
		webhookSecret: text('webhookSecret'),
	};
}

/**
 * Returns the platform's name (the path segment after `/v1/`), which is also the name of its pivot format (§2.2); by
 * default, `pbx`.
 */
export function platformOf(data: CredentialData): string {
	const entered = textIn(data, 'platform').replace(/^\/+|\/+$/g, '');
	return dialectOf(data.dialect).platform ?? (entered || 'pbx');
}

/** Returns a credential's country as an ISO code; undefined to leave numbers as they are, and for an unknown code. */
export function countryOf(data: CredentialData): string | undefined {
	const code = textIn(data, 'country').toUpperCase();
	return COUNTRY_CODES.has(code) ? code : undefined;
}

/** The digits of extensions by default. */
const EXTENSION_DIGITS = [1, 6] as const;

/** Reads the field Extension Length: `3` or `3-4`; undefined for any other text. */
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

/** The settings for calls of a credential whose fields have their defaults. */
export const DEFAULT_CALL_SETTINGS: CallSettings = callSettingsOf({});

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
	const parts = [baseUrl, platform, login, password, realm, ...ifNamed(accountName)];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Identifies the account and user of a credential, regardless of the password. Empty fields count, too. */
export function loginIdOf(data: CredentialData): string {
	const account = [textIn(data, 'realm'), ...ifNamed(textIn(data, 'accountName'))];
	const login = JSON.stringify([textIn(data, 'login'), ...account]);
	return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

/** Credentials without an account's name keep the identity that they had before there was one. */
const ifNamed = (accountName: string) => (accountName === '' ? [] : [accountName]);

/** Joins a token with the fingerprint of its login data: the form that n8n stores. */
export function sealToken(token: string, credential: PbxCredential): string {
	return `${sealOf(credential)}${token}`;
}

/**
 * Returns the bare token from a stored one; undefined if there is none, if it was issued for different login data, or if
 * someone removed what the login stored beside it, so that another login stores it again.
 */
export function openToken(credential: PbxCredential): string | undefined {
	const seal = sealOf(credential);
	const { authToken, webhookSecret } = credential;
	return webhookSecret !== '' && authToken.startsWith(seal)
		? authToken.slice(seal.length) || undefined
		: undefined;
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
	const { login, password, authToken } = credential;
	const token = authToken.replace(SEAL, '');
	// As a Kazoo gets it, also one behind a provider's own login.
	const hash = createHash('md5').update(`${login}:${password}`).digest('hex');
	return [password, `${login}:${password}`, hash, token, ...returned].filter(
		(secret): secret is string => secret !== undefined && secret !== '',
	);
}

/** A request of this library or of n8n, whose HTTP Request node has `uri` instead of `url`. */
interface AnyRequest {
	url?: string;
	uri?: string;
	baseURL?: string;
	headers?: object;
}

/**
 * Prepares a request (`url`), including one of n8n's HTTP Request node (`uri`): makes the address absolute, fills in
 * `{account_id}` and `{platform}`, adds `X-Auth-Token` (§4.4, §5.3), and disables redirects. Throws AuthError for an
 * address that isn't allowed to receive the token. For a token of different login data, throws an error that looks
 * like a 401, after which n8n logs in again.
 */
export function authenticateRequest<T extends AnyRequest>(data: CredentialData, request: T): T {
	const credential = readCredential(data);
	const token = openToken(credential);
	if (token === undefined) {
		throw Object.assign(
			new Error('The saved token belongs to other login data; a new login is needed.'),
			{
				response: { status: 401 },
			},
		);
	}

	const options: T = { ...request };
	const field = options.uri === undefined ? 'url' : 'uri';
	const address = securedAddress(absoluteAddress(options[field] ?? '', credential), credential);
	if (!mayReceiveToken(address, credential)) throw new AuthError(notAllowed(address, credential));

	delete options.baseURL;
	return {
		...options,
		...(field === 'uri' ? { uri: address } : {}),
		...(field === 'url' ? { url: address } : {}),
		headers: { ...options.headers, 'X-Auth-Token': token },
		disableFollowRedirect: true,
		...(field === 'uri' ? { followRedirect: false, followAllRedirects: false } : {}),
		...(credential.ignoreSslIssues
			? { skipSslCertificateValidation: true, rejectUnauthorized: false }
			: {}),
	};
}

function absoluteAddress(value: string, credential: PbxCredential): string {
	const { platform } = credential;
	const path = value
		.replace(/\/v1\/(?:\{|%7B)platform(?:\}|%7D)/i, basePathOf(credential))
		.replace(/(?:\{|%7B)account_id(?:\}|%7D)/gi, encodeURIComponent(credential.accountId))
		.replace(/(?:\{|%7B)platform(?:\}|%7D)/gi, encodeURIComponent(platform));
	return /^[a-z][a-z0-9+.-]*:/i.test(path)
		? path
		: `${credential.baseUrl}/${path.replace(/^\/+/, '')}`;
}

/** Returns the path below the Base URL that stands for `/v1/{platform}` in all requests. */
export function basePathOf({ dialect, platform }: PbxCredential): string {
	return dialect.basePath.replace('{platform}', encodeURIComponent(platform));
}

function notAllowed(address: string, credential: PbxCredential): string {
	const target = URL.canParse(address) ? new URL(address).origin : 'this address';
	return `The PBX token isn't sent to ${target}: it is neither the host of the Base URL (${new URL(credential.baseUrl).origin}) nor listed under Recording Hosts in the Virtual PBX credential. If it belongs to your PBX, add it there.`;
}

/**
 * Returns whether an address is allowed to receive the token (§2.4, §5.3): the origin of the Base URL, or a host in
 * Recording Hosts, compared as parsed URLs. A listed host without a scheme means https, or the scheme of the Base
 * URL; without a port, that scheme's default.
 */
export function mayReceiveToken(address: string, credential: PbxCredential): boolean {
	if (!URL.canParse(address)) return false;
	const { origin, protocol } = new URL(address);
	if (protocol !== 'https:' && protocol !== 'http:') return false;

	const base = new URL(credential.baseUrl);
	if (origin === base.origin) return true;
	return credential.recordingHosts.some((host) =>
		listedOrigins(host, base.protocol).includes(origin),
	);
}

/**
 * Returns a plain `http` address on the host of an `https` Base URL with that scheme and port, so that the token is
 * never sent unencrypted.
 */
export function securedAddress(address: string, credential: PbxCredential): string {
	if (!URL.canParse(address) || mayReceiveToken(address, credential)) return address;
	const { protocol, hostname, port, pathname, search } = new URL(address);
	const base = new URL(credential.baseUrl);
	const isPlain = protocol === 'http:' && port === '' && base.protocol === 'https:';
	return isPlain && hostname === base.hostname ? base.origin + pathname + search : address;
}

function listedOrigins(entry: string, baseProtocol: string): string[] {
	const candidates = /^https?:\/\//i.test(entry)
		? [entry]
		: [`https://${entry}`, `${baseProtocol}//${entry}`];
	return candidates
		.filter((candidate) => URL.canParse(candidate))
		.map((candidate) => new URL(candidate).origin);
}

/** Returns the platform that a credential chooses. Credentials saved before there was a choice have none. */
export function dialectOf(chosen: unknown): Dialect {
	return chosen === 'kazoo' ? DIALECTS.kazoo : DIALECTS.contract;
}
