import { causeCode, unansweredKind } from './hangupCause';
import type { Leg } from './leg';

/** One row of the table of outcomes. */
interface OutcomeRow {
	/** In the output; stored in workflows. */
	value: string;
	/** In the editor. */
	name: string;
	description: string;
}

/** How a call or a leg went, in one word, in the alphabetical order of their names: the one place that names the words. */
export const OUTCOMES = [
	{ value: 'answered', name: 'Answered', description: 'A person answered' },
	{
		value: 'elsewhere',
		name: 'Answered Elsewhere',
		description: 'Another phone took the call; for single legs only',
	},
	{ value: 'busy', name: 'Busy', description: 'The called party was busy' },
	{ value: 'declined', name: 'Declined', description: 'The called party rejected the call' },
	{ value: 'failed', name: 'Failed', description: 'The call could not be connected' },
	{ value: 'noAnswer', name: 'No Answer', description: 'Nobody answered' },
	{ value: 'ringing', name: 'Ringing', description: 'The call has begun and rings' },
	{
		value: 'voicemail',
		name: 'Voicemail',
		description: 'Only the PBX itself took the call, for example with a mailbox or menu',
	},
] as const satisfies readonly OutcomeRow[];

/** How a call or a leg went. */
export type Outcome = (typeof OUTCOMES)[number]['value'];

/** The outcomes with which a leg can end: for filters. */
export const END_OUTCOMES = OUTCOMES.filter(({ value }) => value !== 'ringing');

/** Tells whether a hang-up cause says nothing of a failure. */
export function isNormalEnd(cause: string | undefined): boolean {
	const code = causeCode(cause);
	return code === undefined || code === 'NORMAL_CLEARING';
}

/** How one leg went. One that ended normally counts as answered where the PBX does not say. */
export function outcomeOfLeg({ state, cause }: Leg): Outcome {
	if (state === 'ringing' || state === 'answered') return state;
	if (state !== 'unanswered' && isNormalEnd(cause)) return 'answered';
	return unansweredKind(cause) ?? 'noAnswer';
}

/** The legs of a call by their parts in it. */
export interface OutcomeParts {
	/** The leg that began the call; undefined where it is not known. */
	first: Leg | undefined;
	/** The legs that somebody may have picked up. */
	called: readonly Leg[];
	isOutgoing: boolean;
	/** Whether a leg that is not there does not exist. */
	isWhole: boolean;
}

/** How a call went. Without an answer, the leg that began it tells, which is all that an event knows; else the others. */
export function outcomeOfCall(parts: OutcomeParts): Outcome {
	const { first, called } = parts;
	if (called.some(({ state }) => state === 'answered')) return 'answered';
	if (first === undefined || first.state === 'unknown') return outcomeOfCalled(called);
	if (first.state === 'ringing') return 'ringing';
	if (first.state === 'answered') return outcomeOfTaken(parts);
	const isOver = called.length > 0 && called.every(({ state }) => state === 'unanswered');
	const outcome = outcomeOfLeg({ ...first, state: isOver ? 'unanswered' : first.state });
	return outcome === 'elsewhere' ? 'answered' : outcome;
}

/** The leg that began the call was answered, and no other one surely was; one may say that another phone took the call. */
function outcomeOfTaken({ called, isOutgoing, isWhole }: OutcomeParts): Outcome {
	if (called.length === 0) return isWhole && !isOutgoing ? 'voicemail' : 'answered';
	const isTaken = called.every(
		(leg) => leg.state !== 'unknown' && !['answered', 'elsewhere'].includes(outcomeOfLeg(leg)),
	);
	if (!isTaken) return 'answered';
	return isOutgoing ? outcomeOfCalled(called) : 'voicemail';
}

/** A failure counts where all legs failed in the same way. */
function outcomeOfCalled(called: readonly Leg[]): Outcome {
	const all = called.map(outcomeOfLeg);
	const [only] = all;
	if (only !== undefined && all.every((one) => one === only)) return only;
	return (['answered', 'ringing'] as const).find((one) => all.includes(one)) ?? 'noAnswer';
}
