import { Kind, Type, TypeRegistry, type SchemaOptions, type TUnsafe } from '@sinclair/typebox';

const KIND = 'OneOf';

TypeRegistry.Set<{ enum: readonly unknown[] }>(KIND, (schema, value) =>
	schema.enum.includes(value),
);

/** Schema of a text that is one of a few; errors name them (TypeBox's own union names none). */
export const oneOf = <const T extends string>(
	values: readonly T[],
	options: SchemaOptions = {},
): TUnsafe<T> => Type.Unsafe<T>({ ...options, [Kind]: KIND, type: 'string', enum: values });
