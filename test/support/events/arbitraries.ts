import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { callOfEvent, simplifyEvent } from '../../../nodes/VirtualPbx/calls/event';
import type { EventCall, EventOptions, LegContext } from '../../../nodes/VirtualPbx/calls/event';
import { readEvent } from '../../../nodes/VirtualPbx/pbx/events/callEvent';
import type { CallEvent } from '../../../nodes/VirtualPbx/pbx/events/callEvent';
import { sampleOf, EVENTS } from '../../../nodes/VirtualPbx/pbx/events/table';
import type { EventValue } from '../../../nodes/VirtualPbx/pbx/events/table';
import { isFirstLeg } from '../../../nodes/VirtualPbx/triggers/callEvent/select';

/** An event of each kind, as §6 describes it. */
export const samples = fc.constantFrom(
	...EVENTS.map(({ value }) => sampleOf(value, 63_962_000_000)),
);

/** Platforms' spellings of field names. */
export const spellings = fc.constantFrom<(name: string) => string>(
	(name) => name,
	(name) => name.toLowerCase(),
	(name) => name.toLowerCase().replace(/-/g, '_'),
	(name) => name.replace(/-/g, ''),
);

/** Respells all keys of an object, inner objects included. */
export function respell(value: IDataObject, spelling: (name: string) => string): IDataObject {
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [
			spelling(key),
			typeof entry === 'object' && entry !== null ? respell(entry as IDataObject, spelling) : entry,
		]),
	) as IDataObject;
}

/**
 * Parses a delivery's entry as an event.
 *
 * @throws Error if it isn't one
 */
export function parsedEvent(entry: unknown): CallEvent {
	const read = readEvent(entry);
	if ('rejection' in read) throw new Error(read.rejection.reason);
	return read.event;
}

/** Returns an event's call, with what is known of its leg. */
export function eventCall(
	event: CallEvent,
	leg: LegContext = { standsForCall: isFirstLeg(event) },
): EventCall {
	return { event, call: callOfEvent(event, leg), ...leg };
}

/** Returns the item of an event. */
export function itemOf(
	event: CallEvent,
	value: EventValue,
	{ standsForCall = isFirstLeg(event), pair, ...options }: Partial<LegContext> & EventOptions = {},
): IDataObject {
	return simplifyEvent(eventCall(event, { standsForCall, pair }), value, options);
}
