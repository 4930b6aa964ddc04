import type { Slice } from '../measure';
import { events } from './events';
import { hot } from './hot';

/** The slices, in the order of the page. */
export const SLICES: readonly Slice[] = [events, hot];
