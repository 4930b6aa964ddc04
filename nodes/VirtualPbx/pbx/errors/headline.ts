import { meaningOf } from './meanings';
import type { ErrorDetails, RequestLine } from './pbxError';

/** Returns an error's message: what failed in the user's words, or the fields that the PBX complains about. */
export function messageFor(details: ErrorDetails, request: RequestLine): string {
	return request.headline ?? complaintsIn(details) ?? headlineOf(details, request);
}

/** The objects behind a path's first segment: one of them, and all. */
const NOUNS: Record<string, { one: string; all: string }> = {
	callflows: { one: 'callflow', all: 'callflows' },
	webhooks: { one: 'webhook', all: 'webhooks' },
	cdrs: { one: 'call record', all: 'call records' },
	devices: { one: 'device', all: 'devices' },
	users: { one: 'employee', all: 'employees' },
};

const DONE: Record<string, string> = {
	GET: 'read',
	PUT: 'created',
	POST: 'changed',
	DELETE: 'deleted',
};

export const CHECK_ID = 'Check the ID. The object might be deleted, or belong to another account.';

/** Returns what failed in the user's words, such as "Callflow cf1 wasn't found". */
export function headlineOf(details: ErrorDetails, request: RequestLine): string {
	const { kind, status = 0, reason: happened } = details;
	if (kind !== 'status') return happened;
	const { reason } = meaningOf(status);
	if (status >= 300 && status < 400) return capitalized(reason);
	const object = capitalized(objectOf(request));
	if (isUnknownId(details, request)) return `${object} wasn't found`;
	return `${object} couldn't be ${DONE[request.method] ?? 'read'}: ${reason}`;
}

/** Returns whether the object in the path doesn't exist: a 404 for a path with an ID. */
export function isUnknownId({ kind, status }: ErrorDetails, request?: RequestLine): boolean {
	return (
		kind === 'status' && status === 404 && request !== undefined && idIn(request.path) !== undefined
	);
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

/**
 * Returns the PBX's complaints, field by field. Only for status 400: other statuses are about the object rather than
 * a field, even if a PBX words them as complaints.
 */
export function complaintsIn({
	complaints = [],
	status,
}: Pick<ErrorDetails, 'complaints' | 'status'>): string | undefined {
	const named = complaints.filter(({ field }) => !/^(?:data\.)?_?id$/i.test(field));
	if (named.length === 0 || status !== 400) return undefined;
	return named.map(({ field, message }) => `${fieldLabel(field)}: ${message}`).join('; ');
}

/** Returns the request with its response's status and ID, to show to the provider. */
export function lineOf({ status, requestId }: ErrorDetails, request?: RequestLine): string {
	if (!request) return '';
	const answered = status === undefined ? '' : `, status ${status}`;
	const id = requestId === undefined ? '' : `, request ID ${requestId}`;
	return `(${request.method} /${request.path.join('/')}${answered}${id})`;
}

/** Fields that have other names in the editor. */
const LABELS: Record<string, string> = {
	uri: 'URL',
	http_verb: 'Method',
	hook: 'Event',
	fakenumber: 'Fake Number',
	// A hash of both.
	credentials: 'Login and Password',
};

/** Converts `numbers` to "Numbers", `data.flow.module` to "Flow Module". */
function fieldLabel(field: string): string {
	const name = field.replace(/^data\./, '');
	const words = name.split(/[._]/).filter(Boolean);
	return LABELS[name] ?? words.map((word) => capitalized(word)).join(' ');
}
