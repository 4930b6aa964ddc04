import { Type } from '@sinclair/typebox';
import { choice, count, flag, seconds } from './kinds';

/** Switches of what events look like and how they are delivered (§2.5, §6). */
export const DELIVERIES = {
	delivery_format: choice(['json', 'form'], 'json', 'body of a delivery'),
	event_shape: choice(
		['envelope', 'args', 'flat'],
		'envelope',
		'`envelope` sends `{name, args}` (§6), `args` the bare args, `flat` lower-case fields with `hook_event` and without `Msg-ID`, `Bridge-ID` and `Answer-State`',
	),
	custom_data_placement: choice(
		['top', 'args', 'custom_data', 'none'],
		'top',
		'where `custom_data` is put: merged at top level, into `args`, under the key `custom_data`, or nowhere',
	),
	timestamp_unit: choice(
		['gregorian', 'seconds', 'milliseconds', 'microseconds'],
		'gregorian',
		'unit of `Timestamp` of events; all but the first count from the Unix epoch',
	),
	bridge_id_on_create: flag(true, 'whether CHANNEL_CREATE of the inbound leg has `Bridge-ID`'),
	delivery_timeout_seconds: seconds(10, 'real time that a receiver has to answer'),
	delivery_connections: Type.Integer({
		minimum: 1,
		default: 64,
		description: 'connections kept open per receiving host',
	}),
	ordered_deliveries: flag(
		true,
		'events of one call are sent one after another; retries never hold up the next event',
	),
	retries_mean: choice(
		['retries', 'tries'],
		'retries',
		'whether `retries` of a webhook counts the tries after the first, or all of them: then 0 sends nothing at all',
	),
	retry_on: choice(
		['any', 'connection', 'timeout'],
		'any',
		'retry any failure, only those without an answer, or only time-outs and connections that break: neither a status nor a refused connection',
	),
	retry_interval_seconds: seconds(2, 'real time between two tries'),
	success_codes: choice(['2xx', '200'], '2xx', 'which answers count as delivered'),
	disable_after_failures: count(
		0,
		'a webhook is disabled after so many failures in a row, or within a window; 0 never',
	),
	disable_window_seconds: seconds(
		0,
		'failures count for `disable_after_failures` for so long, whatever succeeds between them; 0 for failures in a row',
	),
	attempt_keys: choice(
		['new', 'old'],
		'new',
		'fields of attempts (§4.4): `old` gives `response_code`, `response_body`, `client_error`, `retries_left`, without address and body',
	),
};
