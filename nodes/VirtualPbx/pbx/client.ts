import { unlessAborted } from '../util/limits';
import type { Callflows } from './callflows/callflows';
import { callflowsOf } from './callflows/callflows';
import type { Cdrs } from './cdrs/cdrs';
import { cdrsOf } from './cdrs/cdrs';
import {
	callSettingsOf,
	countryOf,
	dialectOf,
	loginIdOf,
	platformOf,
	readCredential,
	secretsOf,
} from './credential';
import type { FileRequest, TakeFile } from './download';
import { addressOfRecording, fetchRecording } from './download';
import type { Employees } from './employees';
import { employeesOf } from './employees';
import { errorOfThrown } from './errors/failures';
import type { PbxError } from './errors/pbxError';
import { AuthError, headlineOf } from './errors/pbxError';
import { assertMayLogIn, authenticating, exchangeToken, forgetLogin } from './login';
import { withoutSecrets } from './redact';
import type { Connection } from './request';
import { hostOf, sendOnce, sendRequest, signalOf, whyStopped } from './request';
import { TIMEOUTS } from './response';
import type { CredentialData, PbxRequest, Requester, Send, SendWithToken, Session } from './types';
import type { Webhooks } from './webhooks/webhooks';
import { webhooksOf } from './webhooks/webhooks';

/** A client for one PBX account. All requests share its credential and token. */
export interface Pbx extends Requester {
	callflows: Callflows;
	cdrs: Cdrs;
	employees: Employees;
	recordings: {
		download<T>(request: FileRequest, take: TakeFile<T>): Promise<T>;
	};
	webhooks: Webhooks;
	/** Returns the client for another account of the same login, always the same one; itself for undefined. */
	inAccount(accountId: string | undefined): Pbx;
	/** Masks the password, tokens, and other secrets that a PBX log can repeat. */
	withoutSecrets<T>(data: T): T;
	/** Identifies the account and user of the credential, regardless of the password. */
	loginId: string;
	/** The credential's country, in whose format numbers are returned; undefined leaves numbers as they are. */
	country: string | undefined;
}

export interface PbxOptions {
	/** The account to work in; by default, the login's own. */
	accountId?: string | undefined;
	/** Ends every request, including logins and requests sent with `evenWhenCancelled`. */
	deadline?: AbortSignal | undefined;
	/** Cancels requests, as n8n does when a person stops the execution. */
	signal?: AbortSignal | undefined;
}

export interface ClientOptions extends PbxOptions {
	/** Base URL, login, password, realm, and the credential's other fields; see `readCredential`. */
	credential: CredentialData;
	send: Send;
	/** For programs that log in and keep the token themselves; by default, the client does. */
	sendWithToken?: SendWithToken;
	/** For programs that keep the token: reloads the credential with the newest one. */
	reload?: () => Promise<CredentialData>;
}

/** Creates a client. Retries requests as docs/internals/reliability.md says. No network access. */
export function createClient(options: ClientOptions): Pbx {
	const connection = connectionOf(options);
	const { data } = connection;
	let login: Promise<Session> | undefined;
	const shared = {
		account: { get: async () => await (login ??= logInOnce(connection)) },
		recordings: {
			download: async <T>(request: FileRequest, take: TakeFile<T>) =>
				await fetchRecording(connection, request, take),
		},
		withoutSecrets: <T>(value: T) =>
			withoutSecrets(value, secretsOf(readCredential(connection.data), value)),
		loginId: loginIdOf(data),
		dialect: dialectOf(data.dialect),
		calls: callSettingsOf(data),
		platform: platformOf(data),
		country: countryOf(data),
		signal: connection.cancel,
	};
	const clients = new Map<string | undefined, Pbx>();
	const inAccount = (accountId = options.accountId): Pbx => {
		const known = clients.get(accountId);
		if (known) return known;
		const send = async (request: PbxRequest) => await sendRequest(connection, request, accountId);
		const recordingAddress = (id: string) => addressOfRecording(connection.data, accountId, id);
		const requester = { ...shared, accountId, send, recordingAddress };
		let callflows: Callflows | undefined;
		let employees: Employees | undefined;
		let webhooks: Webhooks | undefined;
		const pbx: Pbx = {
			...requester,
			get callflows() {
				return (callflows ??= callflowsOf(requester));
			},
			get cdrs() {
				return cdrsOf(requester);
			},
			get employees() {
				return (employees ??= employeesOf(requester));
			},
			get webhooks() {
				return (webhooks ??= webhooksOf(requester));
			},
			inAccount,
		};
		clients.set(accountId, pbx);
		return pbx;
	};
	return inAccount();
}

/** Creates the state that all requests of a client share. */
function connectionOf(options: ClientOptions): Connection {
	const { send, credential, deadline, signal } = options;
	const connection: Connection = {
		send,
		sendWithToken: options.sendWithToken ?? authenticating(send),
		reload: options.reload ?? (async () => await Promise.resolve(connection.data)),
		data: credential,
		host: hostOf(String(credential.baseUrl).trim()),
		cancel: signal ?? AbortSignal.any([]),
		deadline: deadline ?? AbortSignal.any([]),
	};
	return connection;
}

/** Logs in, or reuses a login of the last minute: a credential stores only the token and account of a session. */
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

/**
 * Lists the callflows for the credential's test and checks the response. n8n alone would show a bare status or error
 * code, and accept any page with status 200. Throws AuthError in the user's words. For a rejected token, throws an
 * error that looks like a 401, after which n8n logs in again and repeats the test.
 */
export async function testLogin(
	send: Send,
	{ url, headers }: { url: string; headers: Record<string, string> },
	credential: CredentialData,
): Promise<void> {
	const deadline = AbortSignal.timeout(TIMEOUTS.login);
	const connection = connectionOf({ send, credential, deadline });
	try {
		const request = { method: 'GET', url, headers } as const;
		await sendOnce(connection, { request, data: undefined }, { isList: true });
	} catch (thrown) {
		throw testFailure(errorOfThrown(thrown, connection.host), credential);
	}
}

function testFailure({ details, kind, status, hint }: PbxError, credential: CredentialData): Error {
	const headline = headlineOf(details, { method: 'GET', path: ['callflows'] });
	const shown = kind === 'status' ? ` (${status})` : '';
	const said = details.says === undefined ? '' : ` It says: "${details.says}".`;
	const words = `Login succeeded, but the first request was rejected. ${headline}${shown}.${said} ${hint}`;
	if (status !== 401) return new AuthError(words);
	forgetLogin(readCredential(credential));
	return Object.assign(new Error(words), { response: { status: 401, statusText: words } });
}
