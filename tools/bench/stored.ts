import type { Slice } from './measure';
import type { Section } from './page';
import { readResult } from './results';
import type { Run } from './sizing';

/** The slices that have a stored run, with it. */
export function sectionsOf(slices: readonly Slice[]): Section[] {
	return slices.flatMap((slice) => {
		const result = readResult(slice.name);
		return result ? [{ slice, result }] : [];
	});
}

/** The stored runs of queue mode, for the numbers of processes that it takes. */
export function storedRuns(): Run[] {
	const engines = { queue: "n8n's default engine", 'queue-legacy': 'N8N_EXPRESSION_ENGINE=legacy' };
	return Object.entries(engines).flatMap(([name, engine]) => {
		const result = readResult(name);
		return result ? [{ engine, claims: result.claims }] : [];
	});
}
