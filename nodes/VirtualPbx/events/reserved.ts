import { plainName } from './fields';
import { SAMPLE_FIELDS } from './samples';

/** Names with a meaning in an event (§6) or around it, where custom data may be mixed in at the same level (§2.5). */
const RESERVED = new Set(
	[
		'name',
		'args',
		'data',
		'type',
		'action',
		'hook_event',
		'custom_data',
		'__proto__',
		...SAMPLE_FIELDS,
	].map(plainName),
);

/** Tells whether custom data under this name could overwrite a field of the event. */
export function isReservedName(name: string): boolean {
	return RESERVED.has(plainName(name));
}
