import { Kind, Type, TypeRegistry } from '@sinclair/typebox';
import type { SchemaOptions, TObject, TSchema, TUnsafe } from '@sinclair/typebox';

const KIND = 'OneOf';

TypeRegistry.Set<{ enum: readonly unknown[] }>(KIND, (schema, value) =>
	schema.enum.includes(value),
);

/** Builds a schema for one of a few texts. Unlike TypeBox's own union, its errors list them. */
export const oneOf = <const T extends string>(
	values: readonly T[],
	options: SchemaOptions = {},
): TUnsafe<T> => Type.Unsafe<T>({ ...options, [Kind]: KIND, type: 'string', enum: values });

/** Lists the fields of a schema with their names, types, defaults as JSON, and meanings. */
export const fieldsOf = ({ properties }: TObject) =>
	Object.entries<TSchema>(properties).map(([name, schema]) => ({
		name,
		type: schema.type as unknown,
		fallback: schema.default === undefined ? undefined : JSON.stringify(schema.default),
		description: String(schema.description),
	}));
