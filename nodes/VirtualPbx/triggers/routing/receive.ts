import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { isOn } from '../../values/json';
import { inCountry } from '../../values/phone/country';
import type { RoutingRequest } from '../../pivot/request';
import { simplifyRequest } from '../../pivot/request';
import { knownNode } from '../activeNodes';
import { countryFor } from '../settings';
import { missingResponder } from './refusals';
import { readDeadline, readFallback, readSafely } from './settings';
import type { Reply } from './supervise';
import { superviseResponse } from './supervise';

/**
 * Takes one routing request: guards its response, and starts the workflow with the request as its item (§2.2, §2.3).
 * Never throws: whatever is wrong here, the caller gets the fallback.
 */
export async function takeRequest(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const deadlineMs = readDeadline(this);
	const { fallback, dropped } = readFallback(this);
	const isImmediate = readSafely(this, 'responseMode', 'responseNode') === 'onReceived';
	const request: RoutingRequest = {
		method: this.getRequestObject().method,
		query: this.getQueryData() as IDataObject,
		body: undefined,
	};
	const answerBefore = Date.now() + deadlineLeft(deadlineMs);
	superviseResponse(this.getResponseObject(), {
		deadlineMs,
		answerBefore,
		fallback,
		dropped,
		immediate: isImmediate ? fallback : undefined,
		report: (outcome) => report(this, request, outcome),
	});
	// The answer is given, and nothing is there to run.
	if (isImmediate && this.getChildNodes(this.getNode().name).length === 0) {
		return { noWebhookResponse: true };
	}
	request.body = await readBody(this);
	const json = {
		...(isSimple(this) ? await simplified(this, request) : raw(this, request)),
		...(isImmediate ? {} : { answerBefore: new Date(answerBefore).toISOString() }),
	};
	return { workflowData: [[{ json }]] };
}

/** The body as n8n parsed it, or as text where its content type tells n8n nothing. */
async function readBody(context: IWebhookFunctions): Promise<unknown> {
	const body: unknown = context.getBodyData();
	const request = context.getRequestObject();
	if (body !== undefined || request.method !== 'POST') return body;
	await request.readRawBody?.();
	return request.rawBody?.toString() ?? '';
}

/** A country that cannot be read leaves the numbers as they are, since a call waits. */
async function simplified(
	context: IWebhookFunctions,
	request: RoutingRequest,
): Promise<IDataObject> {
	return inCountry(simplifyRequest(request), await countryFor(context));
}

function isSimple(context: IWebhookFunctions): boolean {
	return isOn(readSafely(context, 'simplify', true));
}

function raw(context: IWebhookFunctions, { method, query, body }: RoutingRequest): IDataObject {
	const headers = { ...context.getHeaderData() } as IDataObject;
	return { method, query, body: (body ?? {}) as IDataObject, headers };
}

/** Puts what happened into n8n's log where it is not simply the workflow's answer. */
function report(
	context: IWebhookFunctions,
	request: RoutingRequest,
	{ source, reason }: Reply,
): void {
	noteResponder(context, source);
	if (source === 'workflow' && reason === '') return;
	const { id: workflowId, name = '' } = context.getWorkflow();
	const { callId } = simplifyRequest(request);
	const text = `Routing request in "${name}" (${context.getNode().name}): ${RESULT[source]}: ${reason}`;
	context.logger[source === 'nobody' ? 'info' : 'warn'](text, { workflowId, callId });
}

/** n8n tells nobody when other nodes of a published workflow change, so the calls show it. */
function noteResponder(context: IWebhookFunctions, source: Reply['source']): void {
	const node = knownNode(context, 'production');
	if (!node || source === 'nobody') return;
	node.surroundings = source === 'fallback' ? missingResponder(context) : undefined;
}

const RESULT: Record<Reply['source'], string> = {
	workflow: 'the answer was sent',
	fallback: 'the caller got the fallback',
	nobody: 'nothing was sent',
};

/** How many times a request and its answer wait for a busy n8n as long as a timer that is due. */
const WAITS = 6;
/** What an idle n8n takes before it lets us see a request (its sandbox for expressions, docs/internals/performance.md). */
const LEAST_MS = 50;
/** A slow workflow is not cut off much before its time. */
const MOST_SHARE = 0.15;
const SAMPLES = 8;
const SAMPLE_MS = 25;
const FADING = 0.99;

/** An n8n that has just started is slow at first. */
let lag = 50;
let measuring = false;

/**
 * Tells how many milliseconds of a deadline are left when n8n lets us see a request, at least 85 %. How long it has waited is
 * stated nowhere, so late timers tell (measured: docs/internals/routing.md, "Under load").
 */
export function deadlineLeft(deadlineMs: number): number {
	if (!measuring) void measure();
	return Math.round(deadlineMs - Math.min(LEAST_MS + WAITS * lag, deadlineMs * MOST_SHARE));
}

/** Watches the time right after a request, in which n8n starts its execution. */
async function measure(): Promise<void> {
	measuring = true;
	for (let sample = 0; sample < SAMPLES; sample++) {
		const before = Date.now();
		await sleep(SAMPLE_MS);
		lag = Math.max(Date.now() - before - SAMPLE_MS, lag * FADING);
	}
	measuring = false;
}
