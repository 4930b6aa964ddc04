import { Type } from '@sinclair/typebox';
import { oneOf } from '../one-of';

/** A setting that is one of a few texts. */
export const choice = <const T extends string>(
	values: readonly T[],
	fallback: T,
	description: string,
) => oneOf(values, { default: fallback, description });

/** A setting in seconds. */
export const seconds = (fallback: number, description: string) =>
	Type.Number({ minimum: 0, default: fallback, description });

/** A setting that is a whole number. */
export const count = (fallback: number, description: string) =>
	Type.Integer({ minimum: 0, default: fallback, description });

/** A setting that is on or off. */
export const flag = (fallback: boolean, description: string) =>
	Type.Boolean({ default: fallback, description });
