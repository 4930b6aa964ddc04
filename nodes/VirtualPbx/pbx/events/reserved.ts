import { plainName } from './payload';
import { SAMPLE_FIELDS } from './samples';

/** Around an event, where custom data may be mixed in at the same level (§2.5). */
const AROUND = ['name', 'args', 'data', 'type', 'action', 'hook_event', 'custom_data', '__proto__'];

/** Keys of `Custom-Channel-Vars` (§6); the flat form has some of them beside the fields. */
const VARIABLES = [
	'Account-Billing',
	'Account-ID',
	'Authorizing-ID',
	'Authorizing-Type',
	'Bridge-ID',
	'Callmgr-Node',
	'Channel-Authorized',
	'Fetch-ID',
	'Global-Resource',
	'Inception',
	'Originator-Type',
	'Owner-ID',
	'Realm',
	'Reseller-Billing',
	'Reseller-ID',
	'Username',
];

/** Fields that only the flat form has. */
const FLAT = [
	'call_forwarded',
	'custom_application_vars',
	'emergency_resource_used',
	'is_internal_leg',
	'local_resource_id',
	'local_resource_used',
];

/** Every name with a meaning in an event, in either form, or around it. */
const RESERVED = new Set([...AROUND, ...VARIABLES, ...FLAT, ...SAMPLE_FIELDS].map(plainName));

/** Tells whether custom data under this name, or path of names, could overwrite a field of the event. */
export function isReservedName(name: string): boolean {
	const [first = ''] = name.split(/[[.]/, 1);
	return RESERVED.has(plainName(first)) || RESERVED.has(plainName(name));
}
