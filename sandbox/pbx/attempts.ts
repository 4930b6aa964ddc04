import type { Settings } from '../model/settings';
import type { Attempt } from '../model/webhooks';

/** An attempt with the keys of an older state of the platform. */
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

/** Shows attempts with the keys that the setting `attempt_keys` names (§4.4). */
export const shownAttempts = (attempts: Attempt[], { attempt_keys: keys }: Settings) =>
	keys === 'old' ? attempts.map(oldKeys) : attempts;
