import { CAUSES } from '../calls/causes';
import { legSeconds, type Leg, type Party } from '../calls/leg';
import { MEDIA_ADDRESS } from '../model/ids';
import { toGregorian } from '../model/time';
import type { EventName } from '../model/types';
import type { EventContext, Presence } from './context';
import { channelVars } from './channel-vars';

/** One row of §6's field table. A value of `undefined` leaves the field out. */
export interface FieldRow {
	field: string;
	type: 'string' | 'integer' | 'object';
	presence: Presence;
	value: (context: EventContext) => unknown;
}

const address = ({ user, realm }: Party): string =>
	user.includes('@') ? user : `${user}@${realm}`;
const media = `mediaserver@${MEDIA_ADDRESS}`;

/** Each event's Answer-State and Disposition. The disposition of the end depends on the call. */
const STATES: Record<EventName, [state: string, disposition?: string]> = {
	CHANNEL_CREATE: ['ringing', 'DELAYED NEGOTIATION'],
	CHANNEL_ANSWER: ['answered', 'ANSWER'],
	CHANNEL_DESTROY: ['hangup'],
};

function disposition({ event, leg }: EventContext): string {
	return STATES[event][1] ?? (leg.answered === undefined ? 'failure' : 'SUCCESS');
}

const ipOf = (leg: Leg): string => (leg.device ? '198.51.100.20' : '203.0.113.5');

function sdp({ leg }: EventContext): string {
	const host = ipOf(leg);
	return [
		'v=0',
		`o=- 1 1 IN IP4 ${host}`,
		's=call',
		`c=IN IP4 ${host}`,
		't=0 0',
		'm=audio 11780 RTP/AVP 8 0 101',
		'a=rtpmap:8 PCMA/8000',
		'',
	].join('\r\n');
}

const row = (
	field: string,
	presence: Presence,
	value: FieldRow['value'],
	type: FieldRow['type'] = 'string',
): FieldRow => ({ field, presence, value, type });

type OfLeg = (leg: Leg) => string | undefined;

/** A row about the event's own leg. */
const ofLeg = (field: string, presence: Presence, value: OfLeg): FieldRow =>
	row(field, presence, ({ leg }) => value(leg));

/** A row about the leg that this one is connected with. */
const ofOther = (field: string, value: OfLeg): FieldRow =>
	row(field, SECOND_LEG, ({ leg }) => (leg.other ? value(leg.other) : undefined));

const STARTED: Presence = 'create (inbound leg), answer, destroy';
const ANSWERING: Presence = 'create (outbound leg), answer, destroy';
const SECOND_LEG: Presence = 'outbound leg events; destroy of inbound leg';

/** The field table of §6, in its order: what is sent, when, and from what. */
export const FIELDS: FieldRow[] = [
	row('Answer-State', 'all', ({ event }) => STATES[event][0]),
	row('Switch-URI', 'all', () => `sip:${MEDIA_ADDRESS}:11000`),
	row('Switch-URL', 'all', () => `sip:mod_sofia@${MEDIA_ADDRESS}:11000`),
	ofLeg('From-Tag', STARTED, (leg) => leg.fromTag),
	ofLeg('To-Tag', 'answer, destroy', (leg) => leg.toTag),
	row('Custom-SIP-Headers', 'all', ({ leg }) => ({ 'X-AUTH-IP': ipOf(leg) }), 'object'),
	ofLeg('Callee-ID-Name', ANSWERING, (leg) => leg.callee.name),
	ofLeg('Callee-ID-Number', ANSWERING, (leg) => leg.callee.number),
	ofLeg('Caller-ID-Name', 'all', (leg) => leg.caller.name),
	ofLeg('Caller-ID-Number', 'all', (leg) => leg.caller.number),
	row('Media-Server', 'all', () => media),
	row('Presence-ID', 'all', ({ call, leg }) => `${leg.callee.number}@${call.account.realm}`),
	ofLeg('Request', 'all', (leg) => address(leg.callee)),
	ofLeg('From', 'all', (leg) => address(leg.caller)),
	ofLeg('To', 'all', (leg) => address(leg.callee)),
	ofLeg('From-Uri', 'all except outbound create', (leg) => `sip:${address(leg.caller)}`),
	ofLeg('To-Uri', 'all except outbound create', (leg) => `sip:${address(leg.callee)}`),
	row('Disposition', STARTED, disposition),
	ofLeg('Call-Direction', 'all', (leg) => leg.direction),
	row('Timestamp', 'all', ({ call }) => toGregorian(call.now), 'integer'),
	row('Custom-Channel-Vars', 'all', channelVars, 'object'),
	ofLeg('Call-ID', 'all', (leg) => leg.callId),
	row('Node', 'all', () => 'callmgr@sandbox.local'),
	row('Msg-ID', 'all', ({ msgId }) => msgId),
	row('App-Version', 'all', () => '4.0.0'),
	row('App-Name', 'all', () => 'callmgr'),
	row('Event-Name', 'all', ({ event }) => event),
	row('Event-Category', 'all', () => 'call_event'),
	ofOther('Other-Leg-Call-ID', (other) => other.callId),
	ofOther('Other-Leg-Destination-Number', (other) => other.callee.number),
	ofOther('Other-Leg-Caller-ID-Number', (other) => other.caller.number),
	ofOther('Other-Leg-Caller-ID-Name', (other) => other.caller.name),
	ofOther('Other-Leg-Direction', (other) => other.direction),
	ofLeg('Ringing-Seconds', 'destroy', (leg) => String(legSeconds(leg).ringing)),
	ofLeg('Billing-Seconds', 'destroy', (leg) => String(legSeconds(leg).billing)),
	ofLeg('Duration-Seconds', 'destroy', (leg) => String(legSeconds(leg).duration)),
	row('Remote-SDP', 'destroy', sdp),
	ofLeg('User-Agent', 'destroy', (leg) => leg.device?.userAgent ?? 'Carrier SBC'),
	ofLeg('Hangup-Code', 'destroy', (leg) => leg.cause && `sip:${CAUSES[leg.cause]}`),
	ofLeg('Hangup-Cause', 'destroy', (leg) => leg.cause),
];
