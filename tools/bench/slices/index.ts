import type { Slice } from '../measure';
import { cdrs } from './cdrs';
import { events } from './events';
import { reads } from './reads';
import { recording } from './recording';
import { routing } from './routing';

/** The slices, in the order of the page. */
export const SLICES: readonly Slice[] = [events, routing, reads, cdrs, recording];
