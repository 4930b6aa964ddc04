import type { IHttpRequestOptions } from 'n8n-workflow';

import type { PbxCredential } from '../auth/credential';
import { knownTokens } from '../auth/exchange';
import { knownSecrets } from '../auth/token';
import type { FullAnswer } from '../auth/login';
import { PbxRefusal } from '../auth/credential';
import { networkFault } from '../values/networkFault';
import { blankSecrets } from '../values/secrets';
import { failureOfAnswer, failureOfContent, failureOfGarbage } from './failure';
import type { Failure } from './failure';
import type { HttpRequest } from './sender';
import { senderOf } from './sender';

const ASK = 'Ask your provider.';
const ADDRESS = 'Check Base URL and Platform Name in the Virtual PBX credential.';
const LATER = 'Try again in a minute.';

/** What the credential's test says of an error of the request after the login (§7), by status. */
export const TEST_WORDS: Record<number, string> = {
	400: `The login works, but the PBX does not accept the request for callflows (400). ${ASK}`,
	401: `The login works, but the PBX does not accept its own token (401). ${ASK}`,
	403: 'The login works, but this user may not read callflows (403). Give the user more rights at the PBX.',
	404: `The login works, but the account is not found under this Base URL (404). ${ADDRESS}`,
	415: `The login works, but the address does not accept PBX requests (415). ${ADDRESS}`,
	429: `The login works, but the PBX receives too many requests (429). ${LATER}`,
	500: `The login works, but the PBX failed to list the callflows (500). Try again later, or ask your provider.`,
	502: `The login works, but the PBX does not answer behind its proxy (502). ${LATER}`,
	503: `The login works, but the PBX is not available at the moment (503). ${LATER}`,
	504: `The login works, but the PBX took too long to list the callflows (504). ${LATER}`,
};

/**
 * Lists the callflows for the credential's test and judges the answer, since n8n would show a bare status text or an
 * error code, and takes any page with status 200 for a success.
 *
 * @param options the request with address and token
 * @throws PbxRefusal in the user's words; for a refused token an Error that looks like a 401 answer, on which n8n logs in
 * anew and comes back once
 */
export async function probe(
	httpRequest: HttpRequest,
	options: IHttpRequestOptions,
	credential: PbxCredential,
): Promise<void> {
	const answer = await ask(httpRequest, options, credential);
	const { statusCode } = answer;
	if (statusCode === 401) {
		throw Object.assign(new Error(TEST_WORDS[401]), { response: { status: 401 } });
	}
	const body = blankSecrets(
		answer.body,
		knownSecrets(credential, answer.body, knownTokens(credential)),
	);
	const failure = failureIn({ ...answer, body });
	if (failure) throw new PbxRefusal(wordsOf(failure, statusCode));
}

async function ask(
	httpRequest: HttpRequest,
	options: IHttpRequestOptions,
	credential: PbxCredential,
): Promise<FullAnswer> {
	try {
		return await senderOf(httpRequest)({
			...options,
			json: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		});
	} catch (error) {
		throw describeFault(error, credential);
	}
}

function describeFault(error: unknown, { baseUrl }: PbxCredential): PbxRefusal {
	const { text, hint } = networkFault(error, new URL(baseUrl).host);
	return new PbxRefusal(`The login works, but ${text}. ${hint}`);
}

function failureIn(answer: FullAnswer): Failure | undefined {
	if (answer.statusCode < 200 || answer.statusCode > 299) return failureOfAnswer(answer);
	const isText = typeof answer.body === 'string' && answer.body.trim() !== '';
	return isText ? failureOfGarbage(answer) : failureOfContent(answer, true);
}

function wordsOf({ kind, words, hint, says }: Failure, status: number): string {
	const isError = kind === 'status' && (status < 300 || status > 399);
	const known = isError
		? (TEST_WORDS[status] ??
			`The login works, but the PBX refuses the request for callflows (${status}). ${ASK}`)
		: `The login works, but this request does not: ${words}. ${hint}`;
	return says === undefined ? known : `${known} It says: "${says}".`;
}
