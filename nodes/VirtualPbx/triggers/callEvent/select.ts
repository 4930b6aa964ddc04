import type { IWebhookFunctions } from 'n8n-workflow';

import type { LegContext } from '../../events/leg';
import { callOfEvent, eventFilteredBy } from '../../events/leg';
import type { CallEvent } from '../../events/parse';
import type { Standing } from '../../events/standing';
import { isFirstLeg, standingOf } from '../../events/standing';
import type { EventValue } from '../../events/table';
import { EVENTS } from '../../events/table';
import type { Answering } from './deduplication';
import { claimOf, pairOf, takeFresh } from './deduplication';
import { lackFirstLegs, noteInbound } from './firstLegs';
import type { Selection, Settings } from './settings';
import { isSampling } from './settings';

/** An event that starts the workflow, and as what. */
export interface Chosen extends Place {
	event: CallEvent;
	value: EventValue;
}

/** What a leg is in its call. */
interface Place extends LegContext {
	/** Set where the call may start the workflow only once. */
	standing?: Standing | undefined;
}

/** Chooses the events of one delivery that start the workflow; says why the others do not. */
export async function chooseEvents(
	context: IWebhookFunctions,
	settings: Settings,
	events: readonly CallEvent[],
): Promise<{ chosen: Chosen[]; ignored: string[] }> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const { legs, countVoicemail } = { ...settings, ...settings.filters };
	const selection: Selection = isSampling(context)
		? { events: settings.events, legs, filters: { countVoicemail } }
		: settings;
	const ignored: string[] = [];
	const wanted: Chosen[] = [];
	noteInbound(url, events);
	for (const event of events) {
		const place =
			legs === 'oncePerCall' ? placeInCall(context, url, event) : { isFirst: isFirstLeg(event) };
		const choice = selectEvent(event, selection, place);
		if ('ignored' in choice) ignored.push(choice.ignored);
		else wanted.push({ event, value: choice.chosen, ...place });
	}
	if (context.getMode() === 'manual') return { chosen: wanted, ignored };

	const claims = wanted.map((entry) => claimOf(url, entry, settings.dropRepeats));
	const isFresh = await takeFresh(claims, context.getResponseObject() as Partial<Answering>);
	const chosen = wanted.filter((_, index) => isFresh[index]);
	if (chosen.length < wanted.length) ignored.push('repeated delivery');
	return { chosen, ignored };
}

/** What a leg is in its call, and whether it stands for it, by all that this process knows. */
function placeInCall(context: IWebhookFunctions, url: string, event: CallEvent): Place {
	const standing = standingOf(event);
	const pair = standing === 'open' ? pairOf(url, event) : undefined;
	const isFirst = standing === 'open' ? pair !== undefined : standing !== 'other';
	if (isFirst || !mayStandForCall(event)) return { standing, isFirst, pair };
	return lackFirstLegs(context, url)
		? { standing: 'alone', isFirst: true }
		: { standing, isFirst: false };
}

/**
 * Tells whether an outbound leg may stand for its call where calls have no inbound leg (docs/internals/calls.md). Its end is
 * that of the call when it was talked on or the caller gave up; after any other one the call may ring elsewhere.
 */
function mayStandForCall(event: CallEvent): boolean {
	const { hook, direction, otherDirection } = event;
	if (direction !== 'outbound' || otherDirection === 'outbound') return false;
	if (hook !== 'channel_destroy') return true;
	const [leg] = callOfEvent(event, { isFirst: false }).legs;
	return leg?.state === 'answered' || leg?.cause === 'ORIGINATOR_CANCEL';
}

/** The event that starts the workflow, or why nothing starts. */
export type Choice = { chosen: EventValue } | { ignored: string };

/**
 * Decides whether an event starts the workflow, and as what: a missed call as `missed` where that is chosen, else as `ended`.
 */
export function selectEvent(
	event: CallEvent,
	{ events, legs, filters }: Selection,
	place: LegContext = { isFirst: isFirstLeg(event) },
): Choice {
	const call = callOfEvent(event, place);
	const isEnd = event.hook === 'channel_destroy';
	const isMissed = isEnd && place.isFirst && call.isMissed(filters.countVoicemail) === true;
	const row = EVENTS.find(
		({ value, hook }) =>
			hook === event.hook &&
			events.includes(value) &&
			(value === 'missed') === (isMissed && events.includes('missed')),
	);
	if (!row)
		return { ignored: events.includes('missed') ? 'not a missed call' : 'event not chosen' };
	if (legs === 'oncePerCall' && !place.isFirst) return { ignored: 'leg not chosen' };
	const reason = eventFilteredBy(event, place, filters);
	return reason === undefined ? { chosen: row.value } : { ignored: `filtered by ${reason}` };
}
