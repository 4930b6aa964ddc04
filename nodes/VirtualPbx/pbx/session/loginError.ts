import { isObject } from '../../util/json';
import { complaintsIn } from '../errors/headline';
import { meaningOf, networkFault } from '../errors/meanings';
import { AuthError, LoginRejected } from '../errors/pbxError';
import { fieldComplaints, isRejectedLogin, messageIn } from '../http/envelope';
import type { ReadResponse } from '../http/message';
import { blankSecrets } from '../redact';
import type { PbxCredential } from './credential';
import { secretsOf } from './credential';

/**
 * Returns the error for a login without a whole response: unknown host, refused connection, timeout, TLS, or n8n's
 * SSRF protection.
 */
export function faultOf(error: unknown, { baseUrl }: PbxCredential): AuthError {
	const { reason, hint, isBlocked } = networkFault(error, new URL(baseUrl).host);
	return new AuthError(`Couldn't log in to the PBX: ${reason}. ${hint}`, {
		isTransient: !isBlocked,
	});
}

const NO_LOGIN_HERE = new Set([404, 405, 410, 415]);

function advice({ dialect: { fields } }: PbxCredential) {
	return {
		checkLogin: `Check ${fields.login} in the Virtual PBX credential.`,
		checkAddress: `Check ${fields.address} in the Virtual PBX credential.`,
	};
}

/** Returns the error for a login response without a token (§5.2, §7). */
export function loginErrorOf(response: ReadResponse, credential: PbxCredential): AuthError {
	const { statusCode, body } = response;
	const cleaned = blankSecrets(body, secretsOf(credential, body));
	const words = messageIn(cleaned);
	const said = words ? ` It says: "${words}".` : '';
	const { checkLogin, checkAddress } = advice(credential);

	if (statusCode < 300) {
		const ErrorClass = isRejectedLogin(body) ? LoginRejected : AuthError;
		return new ErrorClass(`${notALogin(response, credential)}${said}`);
	}
	if (statusCode < 400) return new AuthError(redirected(response));
	if (NO_LOGIN_HERE.has(statusCode)) {
		const { baseUrl, dialect, platform } = credential;
		const place = `${baseUrl}${decodeURIComponent(dialect.basePath(platform))}`;
		const check =
			statusCode === 410
				? dialect.whenGone
				: `${checkAddress} Some systems also respond this way to an unknown realm.`;
		return new AuthError(`There is no PBX login at ${place} (${statusCode}).${said} ${check}`);
	}
	if (statusCode === 429 || statusCode >= 500) {
		const { reason, hint } = meaningOf(statusCode);
		return new AuthError(`Couldn't log in to the PBX: ${reason} (${statusCode}).${said} ${hint}`, {
			isTransient: true,
		});
	}
	const complaints = complaintsIn({ status: statusCode, complaints: fieldComplaints(cleaned) });
	const rejected = complaints === undefined ? '' : ` ${complaints.replace(/\.$/, '')}.`;
	return new LoginRejected(
		`The PBX doesn't accept the login, password, or realm (${statusCode}).${rejected}${said} ${checkLogin}`,
	);
}

function notALogin({ body }: ReadResponse, credential: PbxCredential): string {
	const { baseUrl, dialect } = credential;
	const { checkLogin, checkAddress } = advice(credential);
	return isObject(body)
		? `The PBX's login response has no usable token or account. ${checkLogin} Also check ${dialect.fields.address}.`
		: `The response from ${baseUrl} isn't from a PBX API (expected JSON). ${checkAddress}`;
}

function redirected({ headers, statusCode }: ReadResponse): string {
	const location = String(headers.location ?? '');
	const target = URL.canParse(location) ? `to ${new URL(location).origin}` : 'to another address';
	return `The Base URL redirects ${target} (${statusCode}), but n8n doesn't send the password there. Set 'Base URL' to the final address.`;
}
