/** Longest range of a CDR list in the field. */
const DAYS_31 = 31 * 24 * 3600;
/** Longest range of a CDR list on a stock Kazoo. */
const KAZOO_RANGE = 2_682_000;

/** Each profile's changes to the default settings. */
export const PROFILES = {
	contract: {},
	field: {
		error_body: 'full',
		extra_fields: 'keep',
		click_to_call: true,
		page_size: 50,
		legs: 'outbound',
		delivery_format: 'form',
		event_shape: 'flat',
		retries_mean: 'tries',
		retry_on: 'timeout',
		success_codes: '200',
		disable_after_failures: 6,
		disable_window_seconds: 60,
		attempt_keys: 'old',
		cdr_numbers: 'named',
		cdr_number_filter: 'exact',
		cdr_max_range_seconds: DAYS_31,
		recording_name: 'dated',
		recording_path: 'recorded',
	},
	kazoo: {
		answers: 'kazoo',
		click_to_call: true,
		checks: 'kazoo',
		numbers: 'plus',
		voice_urls: 'http',
		local_addresses: 'refuse',
		webhook_list: 'brief',
		extra_fields: 'keep',
		page_size: 50,
		pivot_answers: 'stock',
		delivery_format: 'form',
		event_shape: 'kazoo',
		retries_mean: 'tries',
		retry_on: 'connection',
		success_codes: '200',
		redirects: 'follow',
		disable_after_failures: 6,
		disable_window_seconds: 60,
		attempt_log: 'failures',
		attempt_keys: 'kazoo',
		cdr_form: 'kazoo',
		cdr_max_range_seconds: KAZOO_RANGE,
	},
} as const;
