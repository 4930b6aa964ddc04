import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { fieldsOf, type FieldHelp } from './fields';
import { omit } from './omit';
import { PROFILES } from './profiles';
import { CALLS } from './switches/calls';
import { DELIVERIES } from './switches/deliveries';
import { RECORDS } from './switches/records';
import { REQUESTS } from './switches/requests';

/** Every setting of the sandbox: what the contract leaves open. Shown by `sandbox settings --help`. */
export const settingsSchema = Type.Object(
	{ ...REQUESTS, ...CALLS, ...DELIVERIES, ...RECORDS },
	{ additionalProperties: false },
);

export type Settings = Static<typeof settingsSchema>;

const profiles: Record<Settings['profile'], Partial<Settings>> = PROFILES;

/** A change of settings. It has no defaults, so missing settings stay unchanged. */
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

/** Lists each setting with its name, default, and meaning. */
export const settingRows = (): FieldHelp[] => fieldsOf(settingsSchema);

/**
 * Returns the settings of the named profile (else of the contract), with the changes applied. Throws if a
 * value isn't allowed, with the setting's name.
 */
export function makeSettings(changes: Partial<Settings> = {}): Settings {
	const { profile = 'contract' } = changes;
	const settings = { ...Value.Create(settingsSchema), ...profiles[profile], ...changes };
	const wrong = Value.Errors(settingsSchema, settings).First();
	if (wrong) throw new Error(`Setting ${wrong.path.slice(1)}: ${wrong.message}`);
	return settings;
}
