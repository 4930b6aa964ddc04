import { connect } from './client';
import type { PbxError } from './errors/pbxError';
import { AuthError, headlineOf } from './errors/pbxError';
import { errorOfThrown } from './errors/failures';
import { readCredential } from './credential';
import { forgetLogin } from './login';
import { sendOnce } from './request';
import { TIMEOUTS } from './timeouts';
import type { CredentialData, Send } from './types';

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
	const connection = connect({ send, credential, deadline });
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
