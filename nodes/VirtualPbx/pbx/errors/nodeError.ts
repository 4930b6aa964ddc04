import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failure } from './failure';
import { isTransient } from './failure';
import { meaningOf } from './meanings';

/** What the first segment of a path stands for: one of its kind, and all. */
const NOUNS: Record<string, { one: string; all: string }> = {
	callflows: { one: 'callflow', all: 'callflows' },
	webhooks: { one: 'webhook', all: 'webhooks' },
	cdrs: { one: 'call record', all: 'call records' },
};

const DONE: Record<string, string> = {
	GET: 'read',
	PUT: 'created',
	POST: 'changed',
	DELETE: 'deleted',
};

/** The request that failed, for the error's headline and details. */
export interface RequestLine {
	method: string;
	/** Path below the account, without query. */
	path: readonly string[];
	/** Where the headline does not follow from method and path. */
	headline?: string;
	/** Where n8n shows nothing but the message, as at an activation, the PBX's words stand in it. */
	isMessageAlone?: boolean;
}

/**
 * Turns a failure into the error that n8n shows: what failed in the user's words, or the fields that the PBX complains
 * of; below it the PBX's own words, what to do, the request and its id. Nothing of the raw request is kept, so no secret
 * can show.
 */
export function errorOf(
	node: INode,
	failure: Failure,
	request: RequestLine,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const place = itemIndex === undefined ? {} : { itemIndex };
	if (failure.kind === 'cancelled') return new NodeOperationError(node, failure.message, place);

	const complaints = complaintsOf(failure);
	const headline = request.headline ?? complaints ?? headlineOf(failure, request);
	const says = quote(failure, complaints === undefined);
	const isWhole = request.isMessageAlone && says !== '';
	const message = isWhole ? `${headline}. ${says}` : headline;
	const hint = isMissing(failure, request) ? CHECK_ID : failure.hint;
	const description = [isWhole ? '' : says, hint, details(failure, request)]
		.filter(Boolean)
		.join(' ');
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
	const cause = causeOf(failure);
	if (cause) error.failure = cause;
	return error;
}

/** The cause in n8n's words, by which n8n 2.41 and the triggers tell what passes by itself. */
function causeOf(failure: Failure): NodeApiError['failure'] {
	const { status = 0, kind, retryAfterMs } = failure;
	if (status === 429) {
		return { cause: 'rate-limited', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
	}
	if (isTransient(failure)) return { cause: 'temporarily-unavailable' };
	if (status === 401 || kind === 'refused') return { cause: 'credential-invalid' };
	return status === 403 || status === 404 ? { cause: 'configuration-invalid' } : undefined;
}

const CHECK_ID = 'Check the ID. The object may be deleted or belong to another account.';

/** Says what an error answer of the PBX means in the user's words, such as "Callflow cf1 was not found". */
export function headlineOf(failure: Failure, request: RequestLine): string {
	const { kind, status = 0, message } = failure;
	if (kind !== 'status') return message;
	const { reason } = meaningOf(status);
	if (status >= 300 && status < 400) return capitalized(reason);
	const object = capitalized(objectOf(request));
	if (isMissing(failure, request)) return `${object} was not found`;
	return `${object} could not be ${DONE[request.method] ?? 'read'}: ${reason}`;
}

/** A 404 for a path with an ID means the object that it names. */
function isMissing({ kind, status }: Failure, { path }: RequestLine): boolean {
	return kind === 'status' && status === 404 && idIn(path) !== undefined;
}

function idIn([, ...rest]: readonly string[]): string | undefined {
	return rest.find((segment) => segment !== 'attempts');
}

function objectOf({ method, path }: RequestLine): string {
	const [name = ''] = path;
	const { one, all } = NOUNS[name] ?? { one: name, all: name };
	const id = idIn(path);
	if (id !== undefined) return `${one} ${id}`;
	if (path.includes('attempts')) return 'delivery attempts';
	return method === 'PUT' ? `the ${one}` : all;
}

function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Other statuses than 400 are about the object rather than about a field, though a PBX may word them as complaints. */
function complaintsOf({ complaints = [], status }: Failure): string | undefined {
	const named = complaints.filter(({ field }) => !/^(?:data\.)?_?id$/i.test(field));
	if (named.length === 0 || status !== 400) return undefined;
	return named.map(({ field, message }) => `${fieldLabel(field)}: ${message}`).join('; ');
}

/** @param withComplaints where the headline does not hold them already */
function quote({ says, complaints = [] }: Failure, withComplaints: boolean): string {
	const more = withComplaints ? complaints.map(({ message }) => message) : [];
	const said = [...new Set([says, ...more])].filter((message) => message !== undefined);
	return said.length === 0 ? '' : `The PBX says: "${said.join('; ')}".`;
}

function details(failure: Failure, { method, path }: RequestLine): string {
	const status = failure.status === undefined ? '' : `, status ${failure.status}`;
	const id = failure.requestId === undefined ? '' : `, request ID ${failure.requestId}`;
	return `(${method} /${path.join('/')}${status}${id})`;
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
	const words = name.split(/[._]/).filter(Boolean);
	return LABELS[name] ?? words.map((word) => capitalized(word)).join(' ');
}
