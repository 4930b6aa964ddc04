import type { IWebhookFunctions } from 'n8n-workflow';

import {
	calledOf,
	callerOf,
	causeOf,
	isAnsweredByExchange,
	isFromColleague,
	isInternal,
	isUnanswered,
	mayStandForCall,
	outcomeOfEvent,
} from '../../events/outcome';
import type { CallEvent } from '../../events/parse';
import { isChosenLeg, isFirstLeg, standingOf } from '../../events/parse';
import { secondsField } from '../../events/payload';
import type { EventValue } from '../../events/table';
import { EVENTS } from '../../events/table';
import type { NumberMatch } from '../../values/numbers';
import type { Answering, Candidate } from './memory';
import { claimOf, isNamedBack, lackInbound, noteInbound, recentRecords, takeFresh } from './memory';
import type { EventFilters, Selection, Settings } from './settings';
import { isSampling } from './settings';

/** An event that starts the workflow, and as what. */
export interface Chosen extends Candidate {
	value: EventValue;
	/** The leg stands for its call, where more is known than its event tells. */
	isFirst?: boolean | undefined;
}

/**
 * Chooses the events of one delivery that start the workflow.
 *
 * @returns them, and why the others do not
 */
export async function chooseEvents(
	context: IWebhookFunctions,
	settings: Settings,
	events: readonly CallEvent[],
): Promise<{ chosen: Chosen[]; ignored: string[] }> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const selection = isSampling(context)
		? { events: settings.events, legs: settings.legs, filters: {} }
		: settings;
	const ignored: string[] = [];
	const wanted: Chosen[] = [];
	noteInbound(url, events);
	for (const event of events) {
		const place = settings.legs === 'oncePerCall' ? placeInCall(context, url, event) : {};
		const { isFirst } = place;
		const choice = selectEvent(event, selection, isFirst);
		if ('ignored' in choice) ignored.push(choice.ignored);
		else wanted.push({ url, event, value: choice.chosen, ...place });
	}
	if (context.getMode() === 'manual') return { chosen: wanted, ignored };

	const claims = wanted.map((entry) => claimOf(entry, settings.dropRepeats));
	const isFresh = await takeFresh(claims, context.getResponseObject() as Partial<Answering>);
	const chosen = wanted.filter((_, index) => isFresh[index]);
	if (chosen.length < wanted.length) ignored.push('repeated delivery');
	return { chosen, ignored };
}

/** What a leg is in its call, and whether it stands for it, by all that this process knows. */
function placeInCall(
	context: IWebhookFunctions,
	url: string,
	event: CallEvent,
): Pick<Chosen, 'standing' | 'isFirst'> {
	const standing = standingOf(event);
	const isFirst = standing === 'open' ? isNamedBack({ url, event }) : standing !== 'other';
	if (isFirst || !mayStandForCall(event)) return { standing, isFirst };
	const isAlone = lackInbound(url, () => recentRecords(context));
	return isAlone ? { standing: 'alone', isFirst: true } : { standing, isFirst };
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
		['direction', filters.direction === undefined || event.direction === filters.direction],
		[
			'internal calls',
			filters.internal === undefined || isInternal(event) === (filters.internal === 'only'),
		],
	];
	if (event.hook === 'channel_destroy') checks.push(...checksOfEnd(event, filters, isMissedCall));
	return checks.find(([, passes]) => !passes)?.[0];
}

function checksOfEnd(
	event: CallEvent,
	{ causes = [], outcomes = [], minTalkSeconds = 0 }: EventFilters,
	isMissedCall: boolean,
): Array<[string, boolean]> {
	const talk = secondsField(event.fields, 'Billing-Seconds') ?? 0;
	return [
		['hang-up cause', causes.length === 0 || causes.includes(causeOf(event) ?? '')],
		['outcome', outcomes.length === 0 || outcomes.includes(outcomeOfEvent(event))],
		['talk time', isMissedCall || talk >= minTalkSeconds],
	];
}

function isListed(match: NumberMatch | undefined, numbers: Array<string | undefined>): boolean {
	return match === undefined || numbers.some((number) => number !== undefined && match(number));
}
