import { Type } from '@sinclair/typebox';
import { choice } from './kinds';

/** The legs of a call that are visible from outside. */
export const SHOWN_LEGS = ['both', 'outbound'] as const;

/** Settings of calls, routing requests, and logs (§2.2, §2.3). */
export const CALLS = {
	speed: Type.Number({
		exclusiveMinimum: 0,
		default: 1,
		description:
			'how many times faster calls run, unless a call sets its own: with 10, ten seconds take one',
	}),
	legs: choice(
		SHOWN_LEGS,
		'both',
		'which legs produce events and CDRs, unless a call sets its own',
	),
	pivot_answers: choice(
		['contract', 'kazoo', 'stock'],
		'contract',
		'how to handle routing answers: with `contract`, an invalid answer (§2.3) continues at the child; `kazoo` hangs up on a 200 without JSON and waits 10 s after a refused connection; like `kazoo`, `stock` expects `{module, data, children}` instead of `operations`',
	),
	log_size: Type.Integer({
		minimum: 1,
		default: 5000,
		description:
			'entries to keep in each log (requests, deliveries, routing, CRM notes), fixed at the start',
	}),
};
