import { textField } from '../../events/fields';
import { directionOf, givenBridgeId, otherLegOf } from '../../events/legs';
import type { Standing } from '../../events/legs';
import type { CallEvent } from '../../events/parse';
import type { EventValue } from '../../events/table';
import { eventKey } from './repeats';
import type { Claim } from './repeats';

/** An event that may start the workflow of a trigger. */
export interface Candidate {
	/** The trigger's URL. */
	url: string;
	event: CallEvent;
	/** As what it starts the workflow, where that is known. */
	value?: EventValue | undefined;
	/** Set where the call may start the workflow only once. */
	standing?: Standing | undefined;
}

/** How many legs are remembered; each takes about 300 bytes. */
const MAX_LEGS = 10_000;

/** By leg and event, the other leg that it named. */
const named = new Map<string, string>();

/**
 * Tells whether an `open` leg's other leg has named it, too: as legs of the same direction both are they a call without
 * an inbound leg, and the second one to come stands for it. In this process; where the first one came to another, or a
 * restart lies between, the call is not told.
 */
export function isNamedBack({ url, event }: Candidate): boolean {
	const other = otherLegOf(event);
	if (other === undefined) return false;
	const keyOf = (callId: string) => [event.hook, callId, url].join(' ');
	const own = keyOf(event.callId);
	named.delete(own);
	named.set(own, other);
	const [oldest] = named.keys();
	if (named.size > MAX_LEGS && oldest !== undefined) named.delete(oldest);
	return named.get(keyOf(other)) === event.callId;
}

/**
 * Says by what an event is known when it comes again: by `Msg-ID`, leg and kind, or by leg and kind alone where there is
 * no `Msg-ID`. A leg that stands for a call without an inbound leg also speaks for all others that it knows of; a missed
 * call is told even so.
 *
 * @param dropRepeats whether an event that comes again is a repeat at all
 */
export function claimOf({ url, event, value, standing }: Candidate, dropRepeats: boolean): Claim {
	const { hook, callId, fields } = event;
	const message = textField(fields, 'Msg-ID') ?? directionOf(fields) ?? '';
	const own = dropRepeats ? [eventKey([url, message, callId, hook])] : [];
	if (standing === undefined) return { asks: own, leaves: own };

	const keyOf = (kind: 'call' | 'leg', id: string) => [kind, hook, id, url].join(' ');
	if (standing === 'first') {
		const calls = value === 'missed' ? [] : [keyOf('call', callId)];
		return { asks: [...own, ...calls], leaves: [...own, keyOf('leg', callId)] };
	}
	const legs = [callId, otherLegOf(event), givenBridgeId(event)].filter((id) => id !== undefined);
	const calls = legs.map((id) => keyOf('call', id));
	return {
		asks: [...own, ...calls, ...legs.map((id) => keyOf('leg', id))],
		leaves: [...own, ...calls],
	};
}
