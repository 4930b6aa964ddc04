import type { Cdr } from '../pbx/cdrs/cdr';
import type { Leg } from './leg';
import { callEnd, SIDES } from './leg';
import { employeeAt } from './parties';

/** Reads a record as a leg. */
export function legOfCdr(cdr: Cdr): Leg {
	const { direction, talkSeconds: talk, settings } = cdr;
	const [from, to] = [callEnd(cdr.caller, settings), callEnd(cdr.callee, settings)];
	return {
		id: cdr.callId,
		otherId: cdr.otherCallId,
		callId: cdr.bridgeId,
		side: direction && SIDES[direction],
		from,
		to,
		employee: employeeAt(direction === 'outbound' ? to : from),
		origin: cdr.origin,
		isInternal: cdr.isInternalLeg,
		isForMachine: cdr.isForMachine,
		state: stateOf(talk),
		isOver: true,
		talk,
		cause: cdr.hangupCause,
		at: cdr.endedAt,
		beganAt: cdr.beganAt,
	};
}

function stateOf(talk: number | undefined): Leg['state'] {
	if (talk === undefined) return 'unsaid';
	return talk > 0 ? 'answered' : 'unanswered';
}
