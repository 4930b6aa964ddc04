import { CAUSES } from '../calls/causes';
import { legSeconds, type Leg, type Party } from '../calls/leg';
import { MEDIA_ADDRESS } from '../model/ids';
import { toGregorian } from '../model/time';
import type { Settings } from '../model/settings';
import type { EventName } from '../model/types';
import type { EventContext, Presence } from './context';
import { channelVars } from './channel-vars';

/** One row of the field table of §6. A value of `undefined` leaves the field out. */
export interface FieldRow {
	field: string;
	type: 'string' | 'integer' | 'object';
	presence: Presence;
	value: (context: EventContext) => unknown;
}

const address = ({ user, realm }: Party): string => `${user}@${realm}`;
const media = `mediaserver@${MEDIA_ADDRESS}`;

/** Answer-State and Disposition of each event; the end says how the call went. */
const SAYS: Record<EventName, [state: string, disposition?: string]> = {
	CHANNEL_CREATE: ['ringing', 'DELAYED NEGOTIATION'],
	CHANNEL_ANSWER: ['answered', 'ANSWER'],
	CHANNEL_DESTROY: ['hangup'],
};

function disposition({ event, leg }: EventContext): string {
	return SAYS[event][1] ?? (leg.answered === undefined ? 'failure' : 'SUCCESS');
}

const UNITS: Record<Settings['timestamp_unit'], (ms: number) => number> = {
	gregorian: toGregorian,
	seconds: (ms) => Math.floor(ms / 1000),
	milliseconds: (ms) => ms,
	microseconds: (ms) => ms * 1000,
};

function sdp({ leg }: EventContext): string {
	const host = leg.device ? '198.51.100.20' : '203.0.113.5';
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

type OfLeg = (leg: Leg) => string | undefined;
const ofLeg = (value: OfLeg) => (context: EventContext) => value(context.leg);
const ofOther = (value: OfLeg) => (context: EventContext) =>
	context.leg.other ? value(context.leg.other) : undefined;

const row = (
	field: string,
	presence: Presence,
	value: FieldRow['value'],
	type: FieldRow['type'] = 'string',
): FieldRow => ({ field, presence, value, type });

const STARTED: Presence = 'create (inbound leg), answer, destroy';
const ANSWERING: Presence = 'create (outbound leg), answer, destroy';
const SECOND_LEG: Presence = 'outbound leg events; destroy of inbound leg';

/** The field table of §6, in its order: what is sent, when, and from what. */
export const FIELDS: FieldRow[] = [
	row('Answer-State', 'all', ({ event }) => SAYS[event][0]),
	row('Switch-URI', 'all', () => `sip:${MEDIA_ADDRESS}:11000`),
	row('Switch-URL', 'all', () => `sip:mod_sofia@${MEDIA_ADDRESS}:11000`),
	row(
		'From-Tag',
		STARTED,
		ofLeg((leg) => leg.fromTag),
	),
	row(
		'To-Tag',
		'answer, destroy',
		ofLeg((leg) => leg.toTag),
	),
	row(
		'Custom-SIP-Headers',
		'all',
		({ leg }) => ({ 'X-AUTH-IP': leg.device ? '198.51.100.20' : '203.0.113.5' }),
		'object',
	),
	row(
		'Callee-ID-Name',
		ANSWERING,
		ofLeg((leg) => leg.callee.name),
	),
	row(
		'Callee-ID-Number',
		ANSWERING,
		ofLeg((leg) => leg.callee.number),
	),
	row(
		'Caller-ID-Name',
		'all',
		ofLeg((leg) => leg.caller.name),
	),
	row(
		'Caller-ID-Number',
		'all',
		ofLeg((leg) => leg.caller.number),
	),
	row('Media-Server', 'all', () => media),
	row('Presence-ID', 'all', ({ call, leg }) => `${leg.callee.number}@${call.account.realm}`),
	row(
		'Request',
		'all',
		ofLeg((leg) => address(leg.callee)),
	),
	row(
		'From',
		'all',
		ofLeg((leg) => address(leg.caller)),
	),
	row(
		'To',
		'all',
		ofLeg((leg) => address(leg.callee)),
	),
	row(
		'From-Uri',
		'all except outbound create',
		ofLeg((leg) => `sip:${address(leg.caller)}`),
	),
	row(
		'To-Uri',
		'all except outbound create',
		ofLeg((leg) => `sip:${address(leg.callee)}`),
	),
	row('Disposition', STARTED, disposition),
	row(
		'Call-Direction',
		'all',
		ofLeg((leg) => leg.direction),
	),
	row('Timestamp', 'all', ({ settings }) => UNITS[settings.timestamp_unit](Date.now()), 'integer'),
	row('Custom-Channel-Vars', 'all', channelVars, 'object'),
	row(
		'Call-ID',
		'all',
		ofLeg((leg) => leg.callId),
	),
	row('Node', 'all', () => 'callmgr@sandbox.local'),
	row('Msg-ID', 'all', ({ msgId }) => msgId),
	row('App-Version', 'all', () => '4.0.0'),
	row('App-Name', 'all', () => 'callmgr'),
	row('Event-Name', 'all', ({ event }) => event),
	row('Event-Category', 'all', () => 'call_event'),
	row(
		'Other-Leg-Call-ID',
		SECOND_LEG,
		ofOther((other) => other.callId),
	),
	row(
		'Other-Leg-Destination-Number',
		SECOND_LEG,
		ofOther((other) => other.callee.number),
	),
	row(
		'Other-Leg-Caller-ID-Number',
		SECOND_LEG,
		ofOther((other) => other.caller.number),
	),
	row(
		'Other-Leg-Caller-ID-Name',
		SECOND_LEG,
		ofOther((other) => other.caller.name),
	),
	row(
		'Other-Leg-Direction',
		SECOND_LEG,
		ofOther((other) => other.direction),
	),
	row(
		'Ringing-Seconds',
		'destroy',
		ofLeg((leg) => String(legSeconds(leg).ringing)),
	),
	row(
		'Billing-Seconds',
		'destroy',
		ofLeg((leg) => String(legSeconds(leg).billing)),
	),
	row(
		'Duration-Seconds',
		'destroy',
		ofLeg((leg) => String(legSeconds(leg).duration)),
	),
	row('Remote-SDP', 'destroy', sdp),
	row(
		'User-Agent',
		'destroy',
		ofLeg((leg) => leg.device?.userAgent ?? 'Carrier SBC'),
	),
	row(
		'Hangup-Code',
		'destroy',
		ofLeg((leg) => leg.cause && `sip:${CAUSES[leg.cause]}`),
	),
	row(
		'Hangup-Cause',
		'destroy',
		ofLeg((leg) => leg.cause),
	),
];
