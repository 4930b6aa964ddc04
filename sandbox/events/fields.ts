import type { Call } from '../calls/call';
import { CAUSES, legSeconds, type Leg, type Party } from '../calls/leg';
import { toGregorian } from '../model/time';
import type { EventName } from '../model/types';
import { MEDIA_ADDRESS, stableId } from '../model/util';

interface EventContext {
	call: Call;
	leg: Leg;
	event: EventName;
	msgId: string;
}

/** Whether a field is in an event of a leg. */
type Presence = (event: EventName, direction: Leg['direction']) => boolean;

const all: Presence = () => true;
const destroy: Presence = (event) => event === 'CHANNEL_DESTROY';
const later: Presence = (event) => event !== 'CHANNEL_CREATE';
/** §6: "create (inbound leg), answer, destroy", or "all except outbound create". */
const started: Presence = (event, direction) => later(event, direction) || direction === 'inbound';
/** §6: "create (outbound leg), answer, destroy". */
const called: Presence = (event, direction) => later(event, direction) || direction === 'outbound';
/** §6: "outbound leg events; destroy of inbound leg". */
const second: Presence = (event, direction) =>
	destroy(event, direction) || direction === 'outbound';

/** A field of an event: when it is sent, and from what. A value of `undefined` leaves it out. */
interface FieldRow {
	field: string;
	type: 'string' | 'integer' | 'object';
	presence: Presence;
	value: (context: EventContext) => unknown;
}

const row = (
	field: string,
	presence: Presence,
	value: FieldRow['value'],
	type: FieldRow['type'] = 'string',
): FieldRow => ({ field, presence, value, type });

/** A row about the event's own leg. */
const ofLeg = (field: string, presence: Presence, value: (leg: Leg) => string | undefined) =>
	row(field, presence, ({ leg }) => value(leg));

/** A row about the leg that this one is connected with. */
const ofOther = (field: string, value: (leg: Leg) => string) =>
	row(field, second, ({ leg }) => leg.other && value(leg.other));

const isInside = ({ call }: EventContext): boolean => call.first.device !== undefined;

/** The keys of Custom-Channel-Vars. §6 doesn't say which appear where: this is the sandbox's choice. */
const CHANNEL_VARS: FieldRow[] = [
	row('Account-ID', all, ({ call }) => call.account.id),
	ofLeg('Username', all, (leg) => leg.device?.username),
	row('Realm', all, ({ call }) => call.account.realm),
	ofLeg('Owner-ID', all, (leg) => leg.device?.ownerId),
	ofLeg('Authorizing-ID', all, (leg) => leg.device?.id),
	row('Inception', all, (context) =>
		isInside(context) ? undefined : `${context.call.order.to}@carrier.sandbox.local`,
	),
	row('Callmgr-Node', all, () => 'callmgr@sandbox.local'),
	row('Bridge-ID', all, ({ call }) => call.first.callId),
	row('Channel-Authorized', started, () => 'true'),
	row(
		'Originator-Type',
		(_, direction) => direction === 'inbound',
		(context) => (isInside(context) ? 'device' : 'resource'),
	),
	ofLeg('Fetch-ID', all, (leg) => leg.fetchId),
	row('Reseller-Billing', later, () => 'limits_disabled'),
	row('Reseller-ID', later, () => stableId('sandbox', 'reseller')),
	row('Account-Billing', later, () => 'limits_disabled'),
	ofLeg('Global-Resource', all, (leg) => String(!leg.device && leg.role !== 'loopback')),
];

const address = ({ user, realm }: Party): string =>
	user.includes('@') ? user : `${user}@${realm}`;

const STATES = {
	CHANNEL_CREATE: 'ringing',
	CHANNEL_ANSWER: 'answered',
	CHANNEL_DESTROY: 'hangup',
};

function disposition({ event, leg }: EventContext): string {
	if (event === 'CHANNEL_CREATE') return 'DELAYED NEGOTIATION';
	if (event === 'CHANNEL_ANSWER') return 'ANSWER';
	return leg.answered === undefined ? 'failure' : 'SUCCESS';
}

const ipOf = (leg: Leg): string => (leg.device ? '198.51.100.20' : '203.0.113.5');

const sdp = (host: string): string =>
	`v=0
o=- 1 1 IN IP4 ${host}
s=call
c=IN IP4 ${host}
t=0 0
m=audio 11780 RTP/AVP 8 0 101
a=rtpmap:8 PCMA/8000
`.replaceAll('\n', '\r\n');

/** The field table of §6, in its order: what is sent, when, and from what. */
export const FIELDS: FieldRow[] = [
	row('Answer-State', all, ({ event }) => STATES[event]),
	row('Switch-URI', all, () => `sip:${MEDIA_ADDRESS}:11000`),
	row('Switch-URL', all, () => `sip:mod_sofia@${MEDIA_ADDRESS}:11000`),
	ofLeg('From-Tag', started, (leg) => leg.fromTag),
	ofLeg('To-Tag', later, (leg) => leg.toTag),
	row('Custom-SIP-Headers', all, ({ leg }) => ({ 'X-AUTH-IP': ipOf(leg) }), 'object'),
	ofLeg('Callee-ID-Name', called, (leg) => leg.callee.name),
	ofLeg('Callee-ID-Number', called, (leg) => leg.callee.number),
	ofLeg('Caller-ID-Name', all, (leg) => leg.caller.name),
	ofLeg('Caller-ID-Number', all, (leg) => leg.caller.number),
	row('Media-Server', all, () => `mediaserver@${MEDIA_ADDRESS}`),
	row('Presence-ID', all, ({ call, leg }) => `${leg.callee.number}@${call.account.realm}`),
	ofLeg('Request', all, (leg) => address(leg.callee)),
	ofLeg('From', all, (leg) => address(leg.caller)),
	ofLeg('To', all, (leg) => address(leg.callee)),
	ofLeg('From-Uri', started, (leg) => `sip:${address(leg.caller)}`),
	ofLeg('To-Uri', started, (leg) => `sip:${address(leg.callee)}`),
	row('Disposition', started, disposition),
	ofLeg('Call-Direction', all, (leg) => leg.direction),
	row('Timestamp', all, ({ call }) => toGregorian(call.now), 'integer'),
	row('Custom-Channel-Vars', all, (context) => filled(CHANNEL_VARS, context), 'object'),
	ofLeg('Call-ID', all, (leg) => leg.callId),
	row('Node', all, () => 'callmgr@sandbox.local'),
	row('Msg-ID', all, ({ msgId }) => msgId),
	row('App-Version', all, () => '4.0.0'),
	row('App-Name', all, () => 'callmgr'),
	row('Event-Name', all, ({ event }) => event),
	row('Event-Category', all, () => 'call_event'),
	ofOther('Other-Leg-Call-ID', (other) => other.callId),
	ofOther('Other-Leg-Destination-Number', (other) => other.callee.number),
	ofOther('Other-Leg-Caller-ID-Number', (other) => other.caller.number),
	ofOther('Other-Leg-Caller-ID-Name', (other) => other.caller.name),
	ofOther('Other-Leg-Direction', (other) => other.direction),
	ofLeg('Ringing-Seconds', destroy, (leg) => String(legSeconds(leg).ringing)),
	ofLeg('Billing-Seconds', destroy, (leg) => String(legSeconds(leg).billing)),
	ofLeg('Duration-Seconds', destroy, (leg) => String(legSeconds(leg).duration)),
	ofLeg('Remote-SDP', destroy, (leg) => sdp(ipOf(leg))),
	ofLeg('User-Agent', destroy, (leg) => (leg.device ? 'Sandbox Phone 1.0' : 'Carrier SBC')),
	ofLeg('Hangup-Code', destroy, (leg) => leg.cause && `sip:${CAUSES[leg.cause]}`),
	ofLeg('Hangup-Cause', destroy, (leg) => leg.cause),
];

function filled(rows: FieldRow[], context: EventContext): Record<string, unknown> {
	const { event, leg } = context;
	const present = rows.filter(({ presence }) => presence(event, leg.direction));
	const entries = present.map(({ field, value }) => [field, value(context)] as const);
	return Object.fromEntries(entries.filter(([, content]) => content !== undefined));
}

/** Returns the `args` of an event: the fields of §6, present exactly where its table says. */
export const eventArgs = (context: EventContext): Record<string, unknown> =>
	filled(FIELDS, context);
