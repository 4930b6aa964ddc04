import { PbxError } from '../errors/pbxError';
import type { Connection } from '../http/connection';
import type { CredentialData } from './credential';
import { readCredential } from './credential';
import { forgetLogin, mayRenew, noteRenewal, noteServed } from './login';

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
			recordServed(connection, data);
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
	noteRenewal(readCredential(renewed.data), kind, !renewed.rejection);
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
function recordServed(connection: Connection, data: CredentialData): void {
	if (data.authToken === connection.servedToken) return;
	connection.servedToken = data.authToken;
	noteServed(readCredential(data));
}
