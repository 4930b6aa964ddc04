interface EventRow {
	/** The user's choice, stored in workflows. */
	value: string;
	/** The name in the editor. */
	name: string;
	description: string;
	/** The `hook` of the webhook that delivers it (§2.5). */
	hook: string;
	/** The event's name in deliveries (§6). */
	eventName: string;
	/** The `Answer-State` of its leg (§3), which the flat form omits. */
	state: string;
}

/** All events that the trigger knows, in alphabetical order. The only place that names them. */
export const EVENTS = [
	{
		value: 'answered',
		name: 'Call Answered',
		description: 'Someone answers the call',
		hook: 'channel_answer',
		eventName: 'CHANNEL_ANSWER',
		state: 'answered',
	},
	{
		value: 'ended',
		name: 'Call Ended',
		description: 'A call is over, answered or not',
		hook: 'channel_destroy',
		eventName: 'CHANNEL_DESTROY',
		state: 'hangup',
	},
	{
		value: 'missed',
		name: 'Call Missed',
		description: 'An incoming call is over, and no person answered it',
		hook: 'channel_destroy',
		eventName: 'CHANNEL_DESTROY',
		state: 'hangup',
	},
	{
		value: 'started',
		name: 'Call Started',
		description: 'A new call starts ringing',
		hook: 'channel_create',
		eventName: 'CHANNEL_CREATE',
		state: 'ringing',
	},
] as const satisfies readonly EventRow[];

/** A call event that users can choose. */
export type EventValue = (typeof EVENTS)[number]['value'];

/** The `hook` of a webhook (§2.5). */
export type PbxHook = (typeof EVENTS)[number]['hook'];

/** One row per hook: Call Missed shares the hook of Call Ended. */
export const HOOKS = EVENTS.filter(
	({ hook }, index) => EVENTS.findIndex((row) => row.hook === hook) === index,
);

/** Returns the hooks that deliver the chosen events, each once: Call Ended and Call Missed share one. */
export function pbxHooksFor(events: readonly EventValue[]): PbxHook[] {
	const rows = EVENTS.filter(({ value }) => events.includes(value));
	return [...new Set(rows.map(({ hook }) => hook))];
}

/** Returns the editor's name for a hook's event; undefined for a hook without one. */
export function nameOfHook(hook: PbxHook | undefined): string | undefined {
	return EVENTS.find((row) => row.hook === hook)?.name;
}

/** Returns the `Answer-State` (§3) that a hook's event implies. */
export function stateOfHook(hook: PbxHook): string | undefined {
	return HOOKS.find((row) => row.hook === hook)?.state;
}

/**
 * Returns the hook for an event's name, in either case (`CHANNEL_CREATE`, `channel_create`); undefined for any other
 * text.
 */
export function hookOfName(name: string): PbxHook | undefined {
	const plain = name
		.trim()
		.toUpperCase()
		.replace(/[\s-]+/g, '_');
	return HOOKS.find(({ eventName }) => eventName === plain)?.hook;
}
