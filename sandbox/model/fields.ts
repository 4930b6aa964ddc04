import type { TObject, TSchema } from '@sinclair/typebox';

/** A schema field's documentation. */
export interface FieldHelp {
	name: string;
	/** Its default as JSON. Missing if it has none. */
	fallback?: string | undefined;
	description: string;
}

/** Lists the fields of a schema with their names, defaults, and meanings. */
export const fieldsOf = ({ properties }: TObject): FieldHelp[] =>
	Object.entries<TSchema>(properties).map(([name, schema]) => ({
		name,
		fallback: schema.default === undefined ? undefined : JSON.stringify(schema.default),
		description: String(schema.description),
	}));
