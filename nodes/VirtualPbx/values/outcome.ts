import { causeCode, unansweredKind } from './hangupCause';

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
	{ value: 'answered', name: 'Answered', description: 'Someone answered' },
	{ value: 'elsewhere', name: 'Answered Elsewhere', description: 'Another phone took the call' },
	{ value: 'busy', name: 'Busy', description: 'The called party was busy' },
	{
		value: 'cancelled',
		name: 'Canceled',
		description: 'A colleague placed the call, and nobody answered',
	},
	{ value: 'declined', name: 'Declined', description: 'The called party rejected the call' },
	{ value: 'failed', name: 'Failed', description: 'The call could not be connected' },
	{ value: 'missed', name: 'Missed', description: 'A call from outside that nobody answered' },
	{ value: 'ringing', name: 'Ringing', description: 'The call has begun and rings' },
	{
		value: 'voicemail',
		name: 'Voicemail',
		description: 'Only the PBX itself took the call, for example with a mailbox or menu',
	},
] as const satisfies readonly OutcomeRow[];

/** How a call or a leg went. */
export type Outcome = (typeof OUTCOMES)[number]['value'];

/** The outcomes that a call can end with: for filters of ended calls. */
export const END_OUTCOMES = OUTCOMES.filter(({ value }) => value !== 'ringing');

/** What decides how a call or a leg went. */
export interface Facts {
	/** `unsaid`: it is over, and the PBX does not say whether anybody answered. */
	state: 'ringing' | 'answered' | 'unanswered' | 'unsaid';
	/** A colleague placed the call. */
	byColleague: boolean;
	/** Only the exchange itself answered. */
	byExchange: boolean;
	/** The hang-up cause, in any case; undefined for none. */
	cause: string | undefined;
}

/**
 * Says in one word how a call or a leg went. What ended normally counts as answered where the PBX does not say: `missed`
 * is only what surely nobody answered.
 */
export function outcomeOf({ state, byColleague, byExchange, cause }: Facts): Outcome {
	if (state === 'ringing') return 'ringing';
	if (state === 'answered' || (state === 'unsaid' && isNormalEnd(cause)))
		return byExchange ? 'voicemail' : 'answered';
	return unansweredKind(cause) ?? (byColleague ? 'cancelled' : 'missed');
}

/** Tells whether a hang-up cause says nothing of a failure. */
export function isNormalEnd(cause: string | undefined): boolean {
	const code = causeCode(cause);
	return code === undefined || code === 'NORMAL_CLEARING';
}
