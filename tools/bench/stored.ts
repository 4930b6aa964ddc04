import type { Slice } from './measure';
import type { Section } from './page';
import { readResult } from './results';

/** The slices that have a stored run, with it. */
export function sectionsOf(slices: readonly Slice[]): Section[] {
	return slices.flatMap((slice) => {
		const result = readResult(slice.name);
		return result ? [{ slice, result }] : [];
	});
}
