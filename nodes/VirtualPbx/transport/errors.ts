import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failure } from './failure';

/** The request that failed, for the error's details. */
export interface RequestLine {
	method: string;
	/** Path below the account, without query. */
	path: string;
}

/**
 * Turns a failure into the error that n8n shows: the PBX's own words, then what to do, the fields it complains of,
 * the request and its id. Nothing of the raw request is kept, so no token or password can show.
 *
 * @returns NodeApiError for anything that came from the PBX or the network, NodeOperationError for a cancelled execution
 */
export function errorOf(
	node: INode,
	failure: Failure,
	request: RequestLine,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const place = itemIndex === undefined ? {} : { itemIndex };
	if (failure.kind === 'cancelled') return new NodeOperationError(node, failure.words, place);

	const message = headline(failure);
	const description = [failure.hint, details(failure, request)].filter(Boolean).join(' ');
	const response: JsonObject = {
		message,
		...(failure.requestId ? { requestId: failure.requestId } : {}),
	};
	const error = new NodeApiError(node, response, {
		message,
		description,
		...(failure.status === undefined ? {} : { httpCode: String(failure.status) }),
		...place,
	});
	error.message = message;
	return error;
}

function headline(failure: Failure): string {
	const complaints = (failure.complaints ?? []).map(
		({ field, words }) => `${fieldLabel(field)}: ${words}`,
	);
	if (complaints.length > 0) return complaints.join('; ');
	return failure.words;
}

function details(failure: Failure, request: RequestLine): string {
	const status = failure.status === undefined ? '' : `, status ${failure.status}`;
	const id = failure.requestId === undefined ? '' : `, request ID ${failure.requestId}`;
	return `(${request.method} ${request.path}${status}${id})`;
}

/** Fields that our inputs name in other words than the PBX. */
const LABELS: Record<string, string> = {
	uri: 'URL',
	http_verb: 'Method',
	hook: 'Event',
	fakenumber: 'Fake Number',
};

/** `numbers` → "Numbers", `data.flow.module` → "Flow Module": the PBX's field in the words of our inputs. */
function fieldLabel(field: string): string {
	const name = field.replace(/^data\./, '');
	return (
		LABELS[name] ??
		name
			.split(/[._]/)
			.filter(Boolean)
			.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
			.join(' ')
	);
}
