import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { fieldsOf, type FieldHelp } from './fields';
import { omit } from './omit';
import { PROFILES } from './profiles';
import { CALLS } from './switches/calls';
import { DELIVERIES } from './switches/deliveries';
import { RECORDS } from './switches/records';
import { REQUESTS } from './switches/requests';

/** Every switch of the sandbox: what the contract leaves open, chosen here, as `sandbox settings --help` shows it. */
export const settingsSchema = Type.Object(
	{ ...REQUESTS, ...CALLS, ...DELIVERIES, ...RECORDS },
	{ additionalProperties: false },
);

export type Settings = Static<typeof settingsSchema>;

const profiles: Record<Settings['profile'], Partial<Settings>> = PROFILES;

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

/** Each switch with its name, default and meaning. */
export const settingRows = (): FieldHelp[] => fieldsOf(settingsSchema);

/**
 * Gives the settings of the profile that is named (else of the contract), changed by those named.
 * Throws a sentence naming the setting when a value is not allowed.
 */
export function makeSettings(changes: Partial<Settings> = {}): Settings {
	const { profile = 'contract' } = changes;
	const settings = { ...Value.Create(settingsSchema), ...profiles[profile], ...changes };
	const wrong = Value.Errors(settingsSchema, settings).First();
	if (wrong) throw new Error(`Setting ${wrong.path.slice(1)}: ${wrong.message}`);
	return settings;
}
