import type { IDataObject } from 'n8n-workflow';

import { networkFault } from '../values/networkFault';
import type { HttpRequest } from './sender';
import { senderOf } from './sender';

/** What came of a ping: all is well, or what is wrong with the address. */
export type PingOutcome =
	| { isOk: true }
	/** `isAnswered`: something else than the trigger has answered. */
	| { isOk: false; isAnswered: boolean; words: string };

const STATUS_WORDS: Record<number, string> = {
	401: 'a workflow listens there that does not know the secret of this trigger',
	404: 'no workflow listens there (404)',
};

/**
 * Calls a trigger at its own address as the PBX would (§6), to prove that the address leads here.
 *
 * @param url the address that the PBX is told
 * @param body what is sent
 * @param isAnswer tells whether an answer is that of the trigger
 */
export async function ping(
	httpRequest: HttpRequest,
	url: string,
	{ body, isAnswer }: { body: IDataObject; isAnswer: (answer: unknown) => boolean },
): Promise<PingOutcome> {
	try {
		const answer = await senderOf(httpRequest)({
			method: 'POST',
			url,
			body,
			json: true,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		});
		if (answer.statusCode === 200 && isAnswer(answer.body)) return { isOk: true };
		return { isOk: false, isAnswered: true, words: wordsOf(answer.statusCode) };
	} catch (error) {
		const { text } = networkFault(error, new URL(url).host);
		return { isOk: false, isAnswered: false, words: text };
	}
}

function wordsOf(status: number): string {
	if (status >= 300 && status < 400) return `it redirects elsewhere (${status})`;
	if (status >= 200 && status < 300) return 'another server answers there';
	return STATUS_WORDS[status] ?? `it answers with status ${status}`;
}
