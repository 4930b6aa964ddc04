import { CHANNEL_VARS } from '../events/channel-vars';
import { PRESENCE, type Place } from '../events/context';
import { FIELDS } from '../events/fields';
import { CAUSES } from '../calls/causes';
import { capture } from './capture';
import { MADE, table } from './markdown';

const INTRO = `# What the sandbox sends in an event

${MADE}

The field table of §6 as the sandbox sends it. A dot marks the events and legs where a field is present.
The fields \`Other-Leg-*\` are left out of the destroy of an inbound leg that never had another leg.`;

const PLACES: Array<{ place: Place; title: string }> = PRESENCE.all.map((place) => ({
	place,
	title: place.replace(':', ', '),
}));

const dots = (places: readonly Place[]): string[] =>
	PLACES.map(({ place }) => (places.includes(place) ? '●' : ''));

/** Values that differ from call to call are told by what they are. */
const VARYING: Record<string, string> = {
	'Call-ID': '`<id>@<address>`',
	'Other-Leg-Call-ID': '`<id>@<address>`',
	'Msg-ID': '32 hexadecimal digits, new for each event, the same for its retries',
	'From-Tag': '12 hexadecimal digits',
	'To-Tag': '12 hexadecimal digits',
	Timestamp: 'Gregorian seconds of the sending, see the setting `timestamp_unit`',
	'Custom-Channel-Vars': 'see below',
	'Remote-SDP': 'SDP text',
};

function exampleOf(field: string, args: Record<string, unknown>): string {
	const value = args[field];
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return VARYING[field] ?? `\`${text}\``;
}

/** Writes docs/sandbox-events.md: the field table of §6, made from the code and from a call. */
export async function eventsDoc(): Promise<string> {
	const { events } = await capture({ title: '', story: '', order: {} });
	const args = events.at(-1)?.args ?? {};
	const head = ['field', 'type', ...PLACES.map(({ title }) => title), 'for example'];
	const fields = FIELDS.map(({ field, type, presence }) => [
		`\`${field}\``,
		type,
		...dots(PRESENCE[presence]),
		exampleOf(field, args),
	]);
	const varHead = ['key', ...PLACES.map(({ title }) => title), 'only'];
	const vars = CHANNEL_VARS.map(({ key, presence, condition = '' }) => [
		`\`${key}\``,
		...dots(PRESENCE[presence]),
		condition,
	]);
	const causes = Object.entries(CAUSES).map(([cause, code]) => [`\`${cause}\``, `\`sip:${code}\``]);
	return `${[
		INTRO,
		table([head, ...fields]),
		'## Custom-Channel-Vars',
		'All values are strings. Which keys appear where is not fixed by §6; this is the sandbox’s choice.',
		table([varHead, ...vars]),
		'## Hang-up causes',
		table([['Hangup-Cause', 'Hangup-Code'], ...causes]),
	].join('\n\n')}\n`;
}
