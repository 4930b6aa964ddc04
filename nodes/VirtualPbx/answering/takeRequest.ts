import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { simplifyRequest } from '../routing/request';
import type { RoutingRequest } from '../routing/request';
import { readFallback } from './fallback';
import { readDeadline } from './deadline';
import { timeLeft } from './lag';
import { readSafely } from './readSafely';
import { superviseResponse } from './superviseResponse';
import type { Outcome } from './superviseResponse';

/**
 * Takes one routing request: guards its response, and starts the workflow with the request as its item (§2.2, §2.3).
 * Never throws: whatever is wrong here, the caller gets the fallback.
 */
export async function takeRequest(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const deadlineMs = readDeadline(this);
	const { fallback, dropped } = readFallback(this);
	const isImmediate = readSafely(this, 'responseMode', 'lastNode') === 'onReceived';
	const request: RoutingRequest = {
		method: this.getRequestObject().method,
		query: this.getQueryData() as IDataObject,
		body: undefined,
	};
	const answerBefore = Date.now() + timeLeft(deadlineMs);
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
		...(isSimple(this) ? simplifyRequest(request) : raw(this, request)),
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

function isSimple(context: IWebhookFunctions): boolean {
	const simplify = readSafely(context, 'simplify', true);
	return simplify === true || simplify === 'true';
}

function raw(context: IWebhookFunctions, { method, query, body }: RoutingRequest): IDataObject {
	const headers = { ...context.getHeaderData() } as IDataObject;
	return { method, query, body: (body ?? {}) as IDataObject, headers };
}

/** Puts what happened into n8n's log where it is not simply the workflow's answer. */
function report(
	context: IWebhookFunctions,
	request: RoutingRequest,
	{ source, reason }: Outcome,
): void {
	if (source === 'workflow' && reason === '') return;
	const { id: workflowId, name = '' } = context.getWorkflow();
	const { callId } = simplifyRequest(request);
	const text = `Routing request in "${name}" (${context.getNode().name}): ${RESULT[source]}: ${reason}`;
	context.logger[source === 'nobody' ? 'info' : 'warn'](text, { workflowId, callId });
}

const RESULT: Record<Outcome['source'], string> = {
	workflow: 'the answer was sent',
	fallback: 'the caller got the fallback',
	nobody: 'nothing was sent',
};
