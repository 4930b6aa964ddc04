import type { IDataObject } from 'n8n-workflow';

/** One leg of a call in the table. */
export interface TableLeg {
	id: string;
	side: 'inbound' | 'outbound';
	from: string;
	to: string;
	/** The SIP user whose phone rings or places the call. */
	user?: string | undefined;
	talk?: number;
	cause?: string;
	/** Seconds after the call's start. */
	ended?: number;
	/** The leg that it was last connected with. */
	other?: string | undefined;
	vars?: IDataObject;
}

/** The facts of a call that every source shows. */
export interface Shown {
	callType: string | null;
	outcome: string;
	missed: boolean;
	customerNumber: string | null;
	employee: string | null;
	companyNumber: string | null;
}

export interface TableCall {
	name: string;
	legs: TableLeg[];
	shown: Shown;
	/** Facts that the event at the call's end can't know, as docs/events.md says. */
	event?: Partial<Shown>;
	/** Facts that records without the first leg don't show, besides the company's number; `nothing` if none is left. */
	withoutFirst?: Partial<Shown> | 'nothing';
}

const CUSTOMER = '12125550167';
const LINE = '12125550100';
const MOBILE = '19175550130';
const END = 63_962_395_200;
const DEVICE = {
	'Authorizing-ID': 'device-1',
	'Owner-ID': 'owner-1',
	'Authorizing-Type': 'device',
};

const first = (more: Partial<TableLeg> = {}): TableLeg => ({
	...{ id: 'a', side: 'inbound', from: CUSTOMER, to: LINE, other: 'b' },
	...more,
});
const phone = (to: string, more: Partial<TableLeg> = {}): TableLeg => ({
	...{ id: 'b', side: 'outbound', from: CUSTOMER, to, user: to, other: 'a' },
	vars: { 'Authorizing-ID': `device of ${to}`, 'Owner-ID': `owner of ${to}` },
	...more,
});
const incoming = (outcome: string, employee: string | null): Shown => ({
	...{ callType: 'incoming', outcome, missed: outcome !== 'answered', employee },
	...{ customerNumber: CUSTOMER, companyNumber: LINE },
});
const placed = (callType: string, outcome: string): Shown => ({
	...{ callType, outcome, missed: false, employee: '100' },
	...{ customerNumber: callType === 'outgoing' ? CUSTOMER : null, companyNumber: null },
});
const byColleague = (to: string, more: Partial<TableLeg> = {}) =>
	first({ from: '100', user: '100', to, vars: DEVICE, ...more });
const toOutside = (more: Partial<TableLeg> = {}): TableLeg =>
	phone(CUSTOMER, { from: '100', user: undefined, vars: {}, ...more });

/** An unanswered call, by the hang-up cause of its first leg. */
const unanswered = (outcome: string, cause: string, phoneCause = cause): TableCall => ({
	name: `in, ${outcome}: ${cause} behind ${phoneCause}`,
	legs: [first({ cause }), phone('100', { cause: phoneCause })],
	shown: incoming(outcome, '100'),
	event: { employee: null },
	withoutFirst:
		cause === phoneCause ? {} : { outcome: phoneCause === 'USER_BUSY' ? 'busy' : 'failed' },
});

/** Every kind of call, and its meaning to people. */
export const CALL_TABLE: TableCall[] = [
	{
		name: 'in, through a menu',
		legs: [first({ talk: 60 }), phone('100', { talk: 45 })],
		shown: incoming('answered', '100'),
	},
	{
		name: 'in, a company number shown as the caller',
		legs: [
			first({ from: '12125550145', talk: 60 }),
			phone('100', { from: '12125550145', talk: 60 }),
		],
		shown: { ...incoming('answered', '100'), customerNumber: '12125550145' },
	},
	unanswered('noAnswer', 'ORIGINATOR_CANCEL'),
	unanswered('busy', 'USER_BUSY'),
	unanswered('declined', 'CALL_REJECTED'),
	unanswered('failed', 'USER_NOT_REGISTERED'),
	unanswered('noAnswer', 'NORMAL_CLEARING', 'USER_BUSY'),
	unanswered('noAnswer', 'ORIGINATOR_CANCEL', 'USER_NOT_REGISTERED'),
	{
		name: 'queue, the second phone answers',
		legs: [
			first({ talk: 50, other: 'c' }),
			phone('100', { cause: 'NO_ANSWER', ended: 15 }),
			phone('101', { id: 'c', talk: 40 }),
		],
		shown: incoming('answered', '101'),
	},
	{
		name: 'queue, all phones at once, nobody answers',
		legs: [
			first({ cause: 'ORIGINATOR_CANCEL', other: 'c' }),
			phone('100', { cause: 'ORIGINATOR_CANCEL' }),
			phone('101', { id: 'c', cause: 'ORIGINATOR_CANCEL' }),
		],
		shown: incoming('noAnswer', null),
	},
	{
		name: 'transfer without consultation',
		legs: [
			first({ talk: 190, other: 'c' }),
			phone('100', { talk: 60, ended: 70 }),
			phone('101', { id: 'c', talk: 130 }),
		],
		shown: incoming('answered', '101'),
	},
	{
		name: 'transfer with consultation',
		legs: [
			first({ talk: 190, other: 'd' }),
			phone('100', { talk: 60, ended: 80 }),
			{ ...byColleague('101', { id: 'c', talk: 20, ended: 80, other: 'd' }) },
			phone('101', { id: 'd', talk: 130 }),
		],
		shown: incoming('answered', '101'),
	},
	{
		name: 'forward to a mobile',
		legs: [
			first({ talk: 60, other: 'c' }),
			phone('100', { cause: 'LOSE_RACE', ended: 8 }),
			phone(MOBILE, { id: 'c', user: undefined, talk: 60 }),
		],
		shown: incoming('answered', null),
	},
	{
		name: 'mailbox at once',
		legs: [first({ talk: 16, other: undefined })],
		shown: incoming('voicemail', null),
		withoutFirst: 'nothing',
	},
	{
		name: 'mailbox after a phone',
		legs: [first({ talk: 12 }), phone('100', { cause: 'NO_ANSWER', ended: 20 })],
		shown: incoming('voicemail', '100'),
		event: { outcome: 'answered', missed: false },
		withoutFirst: { outcome: 'noAnswer' },
	},
	{
		name: 'after hours, the number leads nowhere',
		legs: [first({ cause: 'NO_ROUTE_DESTINATION', other: undefined })],
		shown: incoming('failed', null),
		withoutFirst: 'nothing',
	},
	{
		name: 'hidden number',
		legs: [first({ from: 'anonymous', talk: 9 }), phone('100', { from: 'anonymous', talk: 9 })],
		shown: { ...incoming('answered', '100'), customerNumber: null },
	},
	{
		name: 'out',
		legs: [byColleague(CUSTOMER, { talk: 60 }), toOutside({ talk: 60 })],
		shown: placed('outgoing', 'answered'),
	},
	{
		name: 'out, not answered',
		legs: [
			byColleague(CUSTOMER, { cause: 'ORIGINATOR_CANCEL' }),
			toOutside({ cause: 'ORIGINATOR_CANCEL' }),
		],
		shown: placed('outgoing', 'noAnswer'),
	},
	{
		name: 'out, busy',
		legs: [byColleague(CUSTOMER, { cause: 'USER_BUSY' }), toOutside({ cause: 'USER_BUSY' })],
		shown: placed('outgoing', 'busy'),
	},
	{
		name: 'out, with a company number shown on the leg to the customer',
		legs: [byColleague(CUSTOMER, { talk: 60 }), toOutside({ from: LINE, talk: 60 })],
		shown: placed('outgoing', 'answered'),
		withoutFirst: { callType: null, customerNumber: null, employee: null },
	},
	{
		name: 'internal',
		legs: [byColleague('101', { talk: 30 }), phone('101', { from: '100', talk: 30 })],
		shown: placed('internal', 'answered'),
	},
	{
		name: 'internal, not answered',
		legs: [
			byColleague('101', { cause: 'NO_ANSWER' }),
			phone('101', { from: '100', cause: 'NO_ANSWER' }),
		],
		shown: placed('internal', 'noAnswer'),
	},
	{
		name: 'click-to-call',
		legs: [
			phone('100', { id: 'a', from: '100', talk: 65, other: 'b' }),
			toOutside({ id: 'b', talk: 60 }),
		],
		shown: placed('outgoing', 'answered'),
	},
	{
		name: 'click-to-call, the customer does not answer',
		legs: [
			phone('100', { id: 'a', from: '100', talk: 20, other: 'b' }),
			toOutside({ id: 'b', cause: 'NO_ANSWER' }),
		],
		shown: placed('outgoing', 'noAnswer'),
	},
	{
		name: 'click-to-call that shows the customer as the caller of the colleague',
		legs: [
			phone('100', { id: 'a', from: CUSTOMER, talk: 65, other: 'b' }),
			toOutside({ id: 'b', from: LINE, talk: 60 }),
		],
		shown: placed('outgoing', 'answered'),
	},
];

const NAMES: Record<string, string> = { 100: 'ANNA FIELD', 101: 'IVAN' };

/** How a source spells the two parties of a leg. */
export type Spelling = 'plain' | 'named' | 'uri';

function spelled(number: string, spelling: Spelling): string {
	if (spelling === 'uri') return `sip:${number}@company.example`;
	return spelling === 'named' && NAMES[number] ? `${number} (${NAMES[number]})` : number;
}

/** Builds the call records of a call (§2.4). */
export function recordsOf(legs: readonly TableLeg[], spelling: Spelling): IDataObject[] {
	return legs.map(({ side, from, to, ended = 200, talk = 0, cause = 'NORMAL_CLEARING' }) => ({
		...{ CALL_DIRECTION: side, BRIDGE_ID: 'a', HANGUP_CAUSE: cause },
		...{ CALLER_ID_NUMBER: spelled(from, spelling), CALLEE_ID_NUMBER: spelled(to, spelling) },
		...{ TIMESTAMP: String(END + ended), BILLING_SECONDS: String(talk) },
	}));
}

/** Builds the events at the end of a call's legs (§6), in JSON. */
export function eventsOf(legs: readonly TableLeg[], spelling: Spelling): IDataObject[] {
	return legs.map((leg) => {
		const other = legs.find(({ id }) => id === leg.other);
		const address = (number: string) => `${number}@company.example`;
		return {
			'Event-Name': 'CHANNEL_DESTROY',
			'Msg-ID': `end of ${leg.id}`,
			'Answer-State': 'hangup',
			'Call-ID': leg.id,
			'Call-Direction': leg.side,
			'Caller-ID-Number': spelled(leg.from, spelling),
			'Callee-ID-Number': spelled(leg.to, spelling),
			From: address(leg.from),
			To: address(leg.to),
			Request: address(leg.side === 'outbound' ? (leg.user ?? leg.to) : leg.to),
			Timestamp: END + (leg.ended ?? 200),
			'Billing-Seconds': String(leg.talk ?? 0),
			'Hangup-Cause': leg.cause ?? 'NORMAL_CLEARING',
			'Custom-Channel-Vars': { 'Bridge-ID': 'a', ...leg.vars },
			...(other
				? {
						'Other-Leg-Call-ID': other.id,
						'Other-Leg-Direction': other.side,
						'Other-Leg-Caller-ID-Number': other.from,
						'Other-Leg-Destination-Number': other.to,
					}
				: {}),
		};
	});
}

/** Writes an event in the flat form (seen in the field), which has fewer fields. */
export function flattened(event: IDataObject): IDataObject {
	const lacks =
		/^(msg_id|answer_state|event_name|custom_channel_vars|other_leg_(direction|destination|caller).*)$/;
	const { 'Bridge-ID': _, ...vars } = event['Custom-Channel-Vars'] as IDataObject;
	const fields = Object.entries({ ...event, ...vars }).map(
		([name, value]) => [name.toLowerCase().replaceAll('-', '_'), value] as const,
	);
	const kept = Object.fromEntries(fields.filter(([name]) => !lacks.test(name)));
	return { hook_event: String(event['Event-Name']).toLowerCase(), ...kept };
}
