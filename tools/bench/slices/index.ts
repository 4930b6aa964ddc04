import type { Slice } from '../measure';
import { calls, cdrs } from './cdrs';
import { check } from './check';
import { event } from './event';
import { events } from './events';
import { reads } from './reads';
import { recording } from './recording';
import { routing } from './routing';

/** The slices, in the order of the page. */
export const SLICES: readonly Slice[] = [
	events,
	event,
	check,
	routing,
	reads,
	cdrs,
	calls,
	recording,
];
