import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { credentialFor } from '../../parameters/credential';
import { simplify } from '../../parameters/output';
import { countryOf } from '../../pbx/credential';
import type { RoutingRequest } from '../../pbx/pivot/request';
import { flawOf, simplifyRequest } from '../../pbx/pivot/request';
import { isOn } from '../../util/json';
import { formatNumbers } from '../../util/phone';
import { isProbe, receiveBody } from '../runtime/requests';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { Reply } from './guardResponse';
import { guardResponse } from './guardResponse';
import { connectChoice, readDeadline, readFallback, readSafely, responseMode } from './parameters';
import { encoderFor } from './platformAnswer';
import { missingResponder } from './readiness';

/**
 * How many calls can wait for an answer of one workflow at a time. n8n answers 10 to 20 a second, so more would get the
 * fallback at their deadline anyway, and slow down the others (docs/internals/routing.md, "Under load").
 */
const MAX_OPEN = 32;

/** The calls that wait for an answer of one trigger's workflow. */
class Decisions {
	open = 0;
}

/** Guards the response to a routing request and starts the workflow with it (§2.2, §2.3). Never throws. */
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
	// n8n refuses a credential that the editor doesn't show.
	const chosen = readSafely(this, connectChoice);
	const credential = chosen === 'manual' ? undefined : credentialFor(this);
	const decisions = runtimeOf(this).memory(Decisions);
	decisions.open++;
	const fallBack = guardResponse(this.getResponseObject(), {
		deadlineMs,
		answerBefore,
		fallback,
		dropped,
		immediate: isImmediate ? fallback : undefined,
		encode: encoderFor(this, {
			credential,
			isKazoo: chosen === 'manualKazoo',
			answerBefore,
			fallback,
		}),
		report: (outcome) => {
			decisions.open--;
			report(this, request, outcome);
		},
	});
	// The answer was sent, and there is nothing to run.
	if (isImmediate && this.getChildNodes(this.getNode().name).length === 0) {
		return { noWebhookResponse: true };
	}
	if (decisions.open > MAX_OPEN) {
		fallBack(`More than ${MAX_OPEN} calls wait for an answer`);
		return { noWebhookResponse: true };
	}
	const received = await receiveBody(this);
	request.body =
		'fault' in received ? undefined : (received.parsed ?? (received.text || undefined));
	const fault = 'fault' in received ? received.fault : flawOf(request);
	if (fault !== undefined) {
		fallBack(fault);
		return { noWebhookResponse: true };
	}
	const json = {
		...(await itemOf(this, request, credential)),
		...(isImmediate ? {} : { answerBefore: new Date(answerBefore).toISOString() }),
	};
	return { workflowData: [[{ json }]] };
}

async function itemOf(
	context: IWebhookFunctions,
	request: RoutingRequest,
	known: ReturnType<typeof credentialFor> | undefined,
): Promise<IDataObject> {
	if (isOn(readSafely(context, simplify))) {
		const credential = (await (known ?? credentialFor(context))) ?? {};
		return formatNumbers(simplifyRequest(request), countryOf(credential));
	}
	const { method, query, body } = request;
	const headers = { ...context.getHeaderData() } as IDataObject;
	return { method, query, body: (body ?? {}) as IDataObject, headers };
}

/** Logs the reply, unless it is simply the workflow's answer. */
function report(
	context: IWebhookFunctions,
	request: RoutingRequest,
	{ source, reason }: Reply,
): void {
	recordResponder(context, source);
	if (source === 'workflow' && reason === '') return;
	const { id: workflowId, name = '' } = context.getWorkflow();
	const { callId } = simplifyRequest(request);
	const text = `Routing request in "${name}" (${context.getNode().name}): ${RESULT[source]}: ${reason}`;
	context.logger[source === 'nobody' ? 'info' : 'warn'](text, { workflowId, callId });
}

/** n8n doesn't report to a trigger when other nodes of a published workflow change, so calls reveal it. */
function recordResponder(context: IWebhookFunctions, source: Reply['source']): void {
	const { production } = runtimeOf(context).endpoints;
	if (!production || source === 'nobody') return;
	production.workflowProblem = source === 'fallback' ? missingResponder(context) : undefined;
}

const RESULT: Record<Reply['source'], string> = {
	workflow: 'the answer was sent',
	fallback: 'the caller got the fallback',
	nobody: 'nothing was sent',
};

/** The share of a deadline that can pass before n8n hands us a request (docs/internals/routing.md, "Under load"). */
const SHARE_BEFORE = 0.15;
const MAX_MS_BEFORE = 600;

/** Returns how many milliseconds of a deadline are left when n8n hands us a request. */
export function deadlineLeft(deadlineMs: number): number {
	return Math.round(deadlineMs - Math.min(SHARE_BEFORE * deadlineMs, MAX_MS_BEFORE));
}
