import { AuthError, PbxError } from '../errors/pbxError';
import type { Connection, SendWithToken } from '../http/connection';
import type { Send } from '../http/message';
import type { CredentialData, PbxCredential } from './credential';
import { openToken, readCredential, sealToken } from './credential';
import { exchangeToken, forgetLogin, mayRenew, recordRenewal, recordServed } from './login';

/** A request of this library or of n8n, whose HTTP Request node has `uri` instead of `url`. */
interface AnyRequest {
	url?: string;
	uri?: string;
	baseURL?: string;
	headers?: object;
}

/** Creates a sender that logs in if a credential has no token, and adds the token to each request. */
export function authenticating(send: Send): SendWithToken {
	return async (request, data) => {
		if (openToken(readCredential(data)) === undefined)
			Object.assign(data, await renewToken(send, data));
		return await send(authenticateRequest(data, request));
	};
}

/**
 * Exchanges login, password, and realm for a token (§5.1, §5.2), in the form in which it's stored. Throws AuthError.
 */
export async function renewToken(
	send: Send,
	data: CredentialData,
): Promise<{ authToken: string; accountId: string }> {
	const credential = readCredential(data);
	const { token, accountId } = await exchangeToken(send, credential);
	return { authToken: sealToken(token, credential), accountId };
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
	const { dialect, platform } = credential;
	const path = value
		.replace(/\/v1\/(?:\{|%7B)platform(?:\}|%7D)/i, dialect.basePath(platform))
		.replace(/(?:\{|%7B)account_id(?:\}|%7D)/gi, encodeURIComponent(credential.accountId))
		.replace(/(?:\{|%7B)platform(?:\}|%7D)/gi, encodeURIComponent(platform));
	return /^[a-z][a-z0-9+.-]*:/i.test(path)
		? path
		: `${credential.baseUrl}/${path.replace(/^\/+/, '')}`;
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

/**
 * Sends a request, and repeats it if the PBX rejects its token with 401 (§5 doesn't show the lifetime): first with a
 * newer stored token, then after a login, unless a login recently didn't help requests of the same `kind`. Each try
 * gets a copy of the credential, since a login writes its token into it.
 */
export async function withToken<T>(
	connection: Connection,
	kind: string,
	send: (data: CredentialData) => Promise<T>,
): Promise<T> {
	const sendWith = async (data: CredentialData) => {
		const before = data.authToken;
		try {
			const result = await send(data);
			recordAccepted(connection, data);
			return { data, result };
		} catch (error) {
			return { data, rejection: rejectionIn(error) };
		} finally {
			if (data.authToken !== before) connection.data = { ...data };
		}
	};
	const startedAt = Date.now();
	let sent = await sendWith({ ...connection.data });
	if (sent.rejection && (await hasNewerToken(connection, sent.data)))
		sent = await sendWith({ ...connection.data });
	if (!sent.rejection) return sent.result;
	if (!mayRenew(readCredential(sent.data), kind)) throw sent.rejection;
	forgetLogin(readCredential(sent.data), startedAt, kind);
	const renewed = await sendWith({ ...connection.data, authToken: '' });
	recordRenewal(readCredential(renewed.data), kind, !renewed.rejection);
	if (renewed.rejection) throw renewed.rejection;
	return renewed.result;
}

/** Returns the error of a rejected token; throws any other. */
function rejectionIn(error: unknown): PbxError {
	if (error instanceof PbxError && error.status === 401) return error;
	throw error;
}

/** Loads a newer token than the rejected one, if another request, execution, or process has obtained one. */
async function hasNewerToken(
	connection: Connection,
	{ authToken: refused }: CredentialData,
): Promise<boolean> {
	if (connection.data.authToken === refused) connection.data = await connection.reload();
	return connection.data.authToken !== refused;
}

/** Records that a token works, once for all requests that use it. */
function recordAccepted(connection: Connection, data: CredentialData): void {
	if (data.authToken === connection.servedToken) return;
	connection.servedToken = data.authToken;
	recordServed(readCredential(data));
}
