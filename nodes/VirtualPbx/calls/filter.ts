import type { NumberMatch } from '../util/numbers';
import type { End } from '../util/party';
import type { Call } from './call';
import type { Outcome } from './outcome';
import type { CallType } from './parties';

/** What must hold for a call; what is left out does not filter. */
export interface CallFilters {
	callTypes?: readonly CallType[];
	/** Either end of the call. */
	number?: NumberMatch | undefined;
	from?: NumberMatch | undefined;
	to?: NumberMatch | undefined;
	employees?: NumberMatch | undefined;
	/** Of ended calls; in capitals. */
	causes?: readonly string[];
	/** Of ended calls. */
	outcomes?: readonly Outcome[];
	/** Of ended calls. */
	missed?: boolean | undefined;
	/** Of ended calls; missed ones, which have no talk, pass. */
	minTalkSeconds?: number;
	/** Whether a call that only the PBX took counts as missed. */
	countVoicemail: boolean;
}

/** Returns the name of the filter that a call does not pass, if any; caller and cause are those of the leg that began it. */
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
