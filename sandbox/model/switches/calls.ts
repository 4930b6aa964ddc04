import { Type } from '@sinclair/typebox';
import { choice } from './kinds';

/** The legs of a call that can be seen from outside. */
export const SHOWN_LEGS = ['both', 'outbound'] as const;

/** Switches of calls, routing questions and logs (§2.2, §2.3). */
export const CALLS = {
	speed: Type.Number({
		exclusiveMinimum: 0,
		default: 1,
		description: 'time compression of calls that name none: 10 makes 10 seconds last 1',
	}),
	legs: choice(SHOWN_LEGS, 'both', 'which legs of calls that name none leave events and CDRs'),
	pivot_scheme: choice(
		['http', 'https'],
		'http',
		'scheme put before the `webserver` of a voice_url',
	),
	pivot_body: choice(['form', 'json'], 'form', 'body of routing questions sent with POST'),
	log_size: Type.Integer({
		minimum: 1,
		default: 5000,
		description: 'entries kept in each log (requests, deliveries, routing, CRM notes)',
	}),
};
