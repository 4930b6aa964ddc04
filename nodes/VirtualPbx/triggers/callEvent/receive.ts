import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { simplifyEvent } from '../../calls/event';
import { CREDENTIAL, credentialFor } from '../../parameters/credential';
import { messageOf } from '../../pbx/errors/meanings';
import type { CallEvent } from '../../pbx/events/callEvent';
import { readEvent } from '../../pbx/events/callEvent';
import type { DeliveryRejection } from '../../pbx/events/delivery';
import {
	readDelivery,
	findTags,
	matchesSecret,
	secretOf,
	withoutTag,
} from '../../pbx/events/delivery';
import { sampleEvents } from '../../pbx/events/table';
import type { CredentialData } from '../../pbx/types';
import { formatNumbers } from '../../util/phone';
import { unixToGregorian } from '../../util/time';
import { runtimeOf } from '../runtime/nodeRuntime';
import { receiveBody } from '../runtime/requests';
import { EventGroups } from './deduplication';
import type { Settings } from './parameters';
import { isSampling, readSettings, verifies } from './parameters';
import type { Chosen } from './select';
import { chooseEvent } from './select';

const MAX_REASON_LENGTH = 500;

const NOT_AUTHENTIC: DeliveryRejection = {
	status: 401,
	reason:
		"This delivery doesn't contain the webhook's secret. If the PBX doesn't add the custom_data of a webhook to its events, turn off 'Verify Deliveries' in the n8n trigger",
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
 * with a reason. Bodies that are too large or multipart aren't read at all.
 */
export async function receiveEvents(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const body = await receiveBody(this);
	if ('fault' in body) return reject(this, { status: body.status, reason: body.fault });
	let isVerified = false;
	try {
		const delivery = readDelivery(body);
		// The items are samples, no matter who asks, and a person waits for them.
		if (isSampling(this)) {
			const known = (await credentialFor(this)) ?? {};
			return await startWithSamples(this, readSettings(this, known));
		}
		const credential = await verifiedCredential(this, delivery);
		if (!credential) return reject(this, NOT_AUTHENTIC);
		isVerified = true;
		const settings = readSettings(this, credential);
		if ('rejection' in delivery) return reject(this, delivery.rejection);
		const read = readEvent(delivery.entry);
		return 'event' in read
			? await startIfChosen(this, read.event, settings)
			: reject(this, read.rejection);
	} catch (error) {
		const words = messageOf(error);
		this.logger.error(`Virtual PBX Trigger: a delivery couldn't be accepted. ${words}`);
		if (!isVerified) return reject(this, CANNOT_VERIFY);
		const reason = `The trigger in n8n can't accept deliveries: ${words}`;
		return reject(this, { status: 422, reason });
	}
}

/** Checks a delivery's secret. Returns the credential; undefined if the delivery should have the secret and hasn't. */
async function verifiedCredential(
	context: IWebhookFunctions,
	delivery: ReturnType<typeof readDelivery>,
): Promise<CredentialData | undefined> {
	if (!verifies(context)) return (await credentialFor(context)) ?? {};
	const given = 'entry' in delivery ? findTags(delivery.entry).map(({ secret }) => secret) : [];
	if (given.length === 0) return undefined;
	const credential = await context.getCredentials<CredentialData>(CREDENTIAL);
	const secret = secretOf(credential, runtimeOf(context).key);
	if (secret === undefined || !matchesSecret(given, secret)) return undefined;
	// Shows a proxy in front of n8n that this sender knows the secret. docs/front-door has one that remembers it.
	context.getResponseObject().setHeader('Virtual-PBX', 'verified');
	return credential;
}

/** Starts the workflow with an event, if it's selected. */
async function startIfChosen(
	context: IWebhookFunctions,
	event: CallEvent,
	settings: Settings,
): Promise<IWebhookResponseData> {
	const choice = await chooseEvent(context, settings, event);
	if ('ignored' in choice)
		return { webhookResponse: { status: 'ignored', reasons: [choice.ignored] } };
	const items = [outputOf(choice.chosen, settings)];
	return settings.groupEvents ? await joinGroup(context, items) : startWith(items);
}

async function startWithSamples(
	context: IWebhookFunctions,
	settings: Settings,
): Promise<IWebhookResponseData> {
	const items: IDataObject[] = [];
	for (const event of readSamples(settings)) {
		const choice = await chooseEvent(context, settings, event);
		if ('chosen' in choice) items.push(outputOf(choice.chosen, settings));
	}
	return startWith(items);
}

/** Returns a sample of every selected event, as {@link readEvent} reads it. */
function readSamples({ events, customData }: Settings): CallEvent[] {
	const now = unixToGregorian(Math.floor(Date.now() / 1000));
	return sampleEvents(events, now, customData)
		.map(readEvent)
		.flatMap((read) => ('event' in read ? [read.event] : []));
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
	if (!items) return reject(context, NOT_STARTED);
	return items.length > 0 ? startWith(items) : { webhookResponse: { status: 'grouped' } };
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

function reject(
	context: IWebhookFunctions,
	{ status, reason }: DeliveryRejection,
): IWebhookResponseData {
	const message = reason.slice(0, MAX_REASON_LENGTH);
	context.getResponseObject().status(status).json({ status: 'refused', message });
	return { noWebhookResponse: true };
}
