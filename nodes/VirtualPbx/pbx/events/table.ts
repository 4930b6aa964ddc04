import type { IDataObject } from 'n8n-workflow';

interface EventRow {
	/** The user's choice, stored in workflows. */
	value: string;
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

const CALL_ID = '4f9a1c3e7b2d4a6f@192.0.2.10';
const OTHER_CALL_ID = '8c2e5d7a9b1f4e3c@192.0.2.10';

/** Fields that each event adds to those all events have, by §6. */
const PARTS: Record<EventValue, { at: number; fields: IDataObject }> = {
	started: {
		at: 0,
		fields: { 'Answer-State': 'ringing', Disposition: 'DELAYED NEGOTIATION' },
	},
	answered: {
		at: 6,
		fields: {
			'Answer-State': 'answered',
			'To-Tag': 'b7Kj2mQ9',
			'Callee-ID-Name': 'Ann Berg',
			'Callee-ID-Number': '101',
			Disposition: 'ANSWER',
		},
	},
	ended: {
		at: 78,
		fields: {
			...endOf('SUCCESS', { ringing: 6, billing: 72 }),
			'Hangup-Code': 'sip:200',
			'Hangup-Cause': 'NORMAL_CLEARING',
		},
	},
	missed: {
		at: 20,
		fields: {
			...endOf('failure', { ringing: 20, billing: 0 }),
			'Hangup-Code': 'sip:487',
			'Hangup-Cause': 'ORIGINATOR_CANCEL',
		},
	},
};

/** Builds a sample event: the first leg of an inbound call (§6) that began at a time in Gregorian seconds. */
export function sampleOf(
	value: EventValue,
	startedAt: number,
): { name: string; args: IDataObject } {
	const { at, fields } = PARTS[value];
	const name = EVENTS.find((row) => row.value === value)?.eventName ?? '';
	const args: IDataObject = {
		'Switch-URI': 'sip:192.0.2.10:11000',
		'Switch-URL': 'sip:mod_sofia@192.0.2.10:11000',
		'From-Tag': 'a1Xc5Zp0',
		'Custom-SIP-Headers': { 'X-AUTH-IP': '203.0.113.5' },
		'Caller-ID-Name': 'Olga Stein',
		'Caller-ID-Number': '12125550123',
		'Media-Server': 'mediaserver@192.0.2.10',
		'Presence-ID': '12125550100@company.example',
		Request: '12125550100@company.example',
		From: '12125550123@company.example',
		To: '12125550100@company.example',
		'From-Uri': 'sip:12125550123@company.example',
		'To-Uri': 'sip:12125550100@company.example',
		'Call-Direction': 'inbound',
		Timestamp: startedAt + at,
		'Custom-Channel-Vars': {
			'Account-ID': '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
			'Bridge-ID': CALL_ID,
		},
		'Call-ID': CALL_ID,
		Node: 'callmgr@pbx.example',
		'Msg-ID': `sample-${value}-${startedAt}`,
		'App-Version': '4.0.0',
		'App-Name': 'callmgr',
		'Event-Name': name,
		'Event-Category': 'call_event',
		...fields,
	};
	return { name, args };
}

function endOf(disposition: string, seconds: { ringing: number; billing: number }): IDataObject {
	return {
		'Answer-State': 'hangup',
		'To-Tag': 'b7Kj2mQ9',
		'Callee-ID-Name': 'Ann Berg',
		'Callee-ID-Number': '101',
		Disposition: disposition,
		'Other-Leg-Call-ID': OTHER_CALL_ID,
		'Other-Leg-Destination-Number': '101',
		'Other-Leg-Caller-ID-Number': '12125550123',
		'Other-Leg-Caller-ID-Name': 'Olga Stein',
		'Other-Leg-Direction': 'outbound',
		'Ringing-Seconds': String(seconds.ringing),
		'Billing-Seconds': String(seconds.billing),
		'Duration-Seconds': String(seconds.ringing + seconds.billing),
		'Remote-SDP': 'v=0\r\no=- 1 1 IN IP4 203.0.113.5\r\ns=call\r\n',
		'User-Agent': 'Carrier SBC',
	};
}

/**
 * Builds sample events as the PBX would send them, with the custom data of their webhooks (§2.5). The last one of a call
 * is at `now`, in Gregorian seconds.
 */
export function sampleEvents(
	values: readonly EventValue[],
	now: number,
	customData: IDataObject,
): IDataObject[] {
	const startedAt = now - PARTS.ended.at;
	return values.map((value) => ({ ...sampleOf(value, startedAt), custom_data: customData }));
}

/** The names of all fields in §6: an ended call has every one. */
export const SAMPLE_FIELDS: readonly string[] = Object.keys(sampleOf('ended', 0).args);
