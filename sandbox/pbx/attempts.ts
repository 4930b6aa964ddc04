import { omit } from '../model/omit';
import type { Settings } from '../model/settings';
import type { Attempt } from '../model/webhooks';

/** Renames an attempt's keys to those of an older version of the platform. */
function oldKeys(attempt: Attempt) {
	const { hook_id, result, resp_status_code, resp_body, client_error, timestamp } = attempt;
	const isOver = attempt.retries_left === 'retries exceeded';
	const left = isOver ? 0 : attempt.retries_left;
	if (result === 'success') return { hook_id, result, timestamp };
	const isAnswered = resp_status_code !== '';
	const reason = isAnswered ? attempt.reason : 'kazoo http client error';
	return {
		hook_id,
		result,
		reason: isOver && attempt.retries > 1 ? 'retries exceeded' : reason,
		...(isAnswered ? { response_code: resp_status_code, response_body: resp_body } : {}),
		...(client_error === undefined ? {} : { client_error }),
		retries_left: left,
		timestamp,
	};
}

type Pair = [name: unknown, ...signsAndValue: string[]];

/** Parses a form as a stock Kazoo's logger does, with each object's fields in a separate list. */
function nested(form: string): unknown[] {
	const parts: unknown[] = [];
	let group: { name: string; pairs: unknown[] } | undefined;
	for (const text of form.split('&')) {
		const [key = '', value = ''] = text.split('=');
		const [, outer, inner] = /^(.+)\[(.+)\]$/.exec(decodeURIComponent(key)) ?? [];
		if (outer !== undefined && inner !== undefined) {
			const pair: Pair = [[outer], '[', inner, ']', '=', value];
			if (group?.name === outer) group.pairs.push('&', pair);
			else parts.push((group = { name: outer, pairs: [pair] }).pairs);
		} else {
			group = undefined;
			parts.push([key, '=', value] satisfies Pair);
		}
	}
	return parts.flatMap((part, index) => (index === 0 ? [part] : ['&', part]));
}

/** Formats an attempt as a stock Kazoo lists it, where `try` is one too high. */
function kazooKeys(attempt: Attempt) {
	const { client_error, req_headers, req_body, resp_status_code, resp_body, resp_headers } =
		attempt;
	const { hook_id, hook_event, event_id, uri, method, result, retries_left, timestamp } = attempt;
	const isForm = req_headers['content-type']?.endsWith('form-urlencoded');
	const response = { resp_status_code, resp_body, resp_headers, reason: attempt.reason };
	const none = { client_error, reason: 'kazoo http client error' };
	return {
		...(resp_status_code === '' ? none : response),
		...{ hook_id, hook_event: hook_event.toUpperCase(), event_id, uri, method, result },
		...{ try: attempt.try + 1, retries_left, timestamp, req_headers },
		req_body: isForm ? nested(req_body) : req_body,
	};
}

/** Returns an attempt with the keys of the profile (§4.4). */
export function shownAttempt(attempt: Attempt, { profile }: Settings): object {
	if (profile === 'kazoo') return kazooKeys(attempt);
	if (profile === 'field') return oldKeys(attempt);
	return omit(attempt, 'try', 'req_headers', 'resp_headers');
}
