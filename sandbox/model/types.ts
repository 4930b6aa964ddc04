/** A node of a callflow tree (§2.2). */
export interface FlowNode {
	module: string;
	data: Record<string, unknown>;
	children: Record<string, FlowNode>;
	stick_node?: boolean;
}

/** A routing scenario (§2.2). */
export interface Callflow {
	id: string;
	name: string;
	numbers: string[];
	patterns: string[];
	featurecode: boolean;
	fakenumber?: boolean;
	flow: FlowNode;
}

/** The hooks of §2.5. All other lists of events derive from this one. */
export const HOOKS = ['channel_create', 'channel_answer', 'channel_destroy'] as const;

export type HookName = (typeof HOOKS)[number];

/** A stock Kazoo's additional hook: every event. */
export const ALL_HOOKS = 'all';

/** An event's name in deliveries (§6). */
export type EventName = Uppercase<HookName>;

/** Fields of a leg that only the flat forms of events have. */
export const MARKS = ['emergency_resource_used', 'is_internal_leg', 'call_forwarded'] as const;

export type Mark = (typeof MARKS)[number];

/** An event before it is encoded: `{name, args}` (§6). */
export interface CallEvent {
	name: string;
	args: Record<string, unknown>;
	marks: Record<Mark, boolean>;
}

/** A webhook (§2.5), with its health as the platform stores it. */
export interface Webhook {
	id: string;
	name: string;
	uri: string;
	http_verb: 'post' | 'put' | 'get';
	hook: HookName | typeof ALL_HOOKS;
	retries: number;
	/** With `json`, deliveries are JSON regardless of the settings. */
	format?: string;
	custom_data?: Record<string, unknown>;
	enabled: boolean;
	disable_reason?: string;
}

export type Strategy = 'simultaneous' | 'single';

export interface Device {
	id: string;
	name: string;
	username: string;
	ownerId: string;
	enabled: boolean;
	/** Whether the phone is registered, so that it can ring. */
	connected: boolean;
}

export interface User {
	id: string;
	extension: string;
	/** The extension in the list of users, if any. */
	presenceId: string;
	name: string;
	email: string;
	/** How to ring the employee if a step doesn't say (§2.3 rule 2). */
	ring: { timeout: number; delay: number; strategy: Strategy };
	devices: Device[];
	mailbox: boolean;
}

/** A call detail record: one per leg, every value a string (§2.4). */
export interface Cdr {
	CALL_DIRECTION: string;
	BRIDGE_ID: string;
	CALLEE_ID_NUMBER: string;
	CALLER_ID_NUMBER: string;
	TIMESTAMP: string;
	BILLING_SECONDS: string;
	HANGUP_CAUSE: string;
	ACCOUNT_ID: string;
	REC_FILE: string;
	REC_LINK: string;
}
