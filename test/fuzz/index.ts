import { borderTargets } from './targets/borders';
import { eventTargets } from './targets/events';
import { recordTargets } from './targets/records';
import { routingTargets } from './targets/routing';
import { valueTargets } from './targets/values';

/** Everything that hostile input is thrown at without a network. */
export const TARGETS = [
	...eventTargets,
	...routingTargets,
	...valueTargets,
	...recordTargets,
	...borderTargets,
];
