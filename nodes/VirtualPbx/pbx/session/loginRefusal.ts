import { asText, isObject } from '../../util/json';
import { meaningOf, networkFault } from '../errors/meanings';
import { AuthError, LoginRejected } from '../errors/pbxError';
import { answerMessage } from '../http/envelope';
import { blankSecrets } from '../redact';
import type { PbxCredential } from './credential';
import { secretsOf } from './credential';

/** The response of n8n's helper with `returnFullResponse`. */
export interface FullAnswer {
	statusCode: number;
	body: unknown;
	headers: Record<string, unknown>;
}

/** Returns the error for a login without a response: unknown host, refused connection, timeout, TLS. */
export function faultOf(error: unknown, { baseUrl }: PbxCredential): AuthError {
	const { reason, hint, isBlocked } = networkFault(error, new URL(baseUrl).host);
	return new AuthError(`Couldn't log in to the PBX: ${reason}. ${hint}`, {
		isTransient: !isBlocked,
	});
}

/** Finds a field of a login response in `data` or at the top level, in either case (§5.2). */
export function pick(body: unknown, name: string): string | undefined {
	if (!isObject(body)) return undefined;
	return [body.data, body]
		.filter(isObject)
		.flatMap((place) => [asText(place[name]), asText(place[name.toUpperCase()])])
		.find((value) => value !== undefined);
}

const CHECK_LOGIN = 'Check Login, Password and Realm in the Virtual PBX credential.';
const CHECK_ADDRESS = 'Check Base URL and Platform Name in the Virtual PBX credential.';
const NO_LOGIN_HERE = new Set([404, 405, 415]);

/** Returns the error for a login response without a token (§5.2, §7). */
export function refusalOf(answer: FullAnswer, credential: PbxCredential): AuthError {
	const { statusCode, body } = answer;
	const words = answerMessage(blankSecrets(body, secretsOf(credential, body)));
	const said = words ? ` It says: "${words}".` : '';

	if (statusCode < 300) {
		const isRefused = !['0', undefined].includes(pick(body, 'error_code'));
		const Refusal = isRefused ? LoginRejected : AuthError;
		return new Refusal(`${notALogin(answer, credential)}${said}`);
	}
	if (statusCode < 400) return new AuthError(redirected(answer));
	if (NO_LOGIN_HERE.has(statusCode)) {
		const place = `${credential.baseUrl}/v1/${credential.platform}`;
		return new AuthError(
			`There is no PBX login at ${place} (${statusCode}).${said} ${CHECK_ADDRESS} Some systems also answer this to an unknown Realm.`,
		);
	}
	if (statusCode === 429 || statusCode >= 500) {
		const { reason, hint } = meaningOf(statusCode);
		return new AuthError(`Couldn't log in to the PBX: ${reason} (${statusCode}).${said} ${hint}`, {
			isTransient: true,
		});
	}
	return new LoginRejected(
		`The PBX does not accept the login, password or realm (${statusCode}).${said} ${CHECK_LOGIN}`,
	);
}

function notALogin({ body }: FullAnswer, { baseUrl }: PbxCredential): string {
	return isObject(body)
		? `The PBX answered the login without a usable token or account. ${CHECK_LOGIN} Also check Base URL and Platform Name.`
		: `${baseUrl} answers, but not like a PBX (no JSON). ${CHECK_ADDRESS}`;
}

function redirected({ headers, statusCode }: FullAnswer): string {
	const location = String(headers.location ?? '');
	const target = URL.canParse(location) ? `to ${new URL(location).origin}` : 'to another address';
	return `The Base URL redirects ${target} (${statusCode}), but n8n does not send the password there. Set the Base URL to the final address.`;
}
