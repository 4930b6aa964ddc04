import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readEntries } from '../../events/body';
import type { Body, Refusal } from '../../events/body';
import { readEvent } from '../../events/parse';
import { withoutSecret } from '../../events/secret';
import { simplify } from '../../events/simplify';
import { chooseEvents } from './choose';
import type { Chosen } from './choose';
import { readSettings } from './settings';
import type { Settings } from './settings';
import { distrust } from './trust';

const MAX_WORDS = 500;

/**
 * n8n's `webhook`: takes a delivery (§6), starts the workflow for the events in it that are wanted, and answers.
 * Never throws: a refused delivery gets a 4xx with a reason and starts nothing, an unwanted event gets 200.
 */
export async function receiveEvents(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await receive(this);
	} catch (error) {
		const words = error instanceof Error ? error.message : 'unknown reason';
		this.logger.error(`Virtual PBX Trigger: a delivery could not be taken. ${words}`);
		return refuse(this, [
			{ status: 422, reason: `The trigger in n8n cannot take deliveries: ${words}` },
		]);
	}
}

async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const settings = readSettings(context);
	const read = readEntries(await bodyOf(context));
	if ('refusal' in read) return refuse(context, [read.refusal]);

	const results = read.entries.map(readEvent);
	const doubts = settings.verifyDeliveries ? await distrust(context, read) : [];
	const refusals = results.flatMap((result, index) => {
		const refusal = 'refusal' in result ? result.refusal : doubts[index];
		return refusal ? [refusal] : [];
	});
	const events = results.flatMap((result, index) =>
		'event' in result && !doubts[index] ? [result.event] : [],
	);
	if (events.length === 0) return refuse(context, refusals);

	const { chosen, ignored } = await chooseEvents(context, settings, events);
	if (chosen.length > 0) {
		return { workflowData: [chosen.map((entry) => ({ json: outputOf(entry, settings) }))] };
	}
	const refused = refusals.map(({ reason }) => reason);
	return {
		webhookResponse: { status: 'ignored', reasons: [...new Set([...ignored, ...refused])] },
	};
}

function outputOf({ event, value, isFirst }: Chosen, settings: Settings): IDataObject {
	return settings.simplify
		? simplify(event, value, Object.keys(settings.customData), isFirst)
		: withoutSecret(event.source);
}

/** The body as text and as n8n has parsed it, if its type told n8n anything; the query where there is no body. */
async function bodyOf(context: IWebhookFunctions): Promise<Body> {
	const request = context.getRequestObject();
	const body: unknown = request.body ?? context.getBodyData();
	if (body === undefined) await request.readRawBody?.();
	const raw = request.rawBody?.toString('utf8') ?? '';
	const isEmpty =
		raw === '' && (body === undefined || body === null || Object.keys(body).length === 0);
	const isJson = !isEmpty && /^application\/json\b/i.test(request.headers['content-type'] ?? '');
	return { raw, parsed: isEmpty ? context.getQueryData() : body, isJson };
}

function refuse(context: IWebhookFunctions, refusals: Refusal[]): IWebhookResponseData {
	const status = Math.max(...refusals.map((refusal) => refusal.status));
	const reasons = [...new Set(refusals.map(({ reason }) => reason))];
	context
		.getResponseObject()
		.status(status)
		.json({ status: 'refused', message: reasons.join('; ').slice(0, MAX_WORDS) });
	return { noWebhookResponse: true };
}
