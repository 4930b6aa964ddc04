import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { simplifyEvent } from '../../calls/event';
import { credentialFor } from '../../parameters/credential';
import { messageOf } from '../../pbx/errors/meanings';
import { readEvent } from '../../pbx/events/callEvent';
import type { CallEvent } from '../../pbx/events/callEvent';
import { entryOf, readDelivery } from '../../pbx/events/delivery';
import type { Body, DeliveryRejection } from '../../pbx/events/delivery';
import { withoutTag } from '../../pbx/events/webhookTag';
import { formatNumbers } from '../../util/phone/forms';
import { deliveryAddress } from '../runtime/address';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { Authentic } from './authenticity';
import { findAuthentic } from './authenticity';
import { chooseEvents } from './choose';
import type { Chosen } from './choose';
import { EventGroups } from './eventGroup';
import { recordAccepted } from './registration/deliveries';
import { currentParameters, settingsFor } from './settings';
import type { KnownParameters, Settings } from './settings';

const MAX_REASON_LENGTH = 500;

const NOT_AUTHENTIC: DeliveryRejection = {
	status: 401,
	reason:
		"This delivery doesn't contain the webhook's secret. After a password change, the trigger's next check registers a new secret. If the PBX doesn't add the custom_data of a webhook to its events, turn off 'Verify Deliveries' in the n8n trigger",
};

const CANNOT_VERIFY: DeliveryRejection = {
	status: 401,
	reason:
		"The trigger in n8n can't verify this delivery. The n8n log says why; check the trigger's credential",
};

const NOT_STARTED: DeliveryRejection = {
	status: 503,
	reason: "n8n couldn't start the workflow with these events",
};

/**
 * Implements n8n's `webhook`: starts the workflow for the selected events of a delivery (§6). Never throws. A delivery
 * that isn't from this node's webhooks gets 401 whatever it contains, an unselected event 200, a malformed delivery 4xx
 * with a reason.
 */
export async function receiveEvents(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	let taken: Taken | undefined;
	try {
		taken = await take(this);
		if (!taken) return reject(this, [NOT_AUTHENTIC]);
		return await respond(this, taken);
	} catch (error) {
		const words = messageOf(error);
		this.logger.error(`Virtual PBX Trigger: a delivery couldn't be accepted. ${words}`);
		if (!taken) return reject(this, [CANNOT_VERIFY]);
		return reject(this, [
			{ status: 422, reason: `The trigger in n8n can't accept deliveries: ${words}` },
		]);
	}
}

/** The authentic part of a delivery: its events, or why there are none. */
type Taken = { parameters: KnownParameters; credential: Authentic['credential'] } & (
	| { entries: unknown[] }
	| { rejection: DeliveryRejection }
);

/** Verifies the secret before revealing anything about a delivery; undefined if it isn't authentic. */
async function take(context: IWebhookFunctions): Promise<Taken | undefined> {
	const { parts, rejection } = readDelivery(await bodyOf(context));
	const runtime = runtimeOf(context);
	const parameters = currentParameters(context, runtime);
	const { isVerifying } = parameters;
	const authentic: Authentic = isVerifying
		? await findAuthentic(context, runtime, parts)
		: { parts, credential: undefined };
	if (isVerifying && authentic.parts.length === 0) return undefined;
	// Shows a proxy in front of n8n that this sender knows the secret. docs/front-door has one that remembers it.
	if (isVerifying) context.getResponseObject().setHeader('Virtual-PBX', 'verified');
	const known = { parameters, credential: authentic.credential };
	return rejection ? { ...known, rejection } : { ...known, entries: authentic.parts.map(entryOf) };
}

async function respond(context: IWebhookFunctions, taken: Taken): Promise<IWebhookResponseData> {
	const { parameters } = taken;
	const credential = taken.credential ?? (await credentialFor(context)) ?? {};
	const settings = settingsFor(context, parameters, credential);
	if ('rejection' in taken) return reject(context, [taken.rejection]);

	const results = taken.entries.map((entry) => readEvent(entry));
	const events = results.flatMap((result) => ('event' in result ? [result.event] : []));
	const rejections = results.flatMap((result) => ('rejection' in result ? [result.rejection] : []));
	if (rejections.every(({ status }) => status !== 200) && events.length === 0)
		return reject(context, rejections);

	recordOnceAccepted(context, parameters.deliveryUrl, events);
	const { chosen, ignored } = await chooseEvents(context, settings, events);
	if (chosen.length > 0) {
		const items = chosen.map((entry) => outputOf(entry, settings));
		return settings.groupEvents ? await joinGroup(context, items) : startWith(items);
	}
	const refused = rejections.map(({ reason }) => reason);
	return {
		webhookResponse: { status: 'ignored', reasons: [...new Set([...ignored, ...refused])] },
	};
}

const startWith = (items: IDataObject[]): IWebhookResponseData => ({
	workflowData: [items.map((json) => ({ json }))],
});

/** Starts the workflow with the events of several deliveries, or responds to one whose events started it. */
async function joinGroup(
	context: IWebhookFunctions,
	own: IDataObject[],
): Promise<IWebhookResponseData> {
	if (context.getMode() === 'manual') return startWith(own);
	const items = await runtimeOf(context).memory(EventGroups).join(own, context.getResponseObject());
	if (!items) return reject(context, [NOT_STARTED]);
	return items.length > 0 ? startWith(items) : { webhookResponse: { status: 'grouped' } };
}

/** Records a delivery's events as accepted once n8n responds 200, the only success for the PBX. */
function recordOnceAccepted(
	context: IWebhookFunctions,
	deliveryUrl: unknown,
	events: readonly CallEvent[],
): void {
	if (context.getMode() === 'manual') return;
	const url = context.getNodeWebhookUrl('default') ?? '';
	const response = context.getResponseObject();
	response.once('finish', () => {
		const address = deliveryAddress(url, deliveryUrl);
		if (response.statusCode !== 200 || !('url' in address)) return;
		for (const hook of new Set(events.map((event) => event.hook)))
			recordAccepted(context, address.url, hook);
	});
}

function outputOf(chosen: Chosen, settings: Settings): IDataObject {
	if (!settings.simplify) return withoutTag(chosen.event.source);
	const { country, includeDetails, customData, filters } = settings;
	const item = simplifyEvent(chosen, chosen.value, {
		customKeys: Object.keys(customData),
		countVoicemail: filters.countVoicemail,
		includeDetails,
	});
	return formatNumbers(item, country);
}

/** Returns the body as text, and parsed if n8n knows its type. */
async function bodyOf(context: IWebhookFunctions): Promise<Body> {
	const request = context.getRequestObject();
	const body: unknown = request.body ?? context.getBodyData();
	if (body === undefined) await request.readRawBody?.();
	const raw = request.rawBody?.toString('utf8') ?? '';
	const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
	return { raw, parsed: body, isJson };
}

function reject(context: IWebhookFunctions, rejections: DeliveryRejection[]): IWebhookResponseData {
	const status = Math.max(...rejections.map((rejection) => rejection.status));
	const reasons = [...new Set(rejections.map(({ reason }) => reason))];
	context
		.getResponseObject()
		.status(status)
		.json({ status: 'refused', message: reasons.join('; ').slice(0, MAX_REASON_LENGTH) });
	return { noWebhookResponse: true };
}
