import type { IDataObject } from 'n8n-workflow';
import { PBX_URL } from './pbx';

/** The Unix epoch in Gregorian seconds (§8). */
export const GREGORIAN = 62_167_219_200;

/** One leg of a call, as the PBX sees it. */
export interface Leg {
	callId: string;
	isFirst: boolean;
	caller: string;
	callee: string;
	/** Gregorian seconds. */
	at: number;
	talkSeconds: number;
	cause: string;
}

const STATES: Record<string, string> = { CREATE: 'ringing', ANSWER: 'answered', DESTROY: 'hangup' };

/** Creates an event of about 1.5 kB with the fields of §6. */
export function eventOf(kind: string, leg: Leg, customData: IDataObject = {}): IDataObject {
	const { callId, isFirst, caller, callee, at, talkSeconds, cause } = leg;
	const address = (number: string) => `${number}@acme.pbx.example`;
	const other = {
		'Other-Leg-Direction': isFirst ? 'outbound' : 'inbound',
		'Other-Leg-Caller-ID-Number': caller,
	};
	const args = {
		'Switch-URI': 'sip:10.20.0.6:11000',
		'Switch-URL': 'sip:sw1@10.20.0.6',
		'Custom-SIP-Headers': { 'X-AUTH-IP': '10.20.0.9' },
		'Caller-ID-Name': 'Bob Buyer',
		'Caller-ID-Number': caller,
		...(isFirst ? {} : { 'Callee-ID-Name': 'Ann Example', 'Callee-ID-Number': callee }),
		'Media-Server': 'sw1.acme.example',
		'Presence-ID': address(callee),
		...{ Request: address(callee), From: address(caller), To: address(callee) },
		...{ 'From-Uri': address(caller), 'To-Uri': address(callee) },
		'Call-Direction': isFirst ? 'inbound' : 'outbound',
		'Answer-State': STATES[kind],
		Timestamp: at,
		'Custom-Channel-Vars': {
			'Account-ID': 'acc0123456789abcdef0123456789abcd',
			'Bridge-ID': callId,
			...(isFirst ? {} : { 'Owner-ID': 'aa11bb22cc33dd44', Username: `user_${callee}` }),
			Inception: address(callee),
			'Channel-Authorized': 'true',
			'Fetch-ID': 'f-1',
			'Reseller-ID': 're5e11e4',
			'Global-Resource': 'true',
		},
		'Call-ID': isFirst ? callId : `${callId.split('@')[0]}-out`,
		...(isFirst && kind !== 'DESTROY'
			? {}
			: { 'Other-Leg-Call-ID': isFirst ? `${callId}-out` : callId, ...other }),
		...(kind !== 'DESTROY'
			? {}
			: {
					'Ringing-Seconds': '4',
					'Billing-Seconds': String(talkSeconds),
					'Duration-Seconds': String(talkSeconds + 4),
					'Hangup-Cause': cause,
					'Hangup-Code': 'sip:200',
					'User-Agent': 'ExamplePhone/1.2',
					'Remote-SDP':
						'v=0 o=- 1 1 IN IP4 10.20.0.9 s=call c=IN IP4 10.20.0.9 t=0 0 m=audio 9000 RTP/AVP 8 0',
					Disposition: talkSeconds > 0 ? 'ANSWER' : 'failure',
				}),
		...{
			Node: 'ecallmgr@acme.example',
			'Msg-ID': 'm-1',
			'App-Version': '4.2',
			'App-Name': 'ecallmgr',
		},
		'Event-Name': `CHANNEL_${kind}`,
		'Event-Category': 'call_event',
		...customData,
	};
	return { name: `CHANNEL_${kind}`, args };
}

/** Creates a call record as in §2.4, or as a stock Kazoo lists it. */
export function recordOf(leg: Leg, isKazoo = false): IDataObject {
	const { callId, isFirst, caller, callee, at, talkSeconds, cause } = leg;
	const direction = isFirst ? 'inbound' : 'outbound';
	const file = talkSeconds > 0 ? `call_recording_${callId}.mp3` : '';
	const link = `${PBX_URL}/v1/pbx/accounts/acc0123456789abcdef0123456789abcd/recorded/`;
	if (!isKazoo)
		return {
			CALL_DIRECTION: direction,
			BRIDGE_ID: callId,
			CALLEE_ID_NUMBER: `sip:${callee}@acme.pbx.example`,
			CALLER_ID_NUMBER: `sip:${caller}@acme.pbx.example`,
			TIMESTAMP: String(at),
			BILLING_SECONDS: String(talkSeconds),
			HANGUP_CAUSE: cause,
			ACCOUNT_ID: 'acc0123456789abcdef0123456789abcd',
			...{ REC_FILE: file, REC_LINK: file === '' ? '' : link },
		};
	const own = isFirst ? callId : `${callId.split('@')[0]}-out`;
	const begin = at - talkSeconds - 4;
	return {
		...{ id: `202611-${own}`, call_id: own, bridge_id: callId, direction },
		...{ caller_id_number: caller, caller_id_name: 'Bob Buyer' },
		...{ callee_id_number: isFirst ? '' : callee, callee_id_name: '' },
		...{ from: `${caller}@acme.pbx.example`, to: `${callee}@acme.pbx.example` },
		...{ timestamp: String(begin), unix_timestamp: String(begin - GREGORIAN) },
		...{ duration_seconds: talkSeconds + 4, billing_seconds: talkSeconds, hangup_cause: cause },
		...{
			other_leg_call_id: isFirst ? `${callId.split('@')[0]}-out` : callId,
			owner_id: isFirst ? '' : 'aa11bb22cc33dd44',
		},
		...{
			media_recordings: file === '' ? [] : [file],
			recording_url: file === '' ? '' : link + file,
		},
	};
}
