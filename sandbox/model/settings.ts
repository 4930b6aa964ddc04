import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { oneOf } from './schema';

export const SHOWN_LEGS = ['both', 'outbound'] as const;

const choice = <const T extends string>(values: readonly T[], fallback: T, description: string) =>
	oneOf(values, { default: fallback, description });
const seconds = (fallback: number, description: string) =>
	Type.Number({ minimum: 0, default: fallback, description });
const count = (description: string) => Type.Integer({ minimum: 0, default: 0, description });
const flag = (description: string) => Type.Boolean({ default: false, description });

/** Every setting of the sandbox, shown by `sandbox settings --help`. The rest is up to the profile. */
export const settingsSchema = Type.Object(
	{
		profile: choice(
			['contract', 'field', 'kazoo'],
			'contract',
			'which PBX the sandbox is: the one of the contract, a live service, or a stock Kazoo; also sets the defaults of some other settings',
		),
		platform: Type.String({
			pattern: '^[a-z0-9_-]+$',
			default: 'pbx',
			description: 'path segment after `/v1/`',
		}),
		speed: Type.Number({
			exclusiveMinimum: 0,
			default: 1,
			description:
				'how many times faster calls run, unless a call sets its own: with 10, ten seconds take one',
		}),
		legs: choice(
			SHOWN_LEGS,
			'both',
			'which legs produce events and CDRs, unless a call sets its own',
		),
		click_to_call: flag(
			'whether there are users and devices, and calls from them, which the contract doesn’t have: GET `users`, `devices`, one of them by ID, and its `quickcall/{number}`, which a stock Kazoo also has as POST',
		),
		page_size: count('entries per page of a list, with `next_start_key`; 0 for whole lists'),
		voice_urls: choice(
			['dflow', 'http'],
			'dflow',
			'form of `voice_url` (§2.2): `{dflow}&...`, or an address',
		),
		local_addresses: choice(
			['accept', 'refuse'],
			'accept',
			'whether webhooks and pivots can use `127.0.0.1` or `localhost`',
		),
		custom_data_placement: choice(
			['top', 'args', 'custom_data', 'none'],
			'top',
			'where `custom_data` appears: merged into the top level, merged into `args`, under the key `custom_data`, or nowhere',
		),
		channel_vars: flag(
			'whether events of a stock Kazoo have `custom_channel_vars`, with `Bridge-ID` among them',
		),
		delivery_timeout_seconds: seconds(10, 'real time that a receiver has to respond'),
		retry_interval_seconds: seconds(2, 'real time between two attempts'),
		disable_after_failures: count(
			'failures within 60 s after which a webhook is disabled, 0 for never',
		),
		recording_delay_seconds: seconds(
			3,
			'call time from the end of a call until its recording is available',
		),
	},
	{ additionalProperties: false },
);

export type Settings = Static<typeof settingsSchema>;

const LIVE = { click_to_call: true, page_size: 50, disable_after_failures: 6 } as const;

/** Each profile's changes to the default settings. */
export const PROFILES: Record<Settings['profile'], Partial<Settings>> = {
	contract: {},
	field: { ...LIVE, legs: 'outbound' },
	kazoo: { ...LIVE, voice_urls: 'http', local_addresses: 'refuse' },
};

/** A setting that doesn't exist, or a value that isn't allowed. */
export class SettingError extends Error {}

/**
 * Returns the settings of the named profile (else of the contract), with the changes applied. Throws a
 * SettingError with the setting's name.
 */
export function makeSettings(changes: Partial<Settings> = {}): Settings {
	const { profile = 'contract' } = changes;
	const settings = { ...Value.Create(settingsSchema), ...PROFILES[profile], ...changes };
	const wrong = Value.Errors(settingsSchema, settings).First();
	if (wrong) throw new SettingError(`Setting ${wrong.path.slice(1)}: ${wrong.message}`);
	return settings;
}
