import type { IHttpRequestHelper } from 'n8n-workflow';

import { answerWords } from '../values/answerWords';
import { meaningOf, networkFault } from '../values/errorTable';
import { asText, isObject } from '../values/json';
import { blankSecrets } from '../values/secrets';
import { TIMEOUTS } from '../values/timeouts';
import type { PbxCredential } from './credential';
import { PbxRefusal } from './credential';
import { secretsOf } from './token';

/** n8n's request helper, as both the credential and the nodes have it. */
export type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** What the PBX tells about the one who logged in (§5.2). */
export interface Login {
	token: string;
	accountId: string;
	accountRealm: string | undefined;
	ownerId: string | undefined;
	ownerRole: string | undefined;
}

/** What n8n's helper gives with `returnFullResponse`. */
interface FullAnswer {
	statusCode: number;
	body: unknown;
	headers: Record<string, unknown>;
}

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the answer (§4.1, §5), from `data` or the top level, in either case.
 * Redirects are not followed: the body carries the password. Throws PbxRefusal: wrong login, wrong address, unreachable
 * host, or no token.
 */
export async function logIn(httpRequest: HttpRequest, credential: PbxCredential): Promise<Login> {
	const answer = await send(httpRequest, credential);
	const { statusCode, body } = answer;
	const isRefused = !['0', undefined].includes(pick(body, 'error_code'));
	const token = pick(body, 'auth_token');
	const accountId = pick(body, 'account_id');
	if (statusCode < 200 || statusCode > 299 || isRefused || !token || !accountId) {
		throw refusalOf(answer, credential);
	}
	return {
		token,
		accountId,
		accountRealm: pick(body, 'account_realm'),
		ownerId: pick(body, 'owner_id'),
		ownerRole: pick(body, 'owner_role'),
	};
}

async function send(httpRequest: HttpRequest, credential: PbxCredential): Promise<FullAnswer> {
	const { login, password, realm, baseUrl } = credential;
	try {
		return (await httpRequest({
			method: 'PUT',
			url: `${baseUrl}/v1/${encodeURIComponent(credential.platform)}/user_auth`,
			body: { data: { login, password, realm } },
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			skipSslCertificateValidation: credential.ignoreSslIssues,
			abortSignal: AbortSignal.timeout(TIMEOUTS.login),
		})) as FullAnswer;
	} catch (error) {
		throw faultOf(error, credential);
	}
}

/** Words a login that got no answer: unknown host, refused connection, timeout, TLS. */
function faultOf(error: unknown, { baseUrl }: PbxCredential): PbxRefusal {
	const { reason, hint } = networkFault(error, new URL(baseUrl).host);
	return new PbxRefusal(`Couldn't log in to the PBX: ${reason}. ${hint}`, true);
}

/** Finds a field of the login answer in `data` or at the top level, in either case (§5.2). */
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

/** Words a login that the PBX answered, but not with a token (§5.2, §7). */
function refusalOf(answer: FullAnswer, credential: PbxCredential): PbxRefusal {
	const { statusCode, body } = answer;
	const words = answerWords(blankSecrets(body, secretsOf(credential, body)));
	const said = words ? ` It says: "${words}".` : '';

	if (statusCode < 300) return new PbxRefusal(`${notALogin(answer, credential)}${said}`);
	if (statusCode < 400) return new PbxRefusal(redirected(answer));
	if (NO_LOGIN_HERE.has(statusCode)) {
		const place = `${credential.baseUrl}/v1/${credential.platform}`;
		return new PbxRefusal(
			`There is no PBX login at ${place} (${statusCode}).${said} ${CHECK_ADDRESS} Some systems also answer this to an unknown Realm.`,
		);
	}
	if (statusCode === 429 || statusCode >= 500) {
		const { reason, hint } = meaningOf(statusCode);
		return new PbxRefusal(
			`Couldn't log in to the PBX: ${reason} (${statusCode}).${said} ${hint}`,
			true,
		);
	}
	return new PbxRefusal(
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
