import { asText, isObject, isOn } from '../util/json';
import { BoundedMap } from '../util/limits';

/** The direction of a leg as the switch sees it (§6). */
export type Direction = 'inbound' | 'outbound';

/**
 * Who placed a leg, or what a leg of the PBX goes to, as the platform itself says (Kazoo 3.22 to 5.0: kz_call_event,
 * kz_cdr). `employee`: a device or user of the account. `line`: a carrier's line. `unnamed`: it names neither, although it
 * names devices and users elsewhere. `emergency`: an employee called an emergency number.
 */
export type LegOrigin = 'employee' | 'line' | 'unnamed' | 'emergency' | undefined;

type OriginField =
	| 'AUTHORIZING_ID'
	| 'AUTHORIZING_TYPE'
	| 'OWNER_ID'
	| 'INCEPTION'
	| 'GLOBAL_RESOURCE'
	| 'EMERGENCY_RESOURCE_USED';

/** Reads a leg's origin from the fields of an event or record; `read` returns an empty text for an empty field. */
export function originIn(
	read: (name: OriginField) => string | undefined,
	direction: Direction | undefined,
): LegOrigin {
	const [device, owner] = [read('AUTHORIZING_ID'), read('OWNER_ID')];
	if (isOn(read('EMERGENCY_RESOURCE_USED'))) return direction === 'outbound' ? 'line' : 'emergency';
	// A line can have an ID, too.
	if (read('AUTHORIZING_TYPE')?.toLowerCase() === 'resource') return 'line';
	if (device || owner) return 'employee';
	if (isOn(read('GLOBAL_RESOURCE'))) return 'line';
	// Legs to phones have the first leg's.
	if (direction === 'outbound') return undefined;
	if (read('INCEPTION')) return 'line';
	const isNamed = device !== undefined || owner !== undefined;
	return isNamed && read('INCEPTION') === undefined ? 'unnamed' : undefined;
}

/** Names of fields that tell which service took a leg. */
const SERVICE =
	/^(?:.*[_-])?(?:module|application|app[_-]?name|service|media[_-]?type|mime[_-]?type|content[_-]?type|hangup[_-]?cause|call[_-]?direction|call[_-]?type|disposition)$/i;
/** Values of such fields, and names of fields that only a fax or conference has. */
const MACHINE = /(?:^|[^a-z])(?:fax|faxbox|t\.?38|tiff|conference)(?:[^a-z]|$)/i;
const MACHINE_NAME = /^(?:is[_-])?(?:fax|conference)(?:[_-].*)?$/i;

/** Returns whether a leg's fields, or its channel variables, say that a fax or a conference took it. */
export function saysMachine(fields: object): boolean {
	for (const name in fields) {
		const value: unknown = (fields as Record<string, unknown>)[name];
		const isIn = isObject(value) && /^custom[_-]/i.test(name);
		if (isIn ? saysMachine(value) : isMachine(name, value)) return true;
	}
	return false;
}

type FieldMeaning = 'machine' | 'service' | 'none';

/** The meanings of fields' names, kept since records have the same names. */
const meanings = new BoundedMap<string, FieldMeaning>(1000);

function fieldMeaning(name: string): FieldMeaning {
	const known = meanings.get(name);
	if (known !== undefined) return known;
	const meaning = SERVICE.test(name) ? 'service' : 'none';
	return meanings.set(name, MACHINE_NAME.test(name) ? 'machine' : meaning);
}

function isMachine(name: string, value: unknown): boolean {
	const meaning = fieldMeaning(name);
	if (meaning === 'none') return false;
	const text = typeof value === 'boolean' ? String(value) : asText(value)?.trim();
	if (text === undefined || /^(?:|0|false|no|none|null|undefined)$/i.test(text)) return false;
	return meaning === 'machine' || MACHINE.test(text);
}
