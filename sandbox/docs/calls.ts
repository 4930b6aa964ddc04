import type { Leg } from '../calls/leg';
import type { Cdr } from '../model/types';
import { capture, type Capture, type Captured } from './capture';
import { KINDS, type Kind } from './kinds';
import { MADE } from './markdown';

const INTRO = `# What the sandbox sends

${MADE}

## Calls

Each kind of call that the sandbox can place, with its events in order and the CDRs that it leaves, oldest first.
A line shows the second of the call, the event (\`CREATE\` stands for \`CHANNEL_CREATE\`), the leg, its direction and target when it first appears, \`Disposition\`, at the end the seconds of ringing, billing, and duration with the hang-up cause and code, and the leg that \`Other-Leg-*\` describes.
Leg A is the caller's inbound leg, or the employee's own phone in a click-to-call. B, C, and so on are outbound legs in the order of their creation.`;

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

/** One event in a line. */
function eventLine(
	{ second, leg, args }: Captured,
	isFirst: boolean,
	label: (callId: unknown) => string,
): string {
	const seconds = ['Ringing-Seconds', 'Billing-Seconds', 'Duration-Seconds'].map((field) =>
		toText(args[field]),
	);
	const other = label(args['Other-Leg-Call-ID']);
	const details = [
		isFirst ? `${toText(args['Call-Direction'])} to ${leg.callee.number} (${device(leg)})` : '',
		toText(args.Disposition),
		'Ringing-Seconds' in args ? seconds.join('/') : '',
		[args['Hangup-Cause'], args['Hangup-Code']].map(toText).join(' ').trim(),
		other && `other leg ${other}`,
	];
	const name = toText(args['Event-Name']).replace('CHANNEL_', '').padEnd('DESTROY'.length);
	const time = String(second).padStart(2);
	return `${time} ${name} ${label(args['Call-ID'])}: ${details.filter(Boolean).join(', ')}`;
}

const cdrLine = (cdr: Cdr): string =>
	`   CDR ${cdr.CALL_DIRECTION} to ${cdr.CALLEE_ID_NUMBER}, ${cdr.BILLING_SECONDS} s, ${cdr.HANGUP_CAUSE}${cdr.REC_FILE === '' ? '' : ', recorded'}`;

async function section(kind: Kind): Promise<string> {
	const captured = await capture(kind);
	const { call, events, cdrs } = captured;
	const label = labels(captured);
	const answer =
		kind.answer === undefined
			? []
			: [`The web service returns \`${JSON.stringify(kind.answer)}\`.`];
	const lines = events.map((event, index) =>
		eventLine(event, events.findIndex(({ leg }) => leg === event.leg) === index, label),
	);
	return [
		`### ${kind.title}`,
		[kind.story, ...answer].join(' '),
		`From ${call.order.from} to ${call.order.to}; ${call.steps.join(', then ') || 'no callflow'}. Result: ${call.result}.`,
		['```', ...lines, ...cdrs.map(cdrLine), '```'].join('\n'),
	].join('\n\n');
}

/** The part of sandbox/docs/calls.md that shows each kind of call, made by placing it. */
export async function callsPart(): Promise<string> {
	const sections: string[] = [];
	for (const kind of KINDS) sections.push(await section(kind));
	return [INTRO, ...sections].join('\n\n');
}
