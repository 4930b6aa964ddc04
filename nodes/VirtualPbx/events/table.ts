/** A call event as users choose it; the values are stored in workflows. */
export type EventValue = 'answered' | 'ended' | 'missed' | 'started';

/** The `hook` of a webhook (§2.5). */
export type PbxHook = 'channel_create' | 'channel_answer' | 'channel_destroy';

/** One row of the event table. */
export interface EventRow {
	value: EventValue;
	/** In the editor. */
	name: string;
	description: string;
	/** The webhook that delivers it (§6). */
	hook: PbxHook;
	/** The event's name in deliveries (§6). */
	eventName: string;
}

/** Every event that the trigger knows, in alphabetical order: the one place that names them. */
export const EVENTS: readonly EventRow[] = [
	{
		value: 'answered',
		name: 'Call Answered',
		description: 'A party picks up',
		hook: 'channel_answer',
		eventName: 'CHANNEL_ANSWER',
	},
	{
		value: 'ended',
		name: 'Call Ended',
		description: 'A call is over, answered or not',
		hook: 'channel_destroy',
		eventName: 'CHANNEL_DESTROY',
	},
	{
		value: 'missed',
		name: 'Call Missed',
		description: 'A call from outside is over and nobody answered it',
		hook: 'channel_destroy',
		eventName: 'CHANNEL_DESTROY',
	},
	{
		value: 'started',
		name: 'Call Started',
		description: 'A new call rings',
		hook: 'channel_create',
		eventName: 'CHANNEL_CREATE',
	},
];

/** The hooks that deliver the chosen events, each once: Call Ended and Call Missed share one. */
export function hooksOf(events: readonly EventValue[]): PbxHook[] {
	const rows = EVENTS.filter(({ value }) => events.includes(value));
	return [...new Set(rows.map(({ hook }) => hook))];
}

const HOOKS = new Map(EVENTS.map(({ eventName, hook }) => [eventName, hook]));

/** The hook of an event's name, in either case (`CHANNEL_CREATE`, `channel_create`); undefined for any other text. */
export function hookOfName(name: string): PbxHook | undefined {
	return (
		HOOKS.get(name) ??
		HOOKS.get(
			name
				.trim()
				.toUpperCase()
				.replace(/[\s-]+/g, '_'),
		)
	);
}
