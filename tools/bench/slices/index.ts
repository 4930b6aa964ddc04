import type { Slice } from '../measure';
import { cdrs } from './cdrs';
import { events } from './events';
import { hot } from './hot';
import { reads } from './reads';
import { routing } from './routing';

/** The slices, in the order of the page. */
export const SLICES: readonly Slice[] = [events, reads, cdrs, routing, hot];
