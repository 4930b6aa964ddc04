import type { RequestLine } from './errors';
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
	404: 'the PBX does not find it',
	409: 'someone else changed it in the meantime',
	415: 'the PBX does not take JSON here',
	429: 'the PBX gets too many requests',
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
