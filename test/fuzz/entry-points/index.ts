import { responseEntryPoints } from './responses';
import { eventEntryPoints } from './events';
import { recordEntryPoints } from './records';
import { routingEntryPoints } from './routing';
import { textEntryPoints } from './texts';

/** Every entry point for external input. */
export const entryPoints = [
	...eventEntryPoints,
	...routingEntryPoints,
	...responseEntryPoints,
	...recordEntryPoints,
	...textEntryPoints,
];
