import type { Leg } from '../calls/leg';
import { capture, type Capture, type Captured } from './capture';
import { KINDS, type Kind } from './kinds';
import { MADE, table } from './markdown';

const INTRO = `# What each kind of call sends

${MADE}

Every kind of call that the sandbox can make, with the exact sequence of its events and the CDRs it leaves.
Leg A is the caller's (inbound) leg, of a click-to-call the one to the employee's own phone; B, C and so on are outbound legs in the order in which they came into being.
The column "other leg" is the leg that the fields \`Other-Leg-*\` describe. Seconds are those of the call.`;

/** Names legs A, B, C in the order in which they came into being. */
const labels = ({ call }: Capture) => {
	const letters = new Map(
		call.legs.map((leg, index) => [leg.callId, String.fromCharCode(65 + index)]),
	);
	return (callId: unknown) => letters.get(String(callId)) ?? '';
};

const toText = (value: unknown): string => (value === undefined ? '' : String(value));

const device = (leg: Leg): string =>
	leg.device?.name ?? (leg.direction === 'inbound' ? 'caller' : 'outside line');

function eventRow({ second, leg, args }: Captured, label: (callId: unknown) => string): string[] {
	const seconds = ['Ringing-Seconds', 'Billing-Seconds', 'Duration-Seconds'].map((field) =>
		toText(args[field]),
	);
	return [
		String(second),
		toText(args['Event-Name']),
		label(args['Call-ID']),
		toText(args['Call-Direction']),
		`${leg.callee.number} (${device(leg)})`,
		toText(args['Answer-State']),
		toText(args.Disposition),
		'Ringing-Seconds' in args ? seconds.join(' / ') : '',
		[args['Hangup-Cause'], args['Hangup-Code']].map(toText).join(' ').trim(),
		label(args['Other-Leg-Call-ID']),
	];
}

const EVENT_HEAD = [
	's',
	'event',
	'leg',
	'direction',
	'to (device)',
	'state',
	'disposition',
	'rang / billed / lasted',
	'cause',
	'other leg',
];
const CDR_HEAD = [
	'CALL_DIRECTION',
	'CALLEE_ID_NUMBER',
	'BILLING_SECONDS',
	'HANGUP_CAUSE',
	'recorded',
];

async function section(kind: Kind): Promise<string> {
	const captured = await capture(kind);
	const { call, events, cdrs } = captured;
	const label = labels(captured);
	const cdrRows = cdrs.map((cdr) => [
		cdr.CALL_DIRECTION,
		cdr.CALLEE_ID_NUMBER,
		cdr.BILLING_SECONDS,
		cdr.HANGUP_CAUSE,
		cdr.REC_FILE === '' ? 'no' : 'yes',
	]);
	const answer =
		kind.answer === undefined
			? []
			: [`The web service answers \`${JSON.stringify(kind.answer)}\`.`];
	return [
		`## ${kind.title}`,
		kind.story,
		...answer,
		`From ${call.order.from} to ${call.order.to}; ${call.steps.join(', then ') || 'no callflow'}. Result: **${call.result}**.`,
		table([EVENT_HEAD, ...events.map((event) => eventRow(event, label))]),
		'CDRs, in the order in which they were made:',
		table([CDR_HEAD, ...cdrRows]),
	].join('\n\n');
}

/** Writes docs/sandbox-calls.md: each kind of call as a table, made by placing it. */
export async function callsDoc(): Promise<string> {
	const sections: string[] = [];
	for (const kind of KINDS) sections.push(await section(kind));
	return `${[INTRO, ...sections].join('\n\n')}\n`;
}
