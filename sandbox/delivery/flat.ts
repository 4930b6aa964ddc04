import { MARKS, type CallEvent, type Mark } from '../model/types';

/** The fields of `args` (§6) that the flat form keeps. */
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

/** The keys of Custom-Channel-Vars that move to the top level in the flat form. */
const VARS = ['Account-ID', 'Owner-ID', 'Authorizing-ID', 'Reseller-ID', 'Inception'];

const lower = (name: string): string => name.toLowerCase().replaceAll('-', '_');

const picked = (from: Record<string, unknown>, names: string[]): Record<string, unknown> =>
	Object.fromEntries(
		names.filter((name) => from[name] !== undefined).map((name) => [lower(name), from[name]]),
	);

/** Fields of the flat form that a stock Kazoo doesn't send. */
const NOT_STOCK = ['Request', 'Inception'];
/** Fields that a stock Kazoo sends only for legs to phones. */
const OF_CALLEE = ['Callee-ID-Number', 'Callee-ID-Name'];

const without = (names: string[], dropped: string[]): string[] =>
	names.filter((name) => !dropped.includes(name));

/** Returns the marks of a leg as text: the named ones always, the others only if set. */
function marked({ marks }: CallEvent, ...always: Mark[]): Record<string, string> {
	const shown = MARKS.filter((name) => marks?.[name] === true || always.includes(name));
	return Object.fromEntries(shown.map((name) => [name, String(marks?.[name] ?? false)]));
}

/** Returns an event as a stock Kazoo sends it, with channel variables only if allowed. */
export function stockEvent(event: CallEvent, hasVars: boolean): Record<string, unknown> {
	const { name, args } = event;
	const vars = (args['Custom-Channel-Vars'] ?? {}) as Record<string, unknown>;
	const isInbound = args['Call-Direction'] === 'inbound';
	const dropped = isInbound ? [...NOT_STOCK, ...OF_CALLEE] : NOT_STOCK;
	const isDevice = vars['Authorizing-ID'] !== undefined;
	const type = isDevice ? 'device' : 'resource';
	return {
		...picked(args, without(FIELDS, dropped)),
		...picked(vars, without(VARS, dropped)),
		...(isDevice || isInbound ? { authorizing_type: type } : {}),
		...(hasVars ? { custom_channel_vars: { ...vars, 'Authorizing-Type': type } } : {}),
		reseller_id: vars['Account-ID'],
		...marked(event, 'emergency_resource_used', 'is_internal_leg'),
		...{ local_resource_used: String(!isInbound), cluster_id: 'sandbox' },
		hook_event: name.toLowerCase(),
	};
}

/**
 * Returns an event as live services send it to some receivers: flat, in lower case, and identified
 * only by its call and name.
 */
export function flatEvent(event: CallEvent): Record<string, unknown> {
	const { name, args } = event;
	const vars = (args['Custom-Channel-Vars'] ?? {}) as Record<string, unknown>;
	return {
		hook_event: name.toLowerCase(),
		...picked(args, FIELDS),
		...picked(vars, VARS),
		...(vars['Authorizing-ID'] === undefined ? {} : { authorizing_type: 'device' }),
		local_resource_used: 'false',
		...marked(event, 'call_forwarded'),
	};
}
