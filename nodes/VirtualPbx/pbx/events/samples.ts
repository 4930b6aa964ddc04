import type { IDataObject } from 'n8n-workflow';

import type { EventValue } from './table';
import { EVENTS } from './table';

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
		'Caller-ID-Number': '74951234567',
		'Media-Server': 'mediaserver@192.0.2.10',
		'Presence-ID': '74950000100@company.example',
		Request: '74950000100@company.example',
		From: '74951234567@company.example',
		To: '74950000100@company.example',
		'From-Uri': 'sip:74951234567@company.example',
		'To-Uri': 'sip:74950000100@company.example',
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
		'Other-Leg-Caller-ID-Number': '74951234567',
		'Other-Leg-Caller-ID-Name': 'Olga Stein',
		'Other-Leg-Direction': 'outbound',
		'Ringing-Seconds': String(seconds.ringing),
		'Billing-Seconds': String(seconds.billing),
		'Duration-Seconds': String(seconds.ringing + seconds.billing),
		'Remote-SDP': 'v=0\r\no=- 1 1 IN IP4 203.0.113.5\r\ns=call\r\n',
		'User-Agent': 'Carrier SBC',
	};
}

/** Builds sample events as the PBX would send them, with the custom data of their webhooks (§2.5). */
export function sampleEvents(
	values: readonly EventValue[],
	startedAt: number,
	customData: IDataObject,
): IDataObject[] {
	return values.map((value) => ({ ...sampleOf(value, startedAt), custom_data: customData }));
}

/** The names of all fields in §6: an ended call has every one. */
export const SAMPLE_FIELDS: readonly string[] = Object.keys(sampleOf('ended', 0).args);
