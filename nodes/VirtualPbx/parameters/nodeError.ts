import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { messageOf } from '../pbx/errors/meanings';
import { PbxError } from '../pbx/errors/pbxError';

/**
 * Converts anything thrown to the error that n8n shows. Drops the raw request, so no secret can leak. In triggers,
 * where n8n shows only the message, includes the PBX's own words in it.
 */
export function toNodeError(
	context: { getNode(): INode },
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context.itemIndex ??= itemIndex;
		return error;
	}
	const node = context.getNode();
	const item = itemIndex === undefined ? {} : { itemIndex };
	if (!(error instanceof PbxError))
		return new NodeOperationError(node, messageOf(error), { ...item, level: 'error' });
	const isMessageAlone = 'getActivationMode' in context && error.quote !== '';
	const message = isMessageAlone ? `${error.message}. ${error.quote}` : error.message;
	const description = isMessageAlone ? error.remedy : error.description;
	if (!error.request)
		return new NodeOperationError(node, message, { ...item, ...(description && { description }) });
	return apiError(node, error, { ...item, message, description });
}

function apiError(
	node: INode,
	error: PbxError,
	shown: { message: string; description: string; itemIndex?: number },
): NodeApiError {
	const { requestId, status } = error.details;
	const { message } = shown;
	const response: JsonObject = { message, ...(requestId ? { requestId } : {}) };
	const made = new NodeApiError(node, response, {
		...shown,
		...(status === undefined ? {} : { httpCode: String(status) }),
	});
	made.message = message;
	const cause = causeOf(error);
	if (cause) made.failure = cause;
	return made;
}

/** Returns the cause in n8n's terms, by which n8n 2.41 recognizes transient errors. */
function causeOf({ details, kind, retryable }: PbxError): NodeApiError['failure'] {
	const { status = 0, retryAfterMs } = details;
	if (status === 429) {
		return { cause: 'rate-limited', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
	}
	if (retryable) return { cause: 'temporarily-unavailable' };
	if (status === 401 || kind === 'unsent') return { cause: 'credential-invalid' };
	return status === 403 || status === 404 ? { cause: 'configuration-invalid' } : undefined;
}

/** Returns a text that ends with punctuation. */
export function sentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
