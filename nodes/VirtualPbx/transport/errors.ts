import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failure } from './failure';

/** What the first segment of a path stands for: one of its kind, and all. */
const NOUNS: Record<string, { one: string; all: string }> = {
	callflows: { one: 'callflow', all: 'callflows' },
	webhooks: { one: 'webhook', all: 'webhooks' },
	cdrs: { one: 'call record', all: 'call records' },
	recording: { one: 'recording', all: 'the recording' },
};

const VERBS: Record<string, { did: string; does: string }> = {
	GET: { did: 'read', does: 'read' },
	PUT: { did: 'created', does: 'create' },
	POST: { did: 'changed', does: 'change' },
	DELETE: { did: 'deleted', does: 'delete' },
	DOWNLOAD: { did: 'downloaded', does: 'download' },
};

const REASONS: Record<number, string> = {
	400: 'the PBX does not accept the values',
	404: "it doesn't exist on the PBX",
	409: 'someone else changed it in the meantime',
	415: 'the PBX does not accept JSON here',
	429: 'the PBX receives too many requests',
	503: 'the PBX is not available at the moment',
	504: 'the PBX took too long',
};

/**
 * Says what failed in the user's words, such as "Callflow cf1 was not found". Only an error that the PBX answered with
 * needs it: other failures have words of ours.
 */
export function headlineOf({ kind, status = 0, words }: Failure, request: RequestLine): string {
	if (kind !== 'status' || (status >= 300 && status < 400)) return words;
	const { object, missing } = objectOf(request);
	const { did, does } = VERBS[request.method] ?? { did: 'read', does: 'read' };
	if (status === 401 || status === 403) return `The PBX does not let this user ${does} ${object}`;
	if (status === 404 && missing) return `${capitalized(missing)} was not found`;
	return `${capitalized(object)} could not be ${did}: ${REASONS[status] ?? reasonOf(status)}`;
}

function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function reasonOf(status: number): string {
	if (status < 300) return 'the PBX reports an error';
	return status >= 500 ? 'the PBX failed' : 'the PBX refuses it';
}

/** What a request is about, and what a 404 means: the one that it names. */
function objectOf({ method, path }: RequestLine): { object: string; missing: string | undefined } {
	const [name = '', ...rest] = path;
	const { one, all } = NOUNS[name] ?? { one: name, all: name };
	const id = rest.find((segment) => segment !== 'attempts');
	const missing = id === undefined ? undefined : `${one} ${id}`;
	const object = missing ?? (method === 'PUT' ? `the ${one}` : all);
	return { object: rest.includes('attempts') ? `delivery attempts of ${object}` : object, missing };
}

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
 * of; below it the PBX's own words, what to do, the request and its id. Nothing of the raw request is kept, so no token
 * or password can show.
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

	const complaints = complaintsOf(failure);
	const headline = request.headline ?? complaints ?? headlineOf(failure, request);
	const says = quote(failure, complaints === undefined);
	const isWhole = request.isMessageAlone && says !== '';
	const message = isWhole ? `${headline}. ${says}` : headline;
	const description = [isWhole ? '' : says, failure.hint, details(failure, request)]
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
	return error;
}

/** Other statuses are about the object rather than about a field, though a PBX may word them as complaints. */
const ABOUT_FIELDS = new Set([200, 400, 409, 422]);

function complaintsOf({ complaints = [], status = 0 }: Failure): string | undefined {
	const named = complaints.filter(({ field }) => !/^(?:data\.)?_?id$/i.test(field));
	if (named.length === 0 || !ABOUT_FIELDS.has(status)) return undefined;
	return named.map(({ field, words }) => `${fieldLabel(field)}: ${words}`).join('; ');
}

/** @param withComplaints where the headline does not hold them already */
function quote({ says, complaints = [] }: Failure, withComplaints: boolean): string {
	const more = withComplaints ? complaints.map(({ words }) => words) : [];
	const said = [...new Set([says, ...more])].filter((words) => words !== undefined);
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
	return (
		LABELS[name] ??
		name
			.split(/[._]/)
			.filter(Boolean)
			.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
			.join(' ')
	);
}
