import { PbxError } from '../errors/pbxError';
import type { Connection } from '../http/connection';
import type { CredentialData } from './credential';
import { readCredential } from './credential';
import { forgetLogin, mayRenew, noteRenewal, noteServed } from './login';

/**
 * Sends a request, and again where the PBX refuses its token with 401 (§5: the lifetime is not shown): with a newer token
 * that is stored by now, then after a login, unless that did not help requests of the same `kind` lately. Each sending has
 * a copy of the credential: a login writes its token into it.
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

/** Takes a newer token than the rejected one, if another request, execution, or process has got one. */
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
