import type { CallEvent } from '../model/types';

/** The fields of `args` (§6) that the flat form has, too. */
const FIELDS = [
	'Call-Direction',
	'Call-ID',
	'Other-Leg-Call-ID',
	'Caller-ID-Number',
	'Caller-ID-Name',
	'Callee-ID-Number',
	'Callee-ID-Name',
	'From',
	'To',
	'Request',
	'Timestamp',
	'Duration-Seconds',
	'Billing-Seconds',
	'Ringing-Seconds',
	'Hangup-Cause',
	'Hangup-Code',
];

/** The keys of Custom-Channel-Vars that the flat form has at its top level. */
const VARS = ['Account-ID', 'Owner-ID', 'Authorizing-ID', 'Reseller-ID', 'Inception'];

const lower = (name: string): string => name.toLowerCase().replaceAll('-', '_');

const picked = (from: Record<string, unknown>, names: string[]): Record<string, unknown> =>
	Object.fromEntries(
		names.filter((name) => from[name] !== undefined).map((name) => [lower(name), from[name]]),
	);

/**
 * Gives an event as live services send it to some receivers: lower-case fields side by side, and
 * nothing that identifies the event but its call and its name.
 */
export function flatEvent({ name, args }: CallEvent): Record<string, unknown> {
	const vars = (args['Custom-Channel-Vars'] ?? {}) as Record<string, unknown>;
	return {
		hook_event: name.toLowerCase(),
		...picked(args, FIELDS),
		...picked(vars, VARS),
		...(vars['Authorizing-ID'] === undefined ? {} : { authorizing_type: 'device' }),
		local_resource_used: 'false',
		call_forwarded: 'false',
	};
}
