import { Type } from '@sinclair/typebox';
import { choice, count, flag, seconds } from './kinds';

/** Switches of what events look like and how they are delivered (§2.5, §6). */
export const DELIVERIES = {
	delivery_format: choice(['json', 'form'], 'json', 'body of a delivery'),
	event_shape: choice(
		['envelope', 'args'],
		'envelope',
		'`envelope` sends `{name, args}` (§6), `args` the bare args',
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
	retry_on: choice(['any', 'connection'], 'any', 'retry any failure, or only failed connections'),
	retry_interval_seconds: seconds(2, 'real time between two tries'),
	success_codes: choice(['2xx', '200'], '2xx', 'which answers count as delivered'),
	disable_after_failures: count(
		0,
		'a webhook is disabled after so many failures in a row; 0 never',
	),
};
