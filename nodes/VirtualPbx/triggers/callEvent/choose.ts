import type { IWebhookFunctions } from 'n8n-workflow';

import { standingOf } from '../../events/legs';
import { mayStandForCall } from '../../events/outcome';
import type { CallEvent } from '../../events/parse';
import { selectEvent } from '../../events/select';
import type { EventValue } from '../../events/table';
import { claimOf, isNamedBack } from './identity';
import type { Candidate } from './identity';
import { lackInbound, noteInbound, recentRecords } from './inboundLegs';
import { takeFresh } from './repeats';
import type { Answering } from './repeats';
import { isSampling } from './sample';
import type { Settings } from './settings';

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
