import type { End } from '../util/party';
import type { NumberMatch } from '../util/phone';
import type { Call } from './call';
import type { Outcome } from './outcome';
import type { CallType } from './parties';

/** The conditions that a call must meet. Omitted ones don't filter. */
export interface CallFilters {
	callTypes?: readonly CallType[];
	/** Matches either end of the call. */
	number?: NumberMatch | undefined;
	from?: NumberMatch | undefined;
	to?: NumberMatch | undefined;
	employees?: NumberMatch | undefined;
	/** Ended calls only; in capitals. */
	causes?: readonly string[];
	/** Ended calls only. */
	outcomes?: readonly Outcome[];
	/** Ended calls only. */
	missed?: boolean | undefined;
	/** Ended calls only. Missed calls, which have no duration, pass. */
	minTalkSeconds?: number;
	/** Whether a call that reached only the PBX itself counts as missed. */
	countVoicemail: boolean;
}

/**
 * Returns the name of the first filter that a call fails, if any. Caller and cause are those of the leg that began it.
 */
export function rejectionReason(call: Call, filters: CallFilters): string | undefined {
	const checks = [...checksOfParties(call, filters)];
	if (call.legs.some((leg) => leg.isOver)) checks.push(...checksOfEnd(call, filters));
	return checks.find(([, passes]) => !passes)?.[0];
}

type Check = [name: string, passes: boolean];

function checksOfParties({ lead, legs, type, employee }: Call, filters: CallFilters): Check[] {
	const began = legs.filter(({ side }) => side !== 'called');
	const callers = [lead, ...began].map(({ from }) => from);
	const called = legs.map(({ to }) => to);
	return [
		['call type', isOneOf(type, filters.callTypes)],
		['number', isListed(filters.number, [...callers, ...called])],
		['caller number', isListed(filters.from, callers)],
		['called number', isListed(filters.to, called)],
		['employee', filters.employees === undefined || filters.employees(employee?.user ?? '')],
	];
}

function checksOfEnd(call: Call, filters: CallFilters): Check[] {
	const { minTalkSeconds = 0 } = filters;
	const missed = call.isMissed(filters.countVoicemail);
	return [
		['hang-up cause', isOneOf(call.cause, filters.causes)],
		['outcome', isOneOf(call.outcome, filters.outcomes)],
		['missed', filters.missed === undefined || filters.missed === missed],
		['talk time', missed === true || minTalkSeconds <= 0 || (call.talk ?? 0) >= minTalkSeconds],
	];
}

function isOneOf<T>(value: T | undefined, wanted: readonly T[] = []): boolean {
	return wanted.length === 0 || (value !== undefined && wanted.includes(value));
}

function isListed(match: NumberMatch | undefined, ends: ReadonlyArray<End | undefined>): boolean {
	return match === undefined || ends.some((end) => end !== undefined && match(end.text));
}
