import { CHANNEL_VARS } from '../events/channel-vars';
import { PRESENCE, type Place, type Presence } from '../events/context';
import { FIELDS } from '../events/fields';
import { CAUSES } from '../calls/causes';
import { table } from './markdown';

const INTRO = `## Fields of an event

The fields of §6, grouped by the events and legs that have them. The destroy of an inbound leg that never had another leg has no \`Other-Leg-*\` fields. \`Timestamp\` is an integer and \`Custom-SIP-Headers\` and \`Custom-Channel-Vars\` are objects; all other fields are strings. \`Msg-ID\` is new for each event and the same in its retries.`;

/** The events and legs of a presence, such as `create, answer (outbound)`. */
function placesOf(places: readonly Place[]): string {
	if (places.length === PRESENCE.all.length) return 'all';
	const legs = new Map<string, string[]>();
	for (const place of places) {
		const [event = '', leg = ''] = place.split(':');
		legs.set(event, [...(legs.get(event) ?? []), leg]);
	}
	return [...legs]
		.map(([event, own]) => (own.length > 1 ? event : `${event} (${own.join()})`))
		.join(', ');
}

/** A table of names by the events and legs that have them. */
function byPresence(rows: Array<{ name: string; presence: Presence }>): string {
	const groups = new Map<string, string[]>();
	for (const { name, presence } of rows) {
		const places = placesOf(PRESENCE[presence]);
		groups.set(places, [...(groups.get(places) ?? []), name]);
	}
	const body = [...groups].map(([places, names]) => [places, names.join(', ')]);
	return table([['events', 'names'], ...body]);
}

/** The part of sandbox/docs/calls.md that lists the fields of §6, made from the code. */
export function eventsPart(): string {
	const fields = FIELDS.map(({ field, presence }) => ({ name: `\`${field}\``, presence }));
	const vars = CHANNEL_VARS.map(({ key, presence, condition }) => ({
		name: `\`${key}\`${condition ? ` (${condition})` : ''}`,
		presence,
	}));
	const causes = Object.entries(CAUSES).map(([cause, code]) => `\`${cause}\` (sip:${code})`);
	return [
		INTRO,
		byPresence(fields),
		'Keys of `Custom-Channel-Vars`. The contract doesn’t say which appear where; this is the sandbox’s choice:',
		byPresence(vars),
		`Hang-up causes with their codes: ${causes.join(', ')}.`,
	].join('\n\n');
}
