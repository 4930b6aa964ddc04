import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isProbe } from '../runtime/ownAddress';
import type { RoutingRequest } from '../../pbx/pivot/request';
import { simplifyRequest } from '../../pbx/pivot/request';
import { simplify } from '../../parameters/output';
import { isOn } from '../../util/json';
import { inCountry } from '../../util/phone/forms';
import { runtimeOf } from '../runtime/nodeRuntime';
import { countryFor } from '../runtime/settings';
import type { Reply } from './guardResponse';
import { guardResponse } from './guardResponse';
import { responseMode } from './parameters';
import { missingResponder } from './refusals';
import { readDeadline, readFallback, readSafely } from './settings';

/** A routing request has some 20 parameters; a larger one is no PBX's. */
const MAX_BYTES = 1_048_576;

/** Guards the response to a routing request, and starts the workflow with it (§2.2, §2.3). Never throws. */
export async function takeRequest(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (isProbe(this.getBodyData())) {
		this.getResponseObject().status(400).json({ message: 'A probe by n8n, not a routing request' });
		return { noWebhookResponse: true };
	}
	const deadlineMs = readDeadline(this);
	const { fallback, dropped } = readFallback(this);
	const isImmediate = readSafely(this, responseMode) === 'onReceived';
	const request: RoutingRequest = {
		method: this.getRequestObject().method,
		query: this.getQueryData() as IDataObject,
		body: undefined,
	};
	const answerBefore = Date.now() + deadlineLeft(deadlineMs);
	const fallBack = guardResponse(this.getResponseObject(), {
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
	const { body, bytes } = await readBody(this);
	if (bytes > MAX_BYTES) {
		fallBack('The request is larger than 1 MiB');
		return { noWebhookResponse: true };
	}
	request.body = body;
	const json = {
		...(await itemOf(this, request)),
		...(isImmediate ? {} : { answerBefore: new Date(answerBefore).toISOString() }),
	};
	return { workflowData: [[{ json }]] };
}

/** The body as n8n parsed it, or as text where its content type means nothing to n8n; and how long it is. */
async function readBody(context: IWebhookFunctions): Promise<{ body: unknown; bytes: number }> {
	const body: unknown = context.getBodyData();
	const request = context.getRequestObject();
	const isUnread = body === undefined && request.method === 'POST';
	if (isUnread) await request.readRawBody?.();
	const bytes = request.rawBody?.length ?? Number(request.headers['content-length'] ?? 0);
	const text = isUnread && bytes <= MAX_BYTES ? (request.rawBody?.toString() ?? '') : undefined;
	return { body: body ?? text, bytes };
}

async function itemOf(context: IWebhookFunctions, request: RoutingRequest): Promise<IDataObject> {
	if (isOn(readSafely(context, simplify)))
		return inCountry(simplifyRequest(request), await countryFor(context));
	const { method, query, body } = request;
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
	const { production } = runtimeOf(context).endpoints;
	if (!production || source === 'nobody') return;
	production.workflowProblem = source === 'fallback' ? missingResponder(context) : undefined;
}

const RESULT: Record<Reply['source'], string> = {
	workflow: 'the answer was sent',
	fallback: 'the caller got the fallback',
	nobody: 'nothing was sent',
};

/** So much of a deadline may have passed before n8n lets us see a request (docs/internals/routing.md, "Under load"). */
const SHARE_BEFORE = 0.15;
const MOST_MS_BEFORE = 600;

/** How many milliseconds of a deadline are left when n8n lets us see a request. */
export function deadlineLeft(deadlineMs: number): number {
	return Math.round(deadlineMs - Math.min(SHARE_BEFORE * deadlineMs, MOST_MS_BEFORE));
}
