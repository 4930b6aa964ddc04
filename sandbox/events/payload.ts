import { PRESENCE, placeOf, type EventContext, type Place } from './context';
import { FIELDS, type FieldRow } from './fields';

const rowsOf = (place: Place): FieldRow[] =>
	FIELDS.filter(({ presence }) => (PRESENCE[presence] as readonly Place[]).includes(place));

const ROWS = Object.fromEntries(PRESENCE.all.map((place) => [place, rowsOf(place)])) as Record<
	Place,
	FieldRow[]
>;

/** Returns the `args` of an event: the fields of §6, present exactly where its table says. */
export function eventArgs(context: EventContext): Record<string, unknown> {
	const args: Record<string, unknown> = {};
	for (const { field, value } of ROWS[placeOf(context)]) {
		const content = value(context);
		if (content !== undefined) args[field] = content;
	}
	return args;
}
