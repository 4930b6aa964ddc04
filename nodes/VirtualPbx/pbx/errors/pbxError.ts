import { meaningOf } from './meanings';

/**
 * Why a request failed. `status`: the PBX returned an error. `network`: no response, or only part of one. `response`: a
 * response that isn't from a PBX. `unsent`: not sent, since it isn't valid or allowed, or since the login failed.
 * `cancelled`: a person or n8n canceled it. `unexpected`: the PBX doesn't follow the contract. `endless`: it sends more
 * than any PBX should. `storage`: n8n couldn't store what it sent.
 */
type ErrorKind =
	| 'status'
	| 'network'
	| 'response'
	| 'unsent'
	| 'cancelled'
	| 'unexpected'
	| 'endless'
	| 'storage';

/** A PBX's complaint about one field of a request. */
export interface FieldComplaint {
	field: string;
	message: string;
	/** The rule that the value breaks, such as `unique`, if the PBX names it. */
	rule?: string;
	/** The values that the PBX accepts, if it names them. */
	choices?: string[];
}

/** Advice for a response that a proxy might have spoiled. */
export const RUN_AGAIN =
	'Run again. If this happens again, check the proxies between n8n and the PBX.';

/** Everything known about a failed request. */
export interface ErrorDetails {
	kind: ErrorKind;
	/** A sentence about the failure, in the PBX's own words if it sent any. */
	reason: string;
	hint?: string;
	/** The PBX's own words. */
	says?: string | undefined;
	/** Why a call that the PBX started didn't reach a phone: a hang-up cause such as `USER_BUSY`. */
	hangupCause?: string | undefined;
	status?: number;
	requestId?: string | undefined;
	complaints?: FieldComplaint[];
	retryAfterMs?: number | undefined;
	/** For a failed login: it can succeed later without any change. */
	isTransient?: boolean;
	/** The request definitely didn't reach the PBX. */
	notSent?: boolean;
	isTimeout?: boolean;
	/** The file doesn't exist, or not yet. */
	isMissing?: boolean;
}

export interface RequestLine {
	method: string;
	/** The path below the account, without the query. */
	path: readonly string[];
	/** Replaces the message that method and path would produce. */
	headline?: string;
}

/** The only error of this library. Holds neither secrets nor the raw request. */
export class PbxError extends Error {
	private before = '';
	private after = '';

	/** Without a request, the message is the reason. */
	constructor(
		readonly details: ErrorDetails,
		readonly request?: RequestLine,
	) {
		super(request ? messageFor(details, request) : details.reason);
		this.name = 'PbxError';
	}

	get kind(): ErrorKind {
		return this.details.kind;
	}

	get status(): number | undefined {
		return this.details.status;
	}

	get hint(): string {
		return isUnknownId(this.details, this.request) ? CHECK_ID : (this.details.hint ?? '');
	}

	/** Whether the request can succeed later without any change: no response from a PBX, 429, 5xx, even on login. */
	get retryable(): boolean {
		const { kind, status = 0, isTransient } = this.details;
		if (isTransient || kind === 'network' || kind === 'response') return true;
		return kind === 'status' && (status < 300 || status === 429 || status >= 500);
	}

	/** Whether the PBX doesn't know the path or its method (404, 405), and so has done nothing. */
	get isUnknownPath(): boolean {
		return this.status === 404 || this.status === 405;
	}

	/** Whether the PBX might have carried out the request. */
	get mayHaveActed(): boolean {
		const { kind, status = 0, notSent } = this.details;
		return (['response', 'network', 'endless'].includes(kind) && !notSent) || status >= 500;
	}

	/** The PBX's own words as a sentence, without those that are already in the message. */
	get quote(): string {
		const { says, complaints = [] } = this.details;
		const more = complaintsIn(this.details) === undefined ? complaints : [];
		const words = [says, ...more.map(({ message }) => message)];
		const said = [...new Set(words)].filter((one) => one !== undefined);
		return said.length === 0 ? '' : `The PBX says: "${said.join('; ')}".`;
	}

	/** Details beyond the message: the PBX's own words, what to do, and the request with its ID. */
	get description(): string {
		return this.describe(this.quote);
	}

	/** The description without the PBX's own words, for messages that already contain them. */
	get remedy(): string {
		return this.describe('');
	}

	/** Adds the caller's advice before or after the rest of the description. */
	advise({ before = '', after = '' }: { before?: string; after?: string }): this {
		this.before = joined(before, this.before);
		this.after = joined(this.after, after);
		return this;
	}

	/** Returns this error for another request that failed for the same reason. */
	inRequest(request: RequestLine): PbxError {
		return this.kind === 'cancelled' ? this : new PbxError(this.details, request);
	}

	private describe(quote: string): string {
		return joined(this.before, quote, this.hint, lineOf(this.details, this.request), this.after);
	}
}

/** Returns whether an error can go away by itself: the PBX is down, busy, or out of reach. */
export function isTransient(error: unknown): boolean {
	return error instanceof PbxError && error.retryable;
}

/**
 * Adds advice before an error's description if the PBX complains about a certain field. Returns the error itself, and
 * anything else that was thrown unchanged.
 */
export function adviseOnField(
	error: unknown,
	isMeant: (complaint: FieldComplaint) => boolean,
	before: string,
): unknown {
	const isPbxError = error instanceof PbxError;
	return isPbxError && error.details.complaints?.some(isMeant) ? error.advise({ before }) : error;
}

/** An unusable credential, or a failed login. The message is complete and written for the user. */
export class AuthError extends PbxError {
	constructor(message: string, details: Pick<ErrorDetails, 'isTransient' | 'hint'> = {}) {
		super({ kind: 'unsent', reason: message, ...details });
	}
}

/** The PBX rejected the login data. Retrying without a change could lock the user out. */
export class LoginRejected extends AuthError {
	/** @param retryAt when triggers and operations try again, in Unix milliseconds */
	constructor(message: string, retryAt = Date.now()) {
		const minutes = Math.max(1, Math.ceil((retryAt - Date.now()) / 60_000));
		const when = minutes === 1 ? 'a minute' : `${minutes} minutes`;
		super(message, {
			hint: `n8n tries again in ${when}, or at once when you change or test the credential.`,
		});
	}
}

function joined(...parts: string[]): string {
	return parts.filter(Boolean).join(' ');
}

/** Returns an error's message: what failed in the user's words, or the fields that the PBX complains about. */
function messageFor(details: ErrorDetails, request: RequestLine): string {
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

const CHECK_ID = 'Check the ID. The object might be deleted, or belong to another account.';

/** Returns what failed in the user's words, such as "Callflow cf1 wasn't found". */
export function headlineOf(details: ErrorDetails, request: RequestLine): string {
	const { kind, status = 0, reason: happened } = details;
	if (kind !== 'status') return happened;
	const { reason } = meaningOf(status);
	if (status >= 300 && status < 400) return capitalized(reason);
	const object = capitalized(nameOfObject(request));
	if (isUnknownId(details, request)) return `${object} wasn't found`;
	return `${object} couldn't be ${DONE[request.method] ?? 'read'}: ${reason}`;
}

/** Returns whether the object in the path doesn't exist: a 404 for a path with an ID. */
function isUnknownId({ kind, status }: ErrorDetails, request?: RequestLine): boolean {
	return (
		kind === 'status' &&
		status === 404 &&
		request !== undefined &&
		idInPath(request.path) !== undefined
	);
}

function idInPath([, ...rest]: readonly string[]): string | undefined {
	return rest.find((segment) => segment !== 'attempts');
}

function nameOfObject({ method, path }: RequestLine): string {
	const [name = ''] = path;
	const { one, all } = NOUNS[name] ?? { one: name, all: name };
	const id = idInPath(path);
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
function lineOf({ status, requestId }: ErrorDetails, request?: RequestLine): string {
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
	// A hash of both.
	credentials: 'Login and Password',
};

/** Converts `numbers` to "Numbers", `data.flow.module` to "Flow Module". */
function fieldLabel(field: string): string {
	const name = field.replace(/^data\./, '');
	const words = name.split(/[._]/).filter(Boolean);
	return LABELS[name] ?? words.map((word) => capitalized(word)).join(' ');
}
