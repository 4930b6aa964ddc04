import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { simplifyEvent } from '../../calls/eventItem';
import { callOfEvent } from '../../calls/eventLeg';
import type { LegContext } from '../../calls/eventLeg';
import { filteredBy } from '../../calls/filter';
import { isFirstLeg } from '../../calls/legRole';
import { present } from '../../parameters/output';
import { messageOf } from '../../pbx/errors/meanings';
import { entryOf, readDelivery } from '../../pbx/events/delivery';
import type { Body, Part, Rejection } from '../../pbx/events/delivery';
import { readEvent } from '../../pbx/events/parse';
import type { CallEvent } from '../../pbx/events/parse';
import { withoutSecret } from '../../pbx/events/secret';
import { EVENTS } from '../../pbx/events/table';
import type { EventValue } from '../../pbx/events/table';
import { countryFor } from '../runtime/settings';
import { recordDelivery } from './acceptance';
import { areAuthentic } from './authenticity';
import { dedupeKeysOf, takeFresh } from './deduplication';
import { legInCall, noteInbound } from './legRole';
import type { LegInCall } from './legRole';
import { isSampling, readForDelivery } from './settings';
import type { DeliveryParameters, Selection, Settings } from './settings';

const MAX_WORDS = 500;

const NOT_AUTHENTIC: Rejection = {
	status: 401,
	reason:
		'This delivery does not contain the secret of the webhook. After a new password, the next check of the trigger registers a new secret. If the PBX does not add the custom_data of a webhook to its events, turn off Verify Deliveries in the n8n trigger',
};

const CANNOT_VERIFY: Rejection = {
	status: 401,
	reason:
		'The trigger in n8n cannot tell whether this delivery is genuine. The log of n8n says why; check the credential of the trigger',
};

/**
 * n8n's `webhook`: takes a delivery (§6) and starts the workflow for its events that are wanted. Never throws: a delivery that
 * is not from our webhooks gets a 401 whatever it holds, an event that is not wanted 200, what is broken a 4xx with a reason.
 */
export async function receiveEvents(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	let taken: Taken | undefined;
	try {
		const parameters = readForDelivery(this);
		taken = await take(this, parameters);
		if (!taken) return reject(this, [NOT_AUTHENTIC]);
		return await answer(this, parameters, taken);
	} catch (error) {
		const words = messageOf(error);
		this.logger.error(`Virtual PBX Trigger: a delivery could not be accepted. ${words}`);
		if (!taken) return reject(this, [CANNOT_VERIFY]);
		return reject(this, [
			{ status: 422, reason: `The trigger in n8n cannot accept deliveries: ${words}` },
		]);
	}
}

/** What of a delivery is authentic: its events, or why there are none. */
type Taken = { entries: unknown[] } | { refusal: Rejection };

/** Looks for the secret before anything is said about a delivery; undefined for one that is not authentic. */
async function take(
	context: IWebhookFunctions,
	{ verifies }: DeliveryParameters,
): Promise<Taken | undefined> {
	const { parts, refusal } = readDelivery(await bodyOf(context));
	const authentic = verifies ? await authenticOf(context, parts) : parts;
	if (authentic.length === 0 && verifies) return undefined;
	return refusal ? { refusal } : { entries: authentic.map(entryOf) };
}

/** The parts that carry the secret themselves, or in an envelope around them. */
async function authenticOf(context: IWebhookFunctions, parts: readonly Part[]): Promise<Part[]> {
	const places = [...new Set(parts.flatMap(({ entry, around }) => [...around, entry]))];
	const isAuthentic = await areAuthentic(context, places);
	const genuine = new Set(places.filter((_, index) => isAuthentic[index]));
	return parts.filter(({ entry, around }) => [...around, entry].some((one) => genuine.has(one)));
}

async function answer(
	context: IWebhookFunctions,
	parameters: DeliveryParameters,
	taken: Taken,
): Promise<IWebhookResponseData> {
	if (parameters.verifies) markSender(context);
	const settings = parameters.settings(await countryFor(context));
	if ('refusal' in taken) return reject(context, [taken.refusal]);

	const results = taken.entries.map((entry) => readEvent(entry));
	const events = results.flatMap((result) => ('event' in result ? [result.event] : []));
	const refusals = results.flatMap((result) => ('refusal' in result ? [result.refusal] : []));
	if (refusals.every(({ status }) => status !== 200) && events.length === 0)
		return reject(context, refusals);

	recordDelivery(context, parameters, events);
	const { chosen, ignored } = await chooseEvents(context, settings, events);
	if (chosen.length > 0) {
		return { workflowData: [chosen.map((entry) => ({ json: outputOf(entry, settings) }))] };
	}
	const refused = refusals.map(({ reason }) => reason);
	return {
		webhookResponse: { status: 'ignored', reasons: [...new Set([...ignored, ...refused])] },
	};
}

/** Tells a proxy in front of n8n that this sender knows the secret; docs/front-door has one that remembers. */
function markSender(context: IWebhookFunctions): void {
	context.getResponseObject().setHeader('Virtual-PBX', 'verified');
}

/** An event that starts the workflow, and as what. */
export interface Chosen extends LegInCall {
	event: CallEvent;
	value: EventValue;
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
	noteInbound(context, events);
	for (const event of events) {
		const leg =
			legs === 'oncePerCall' ? legInCall(context, url, event) : { isFirst: isFirstLeg(event) };
		const choice = selectEvent(event, selection, leg);
		if ('ignored' in choice) ignored.push(choice.ignored);
		else wanted.push({ event, value: choice.chosen, ...leg });
	}
	if (context.getMode() === 'manual') return { chosen: wanted, ignored };

	const keys = wanted.map((entry) => dedupeKeysOf(url, entry, settings.dropRepeats));
	const isFresh = await takeFresh(keys, context.getResponseObject());
	const chosen = wanted.filter((_, index) => isFresh[index]);
	if (chosen.length < wanted.length) ignored.push('repeated delivery');
	return { chosen, ignored };
}

/** The event that starts the workflow, or why nothing starts. */
export type Choice = { chosen: EventValue } | { ignored: string };

/** Decides whether an event starts the workflow, and as what: a missed call as `missed` where chosen, else as `ended`. */
export function selectEvent(
	event: CallEvent,
	{ events, legs, filters }: Selection,
	leg: LegContext = { isFirst: isFirstLeg(event) },
): Choice {
	const call = callOfEvent(event, leg);
	const isEnd = event.hook === 'channel_destroy';
	const isMissed = isEnd && leg.isFirst && call.isMissed(filters.countVoicemail) === true;
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
	if (legs === 'oncePerCall' && !leg.isFirst) return { ignored: 'leg not chosen' };
	const reason = filteredBy(call, filters);
	return reason === undefined ? { chosen: row.value } : { ignored: `filtered by ${reason}` };
}

function outputOf({ event, value, isFirst, pair }: Chosen, settings: Settings): IDataObject {
	if (!settings.simplify) return withoutSecret(event.source);
	const { countVoicemail } = settings.filters;
	const customKeys = Object.keys(settings.customData);
	const item = simplifyEvent(event, value, { isFirst, pair, customKeys, countVoicemail });
	return present(item, settings);
}

/** The body as text and as n8n has parsed it, if its type told n8n anything. */
async function bodyOf(context: IWebhookFunctions): Promise<Body> {
	const request = context.getRequestObject();
	const body: unknown = request.body ?? context.getBodyData();
	if (body === undefined) await request.readRawBody?.();
	const raw = request.rawBody?.toString('utf8') ?? '';
	const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
	return { raw, parsed: body, isJson };
}

function reject(context: IWebhookFunctions, refusals: Rejection[]): IWebhookResponseData {
	const status = Math.max(...refusals.map((refusal) => refusal.status));
	const reasons = [...new Set(refusals.map(({ reason }) => reason))];
	context
		.getResponseObject()
		.status(status)
		.json({ status: 'refused', message: reasons.join('; ').slice(0, MAX_WORDS) });
	return { noWebhookResponse: true };
}
