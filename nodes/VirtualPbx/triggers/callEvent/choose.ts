import type { IWebhookFunctions } from 'n8n-workflow';

import { callOfEvent } from '../../calls/event';
import type { EventCall } from '../../calls/event';
import { rejectionReason } from '../../calls/filter';
import type { CallEvent } from '../../pbx/events/callEvent';
import { EVENTS } from '../../pbx/events/table';
import type { EventValue } from '../../pbx/events/table';
import { dedupeKeysOf, isNew } from './deduplication';
import { isFirstLeg, legInCall } from './firstLeg';
import type { LegInCall } from './firstLeg';
import { wantsSamples } from './settings';
import type { Selection, Settings } from './settings';

/** An event that starts the workflow, and the value it starts with. */
export interface Chosen extends EventCall, LegInCall {
	value: EventValue;
}

/** Decides whether an event starts the workflow, or says why it doesn't. */
export async function chooseEvent(
	context: IWebhookFunctions,
	settings: Settings,
	event: CallEvent,
): Promise<{ chosen: Chosen } | { ignored: string }> {
	const { legs, account } = settings;
	if (event.isInternalLeg) return { ignored: 'internal leg' };
	const { countVoicemail } = settings.filters;
	const isManual = context.getMode() === 'manual';
	const selection: Selection =
		isManual && wantsSamples(context)
			? { events: settings.events, legs, filters: { countVoicemail } }
			: settings;
	const leg: LegInCall =
		legs === 'oncePerCall'
			? legInCall(context, event, account)
			: { isFirst: isFirstLeg(event, account) };
	const shown = Object.assign({ event, call: callOfEvent(event, leg, account) }, leg);
	const choice = selectEvent(shown, selection);
	if ('ignored' in choice) return choice;
	const chosen = Object.assign(shown, { value: choice.chosen });
	if (isManual) return { chosen };

	const url = context.getNodeWebhookUrl('default') ?? '';
	const keys = dedupeKeysOf(url, chosen, settings.dropRepeats);
	const isFresh = await isNew(keys, context.getResponseObject());
	return isFresh ? { chosen } : { ignored: 'repeated delivery' };
}

/** The event that starts the workflow, or why nothing starts. */
export type Choice = { chosen: EventValue } | { ignored: string };

/** Decides whether an event starts the workflow: a missed call as `missed` if selected, else as `ended`. */
export function selectEvent(
	{ event, call, isFirst }: EventCall,
	{ events, legs, filters }: Selection,
): Choice {
	const isEnd = event.hook === 'channel_destroy';
	const isMissed = isEnd && isFirst && call.isMissed(filters.countVoicemail) === true;
	const row = EVENTS.find(
		({ value, hook }) =>
			hook === event.hook &&
			events.includes(value) &&
			(value === 'missed') === (isMissed && events.includes('missed')),
	);
	if (!row)
		return {
			ignored: isEnd && events.includes('missed') ? 'not a missed call' : 'event not chosen',
		};
	if (legs === 'oncePerCall' && !isFirst) return { ignored: 'leg not chosen' };
	const reason = rejectionReason(call, filters);
	return reason === undefined ? { chosen: row.value } : { ignored: `filtered by ${reason}` };
}
