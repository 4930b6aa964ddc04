import type { TObject, TSchema } from '@sinclair/typebox';

/** What people read of a field of a schema. */
export interface FieldHelp {
	name: string;
	/** Its default as JSON; missing where it has none. */
	fallback: string | undefined;
	description: string;
}

/** Each field of a schema with its name, default and meaning. */
export const fieldsOf = ({ properties }: TObject): FieldHelp[] =>
	Object.entries<TSchema>(properties).map(([name, schema]) => ({
		name,
		fallback: schema.default === undefined ? undefined : JSON.stringify(schema.default),
		description: String(schema.description),
	}));
