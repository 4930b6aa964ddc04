import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { messageOf } from '../../pbx/errors/meanings';
import { checkAnswer, holdsSteps } from '../../pbx/pivot/answer';

type HttpResponse = ReturnType<IWebhookFunctions['getResponseObject']>;

/** The caller's response to a routing request, and why. */
export interface Reply {
	/** Whose answer it was; no one's if the PBX hung up before there was one. */
	source: 'workflow' | 'fallback' | 'nobody';
	/** Why it isn't the workflow's own answer, or what was unusual about it, without a period. */
	reason: string;
	answer: IDataObject;
}

/** The rules for answering one routing request. */
export interface Rules {
	/** The configured deadline in milliseconds, for the reason. */
	deadlineMs: number;
	/** When to send the fallback, in Unix milliseconds. */
	answerBefore: number;
	/** A valid answer of §2.3, or one without operations if no step is left. */
	fallback: IDataObject;
	/** Why steps were omitted from it; empty if all are usable. */
	dropped: string[];
	/** An answer to send at once, without waiting for the workflow. */
	immediate?: IDataObject | undefined;
	/** Rewrites a reply into the form of the platform; undefined if it's the contract's. Must not reject. */
	encode?: ((reply: Reply) => Promise<Reply>) | undefined;
	/** Called once, right after the answer was sent. */
	report: (outcome: Reply) => void;
}

/**
 * Guards the response to a routing request: whatever n8n or the workflow sends, exactly one answer goes out, as JSON,
 * valid by §2.3, and on time. Replaces the methods of the Express response that n8n responds with, an undocumented
 * interface covered by test/e2e/routing.test.ts. Returns a function that sends the fallback at once, with its reason.
 */
export function guardResponse(response: HttpResponse, rules: Rules): (reason: string) => void {
	const end = response.end.bind(response);
	const setHeader = response.setHeader.bind(response);
	const setHeaders = response.setHeaders?.bind(response);
	const ownHeaders = response.getHeaderNames();
	const pieces: string[] = [];
	let settled = false;
	let sent = false;

	const settle = (judged: Reply): HttpResponse => {
		if (settled) return response;
		const outcome = withDropped(judged, rules);
		settled = true;
		if (rules.encode && outcome.source !== 'nobody') void rules.encode(outcome).then(finish);
		else finish(outcome);
		return response;
	};
	const finish = (outcome: Reply): void => {
		const text = JSON.stringify(outcome.answer);
		if (outcome.source !== 'nobody' && !response.headersSent) {
			for (const name of response.getHeaderNames())
				if (!ownHeaders.includes(name)) response.removeHeader(name);
			response.statusCode = holdsSteps(outcome.answer) ? 200 : NOTHING_TO_DO;
			for (const [name, value] of headersOf(outcome, text)) setHeader(name, value);
			// n8n's compression sets its headers in here.
			end(text);
		}
		sent = true;
		rules.report(outcome);
	};
	const fallBack = (reason: string) =>
		settle({ source: 'fallback', reason, answer: rules.fallback });
	const receive = (body: unknown) =>
		settled ? response : settle(judge(body, response.statusCode, rules));

	Object.assign(response, {
		json: receive,
		send: receive,
		write: (piece: unknown) => {
			if (!settled) pieces.push(String(piece));
			return true;
		},
		// n8n also ends the response without a body before the answer exists. The deadline covers a real end.
		end: (piece?: unknown) => {
			if (piece !== undefined && typeof piece !== 'function') pieces.push(String(piece));
			return pieces.length > 0 ? receive(pieces.join('')) : response;
		},
		// n8n still sets headers after the answer, which would throw.
		setHeader: (...[name, value]: Parameters<typeof setHeader>) =>
			sent ? response : setHeader(name, value),
		setHeaders: (headers: Parameters<typeof response.setHeaders>[0]) =>
			sent ? response : setHeaders(headers),
	});
	if (rules.immediate) {
		settle({ source: 'workflow', reason: '', answer: rules.immediate });
		return fallBack;
	}
	response.once('close', () => settle({ source: 'nobody', reason: 'The PBX hung up', answer: {} }));
	void sleep(Math.max(0, rules.answerBefore - Date.now())).then(() =>
		fallBack(`No answer within the deadline of ${rules.deadlineMs / 1000} s`),
	);
	return fallBack;
}

/** Reports the fallback steps that couldn't be sent. */
function withDropped(outcome: Reply, { fallback, dropped }: Rules): Reply {
	if (outcome.answer !== fallback || dropped.length === 0) return outcome;
	const reason = [outcome.reason, ...dropped].filter(Boolean).join('; ');
	return { ...outcome, reason, ...(holdsSteps(fallback) ? {} : { source: 'fallback' }) };
}

const NOTHING_TO_DO = 503;

function judge(body: unknown, statusCode: number, { fallback, encode }: Rules): Reply {
	if (statusCode >= 400) {
		return { source: 'fallback', reason: 'The workflow failed', answer: fallback };
	}
	try {
		// The last node's items. A single one is the answer itself, unchanged.
		const [only, second] = Array.isArray(body) ? (body as unknown[]) : [body];
		const mayBeFlow = encode !== undefined;
		const given = second === undefined ? only : body;
		const { answer, problems, notes } = checkAnswer(given, mayBeFlow);
		if (problems.length === 0) return { source: 'workflow', reason: notes.join('; '), answer };
		return { source: 'fallback', reason: problems.join('; '), answer: fallback };
	} catch (error) {
		const reason = `The answer can't be read: ${messageOf(error)}`;
		return { source: 'fallback', reason, answer: fallback };
	}
}

function headersOf({ source, reason }: Reply, text: string): Array<[string, string | number]> {
	return [
		['Content-Type', 'application/json; charset=utf-8'],
		['Cache-Control', 'no-store'],
		['X-Routing-Answer', source],
		...(reason === '' ? [] : [['X-Routing-Reason', headerText(reason)] as [string, string]]),
		['Content-Length', Buffer.byteLength(text)],
	];
}

/** Header values can contain only visible ASCII. */
function headerText(text: string): string {
	return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500);
}
