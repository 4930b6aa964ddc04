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

/** What a webhook can be for (§2.5): all that the sandbox knows of its events is made of this list. */
export const HOOKS = ['channel_create', 'channel_answer', 'channel_destroy'] as const;

export type HookName = (typeof HOOKS)[number];

/** What a webhook can be for on a stock Kazoo, beside: every event. */
export const ALL_HOOKS = 'all';

/** An event's name in deliveries (§6). */
export type EventName = Uppercase<HookName>;

/** An event before it is put into words: `{name, args}` (§6). */
export interface CallEvent {
	name: string;
	args: Record<string, unknown>;
}

/** A webhook (§2.5), with the health that the platform keeps beside it. */
export interface Webhook {
	id: string;
	name: string;
	uri: string;
	http_verb: 'post' | 'put' | 'get';
	hook: HookName | typeof ALL_HOOKS;
	retries: number;
	/** Where it is `json`, deliveries are JSON whatever the setting says. */
	format?: string;
	custom_data?: Record<string, unknown>;
	enabled: boolean;
	disable_reason?: string;
}

export type Strategy = 'simultaneous' | 'single';

/** How an employee wants to be rung when a step does not say (§2.3 rule 2). */
export interface RingSettings {
	timeout: number;
	delay: number;
	strategy: Strategy;
}

export interface Device {
	id: string;
	name: string;
	username: string;
	userAgent: string;
	ownerId: string;
}

export interface User {
	id: string;
	extension: string;
	name: string;
	ring: RingSettings;
	devices: Device[];
	/** Whether the employee has a mailbox. */
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

/** What a stock Kazoo keeps of a leg beside its CDR. */
export interface LegFacts {
	call_id: string;
	other_leg_call_id: string;
	caller: { number: string; name: string };
	callee: { number: string; name: string };
	from: string;
	to: string;
	owner_id: string;
	authorizing_id: string;
	duration_seconds: number;
}

/** A person of the little CRM that the example workflows ask. */
export interface Contact {
	number: string;
	name: string;
	company: string;
	manager_extension: string;
}
