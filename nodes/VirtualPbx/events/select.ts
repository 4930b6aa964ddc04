import type { NumberMatch } from '../values/numbers';
import { secondsField } from './payload';
import { directionOf, isChosenLeg, isFirstLeg } from './legs';
import type { LegMode } from './legs';
import {
	calledOf,
	callerOf,
	causeOf,
	isAnsweredByExchange,
	isFromColleague,
	isInternal,
	isUnanswered,
} from './outcome';
import type { CallEvent } from './parse';
import { EVENTS } from './table';
import type { EventValue } from './table';

/** What else must hold for an event to start the workflow; what is left out does not filter. */
export interface EventFilters {
	/** Either end of the call. */
	number?: NumberMatch | undefined;
	from?: NumberMatch | undefined;
	to?: NumberMatch | undefined;
	direction?: 'inbound' | 'outbound' | undefined;
	internal?: 'exclude' | 'only' | undefined;
	/** In capitals; for ended calls. */
	causes?: readonly string[] | undefined;
	/** For ended calls, but never for missed ones, which have no talk. */
	minTalkSeconds?: number | undefined;
}

/** Which events the user wants. */
export interface Selection {
	events: readonly EventValue[];
	legs: LegMode;
	filters: EventFilters;
	/** Calls that only the exchange itself answered, such as a mailbox, count as missed, too. */
	exchangeIsMissed?: boolean;
	/** Calls that colleagues placed count as missed, too. */
	outgoingIsMissed?: boolean;
}

/** The event that starts the workflow, or why nothing starts. */
export type Choice = { chosen: EventValue } | { ignored: string };

/**
 * Decides whether an event starts the workflow, and as what. A missed call is given as `missed` where that is chosen,
 * else as `ended`; it is one call, so never as both.
 *
 * @param isFirst whether the leg stands for its call; by the event alone where nobody knows more
 */
export function selectEvent(
	event: CallEvent,
	selection: Selection,
	isFirst = isFirstLeg(event),
): Choice {
	const { events, legs, filters } = selection;
	const isMissedCall = events.includes('missed') && countsAsMissed(event, selection);
	const row = isMissedCall
		? EVENTS.find(({ value }) => value === 'missed')
		: EVENTS.find(
				({ value, hook }) => hook === event.hook && value !== 'missed' && events.includes(value),
			);
	if (!row)
		return { ignored: events.includes('missed') ? 'not a missed call' : 'event not chosen' };
	if (!isMissedCall && !isChosenLeg(event, legs, isFirst)) return { ignored: 'leg not chosen' };
	const reason = filteredBy(event, filters, isMissedCall);
	return reason === undefined ? { chosen: row.value } : { ignored: `filtered by ${reason}` };
}

function countsAsMissed(event: CallEvent, { exchangeIsMissed, outgoingIsMissed }: Selection) {
	if (!isUnanswered(event) && !(exchangeIsMissed && isAnsweredByExchange(event))) return false;
	return outgoingIsMissed === true || !isFromColleague(event);
}

function filteredBy(
	event: CallEvent,
	filters: EventFilters,
	isMissedCall: boolean,
): string | undefined {
	const checks: Array<[string, boolean]> = [
		['number', isListed(filters.number, [callerOf(event), calledOf(event)])],
		['caller', isListed(filters.from, [callerOf(event)])],
		['called number', isListed(filters.to, [calledOf(event)])],
		[
			'direction',
			filters.direction === undefined || directionOf(event.fields) === filters.direction,
		],
		[
			'internal calls',
			filters.internal === undefined || isInternal(event) === (filters.internal === 'only'),
		],
	];
	if (event.hook === 'channel_destroy') {
		const { causes = [], minTalkSeconds = 0 } = filters;
		const talk = secondsField(event.fields, 'Billing-Seconds') ?? 0;
		checks.push(['hang-up cause', causes.length === 0 || causes.includes(causeOf(event) ?? '')]);
		checks.push(['talk time', isMissedCall || talk >= minTalkSeconds]);
	}
	return checks.find(([, passes]) => !passes)?.[0];
}

function isListed(match: NumberMatch | undefined, numbers: Array<string | undefined>): boolean {
	return match === undefined || numbers.some((number) => number !== undefined && match(number));
}
