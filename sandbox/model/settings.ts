import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { omit } from './omit';
import { oneOf } from './one-of';

const choice = <const T extends string>(values: readonly T[], fallback: T, description: string) =>
	oneOf(values, { default: fallback, description });

const seconds = (fallback: number, description: string) =>
	Type.Number({ minimum: 0, default: fallback, description });

const count = (fallback: number, description: string) =>
	Type.Integer({ minimum: 0, default: fallback, description });

const flag = (fallback: boolean, description: string) =>
	Type.Boolean({ default: fallback, description });

const text = (fallback: string, description: string) =>
	Type.String({ default: fallback, description });

/** Every switch of the sandbox: what the contract leaves open, chosen here. The docs are made from it. */
export const settingsSchema = Type.Object(
	{
		platform: Type.String({
			pattern: '^[a-z0-9_-]+$',
			default: 'pbx',
			description: 'path segment after `/v1/`',
		}),
		token_lifetime_seconds: seconds(3600, 'a token older than this is answered with 401'),
		speed: Type.Number({
			exclusiveMinimum: 0,
			default: 1,
			description: 'time compression of calls that name none: 10 makes 10 seconds last 1',
		}),
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
		webhook_list: choice(
			['full', 'without_uri', 'brief'],
			'full',
			'items of the webhook list: whole, without `uri`, or only id, name, hook, uri and enabled',
		),
		filter_numbers: choice(
			['any', 'sole', 'ignored'],
			'any',
			'`filter_numbers` finds callflows with the number among others, with only that number, or has no effect',
		),
		page_size: count(0, 'lists are cut into pages with `next_start_key`; 0 gives whole lists'),
		cdr_number_filter: choice(
			['either', 'exact'],
			'either',
			'number filters on CDRs match the SIP URI or its user part, or only the whole SIP URI',
		),
		cdr_max_range_seconds: count(0, 'longer ranges are answered with 400; 0 for no limit'),
		cdr_delay_seconds: seconds(0, 'call time from the end of a leg until its CDR can be read'),
		record_calls: flag(true, 'whether answered calls are recorded'),
		recording_delay_seconds: seconds(
			3,
			'call time from the end of a call until its recording is there',
		),
		recording_in_cdr: choice(
			['at_once', 'when_ready'],
			'at_once',
			'whether a CDR names its recording before it can be fetched',
		),
		recording_link: text('', 'start of REC_LINK; empty for this server'),
		pivot_scheme: choice(
			['http', 'https'],
			'http',
			'scheme put before the `webserver` of a voice_url',
		),
		pivot_body: choice(['form', 'json'], 'form', 'body of routing questions sent with POST'),
		log_size: Type.Integer({
			minimum: 1,
			default: 5000,
			description: 'entries kept in each log (requests, deliveries, routing)',
		}),
	},
	{ additionalProperties: false },
);

export type Settings = Static<typeof settingsSchema>;

/** Some of the switches. It has no defaults: what a change does not name stays as it is. */
export const settingsPatchSchema = Type.Unsafe<Partial<Settings>>(
	Type.Object(
		Object.fromEntries(
			Object.entries<TSchema>(settingsSchema.properties).map(([name, schema]) => [
				name,
				Type.Optional(Type.Unsafe(omit(schema, 'default'))),
			]),
		),
		{ additionalProperties: false },
	),
);

/** One line per switch for the docs: its name, default and meaning. */
export const settingRows = (): Array<{ name: string; fallback: string; description: string }> =>
	Object.entries<TSchema>(settingsSchema.properties).map(([name, schema]) => ({
		name,
		fallback: JSON.stringify(schema.default),
		description: String(schema.description),
	}));

/**
 * Gives the default settings, changed by those named.
 * Throws a sentence naming the setting when a value is not allowed.
 */
export function makeSettings(changes: Partial<Settings> = {}): Settings {
	const settings = { ...Value.Create(settingsSchema), ...changes };
	const wrong = Value.Errors(settingsSchema, settings).First();
	if (wrong) throw new Error(`Setting ${wrong.path.slice(1)}: ${wrong.message}`);
	return settings;
}
