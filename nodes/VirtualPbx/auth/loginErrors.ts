import { networkFault } from '../values/networkFault';
import { answerWords } from '../values/answerWords';
import { blankSecrets } from '../values/secrets';
import type { PbxCredential } from './credential';
import { knownSecrets } from './knownSecrets';
import type { FullAnswer } from './login';
import { PbxRefusal } from './refusal';

const AFTER_WRONG_LOGIN = 'Check Login, Password and Realm in the Virtual PBX credential.';
const AFTER_WRONG_ADDRESS = 'Check Base URL and Platform Name in the Virtual PBX credential.';

/**
 * Words a login that got no answer at all: unknown host, refused connection, timeout, TLS.
 *
 * @param error what n8n's request helper threw
 * @returns an error without a stack of the cause, password or token
 */
export function describeLoginFault(error: unknown, credential: PbxCredential): PbxRefusal {
	const { text, hint } = networkFault(error, new URL(credential.baseUrl).host);
	return new PbxRefusal(`No login at the PBX: ${text}. ${hint}`, true);
}

/**
 * Words a login that the PBX answered, but not with a token (§5.2, §7).
 *
 * @param answer the PBX's answer: any status, any body
 */
export function describeLoginRefusal(answer: FullAnswer, credential: PbxCredential): PbxRefusal {
	const { statusCode } = answer;
	const words = answerWords(blankSecrets(answer.body, knownSecrets(credential, answer.body)));
	const said = words ? ` It says: "${words}".` : '';

	if (statusCode >= 300 && statusCode < 400) return new PbxRefusal(redirected(answer));
	if (statusCode === 401 || statusCode === 403) {
		return new PbxRefusal(
			`The PBX does not accept the login, password or realm (${statusCode}).${said} ${AFTER_WRONG_LOGIN}`,
		);
	}
	if (statusCode >= 200 && statusCode < 300)
		return new PbxRefusal(`${notALogin(answer, credential)}${said}`);
	if (statusCode === 404 || statusCode === 405) {
		return new PbxRefusal(
			`There is no PBX login at ${credential.baseUrl}/v1/${credential.platform} (${statusCode}).${said} ${AFTER_WRONG_ADDRESS} Some systems answer so to an unknown Realm, too.`,
		);
	}
	if (statusCode === 415) {
		return new PbxRefusal(
			`${credential.baseUrl}/v1/${credential.platform} does not take a PBX login (${statusCode}).${said} ${AFTER_WRONG_ADDRESS}`,
		);
	}
	if (statusCode === 429 || statusCode >= 500) {
		return new PbxRefusal(
			`The PBX cannot log anyone in at the moment (${statusCode}).${said} Try again in a minute.`,
			true,
		);
	}
	return new PbxRefusal(`The PBX refused the login (${statusCode}).${said} ${AFTER_WRONG_LOGIN}`);
}

function notALogin(answer: FullAnswer, credential: PbxCredential): string {
	if (typeof answer.body !== 'object' || answer.body === null) {
		return `${credential.baseUrl} answers, but not as a PBX does (no JSON). ${AFTER_WRONG_ADDRESS}`;
	}
	return `The PBX answered the login without a usable token or account. ${AFTER_WRONG_LOGIN} Base URL and Platform Name matter, too.`;
}

function redirected(answer: FullAnswer): string {
	const location = String(answer.headers.location ?? '');
	const target = URL.canParse(location) ? `to ${new URL(location).origin}` : 'to another address';
	return `The Base URL redirects ${target} (${answer.statusCode}), and the password is not sent on. Set the Base URL to the final address.`;
}
