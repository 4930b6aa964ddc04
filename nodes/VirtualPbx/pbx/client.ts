import { errorOfThrown } from './errors/thrownErrors';
import type { Connection, SendWithToken } from './http/connection';
import { hostOf, signalOf, whyStopped } from './http/connection';
import type { FileRequest, TakeFile } from './http/download';
import { fetchFile } from './http/download';
import type { Send } from './http/message';
import type { PbxRequest } from './http/request';
import { sendRequest } from './http/request';
import { unlessAborted } from './http/timeouts';
import { withoutSecrets } from './redact';
import { authenticating } from './session/authenticate';
import type { CredentialData } from './session/credential';
import {
	countryOf,
	knownSecrets,
	loginIdOf,
	platformOf,
	readCredential,
} from './session/credential';
import type { Session } from './session/login';
import { assertMayLogIn, exchangeToken } from './session/login';

/** A client of one PBX account; all requests share its credential and token. */
export interface Pbx {
	/** Sends a request and returns the whole JSON of its response. Throws PbxError. */
	send(request: PbxRequest): Promise<unknown>;
	/** Downloads a file of the PBX, such as a recording, as a stream; see `fetchFile`. */
	fetchFile<T>(request: FileRequest, take: TakeFile<T>): Promise<T>;
	/** Returns who the credential belongs to; at most one login, shared by all callers. Throws PbxError. */
	login(): Promise<Session>;
	/** Masks the password, tokens, and whatever else is a secret in a log of the PBX, which may repeat them. */
	withoutSecrets<T>(data: T): T;
	/** Identifies the account and user that the credential logs in as, whatever the password. */
	loginId: string;
	/** The platform's name, which is that of its own pivot format, too (§2.2). */
	platform: string;
	/** The country of the credential, in whose form numbers are returned; undefined to keep them as they are. */
	country: string | undefined;
	/** Aborts when a person or n8n cancels. */
	signal: AbortSignal;
}

/** How all requests of a client work. */
export interface PbxOptions {
	/** The account to work in; the login's own by default. */
	accountId?: string | undefined;
	/** Ends every request, login included, also those that are sent `evenWhenCancelled`. */
	deadline?: AbortSignal | undefined;
	/** Cancels requests, as n8n does when a person stops the execution. */
	signal?: AbortSignal | undefined;
}

/** What a client needs of the program that it works in. */
export interface ClientOptions extends PbxOptions {
	/** Base URL, login, password, and realm, and what else the credential has; see `readCredential`. */
	credential: CredentialData;
	send: Send;
	/** For programs that log in and keep the token themselves; by default, the client does. */
	sendWithToken?: SendWithToken;
	/** For programs that keep the token: reads the credential with the newest one. */
	reload?: () => Promise<CredentialData>;
}

/** Makes a client. Requests are repeated as docs/internals/reliability.md says. No network access. */
export function createClient(options: ClientOptions): Pbx {
	const connection = connect(options);
	const { data } = connection;
	let login: Promise<Session> | undefined;
	return {
		send: async (request) => await sendRequest(connection, request),
		fetchFile: async (request, take) => await fetchFile(connection, request, take),
		login: async () => await (login ??= logInOnce(connection)),
		withoutSecrets: (value) => withoutSecrets(value, knownSecrets(connection.data, value)),
		loginId: loginIdOf(data),
		platform: platformOf(data),
		country: countryOf(data),
		signal: connection.cancel,
	};
}

/** Makes what all requests of a client share. */
export function connect(options: ClientOptions): Connection {
	const { send, credential, accountId, deadline, signal } = options;
	const connection: Connection = {
		send,
		sendWithToken: options.sendWithToken ?? authenticating(send),
		reload: options.reload ?? (async () => await Promise.resolve(connection.data)),
		accountId,
		data: credential,
		host: hostOf(String(credential.baseUrl).trim()),
		cancel: signal ?? AbortSignal.any([]),
		deadline: deadline ?? AbortSignal.any([]),
	};
	return connection;
}

/** From the login of the last minute, otherwise by one of its own: only token and account are kept of a response. */
async function logInOnce(connection: Connection): Promise<Session> {
	try {
		const credential = { ...readCredential(connection.data), authToken: '' };
		const login = async () => {
			assertMayLogIn(credential);
			return await exchangeToken(connection.send, credential);
		};
		return await unlessAborted(signalOf(connection), login);
	} catch (error) {
		const cause = whyStopped(connection) ?? errorOfThrown(error, connection.host);
		throw cause.inRequest({ method: 'PUT', path: ['user_auth'] });
	}
}
