import type { LocatorKind } from './locator';
import { locatorField, readLocator } from './locator';
import type { Reading } from './refusal';

const CALLFLOW: LocatorKind = {
	displayName: 'Callflow',
	name: 'callflowId',
	description: 'Callflow to work with',
	search: 'searchCallflows',
};

/** The callflow to work with: from the list, or by ID (§2.2). */
export const callflowLocator = locatorField(CALLFLOW);

/** Reads the callflow's ID; throws NodeOperationError when it is empty. */
export function readCallflowId(at: Reading): string {
	return readLocator(at, CALLFLOW);
}
