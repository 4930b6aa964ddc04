import { choice, count, flag, seconds } from './kinds';

/** Settings of the form and delivery of events (§2.5, §6). */
export const DELIVERIES = {
	delivery_format: choice(['json', 'form'], 'json', 'body format of a delivery'),
	event_shape: choice(
		['envelope', 'flat', 'kazoo'],
		'envelope',
		'`envelope` sends `{name, args}` (§6), `flat` sends lowercase fields with `hook_event` and without `Msg-ID`, `Bridge-ID`, and `Answer-State`; `kazoo` is `flat` without `request`, with the headers `X-Hook-ID` and `X-Account-ID`',
	),
	channel_vars: flag(
		false,
		'whether events of the shape `kazoo` have `custom_channel_vars`, with `Bridge-ID` among them',
	),
	custom_data_placement: choice(
		['top', 'args', 'custom_data', 'none'],
		'top',
		'where `custom_data` appears: merged into the top level, merged into `args`, under the key `custom_data`, or nowhere',
	),
	bridge_id_on_create: flag(true, 'whether CHANNEL_CREATE of the inbound leg includes `Bridge-ID`'),
	delivery_timeout_seconds: seconds(10, 'real time that a receiver has to respond'),
	retries_mean: choice(
		['retries', 'tries'],
		'retries',
		'whether `retries` of a webhook counts the attempts after the first one or all attempts; with `tries`, 0 sends nothing',
	),
	retry_on: choice(
		['any', 'connection', 'timeout'],
		'any',
		'which failures to retry: any, only those without a response, or only timeouts and broken connections (no status, no refused connection)',
	),
	retry_interval_seconds: seconds(2, 'real time between two attempts'),
	success_codes: choice(['2xx', '200'], '2xx', 'which responses count as delivered'),
	redirects: choice(
		['fail', 'follow'],
		'fail',
		'whether to follow redirects; a 302 turns a POST into a GET without a body',
	),
	disable_after_failures: count(
		0,
		'failures in a row, or within the window, after which a webhook is disabled; 0 for never',
	),
	disable_window_seconds: seconds(
		0,
		'window for `disable_after_failures`, which then ignores successes in between; 0 counts failures in a row',
	),
	attempt_log: choice(['all', 'failures'], 'all', 'which attempts (§4.4) to keep'),
	attempt_keys: choice(
		['new', 'old', 'kazoo'],
		'new',
		'fields of attempts (§4.4): `old` returns `response_code`, `response_body`, `client_error`, and `retries_left`, without address and body, `kazoo` has `req_body` as a nested list of names, signs, and values',
	),
};
