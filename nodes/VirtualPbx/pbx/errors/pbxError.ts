import type { FieldComplaint } from '../http/envelope';
import { CHECK_ID, complaintsIn, isUnknownId, lineOf, messageFor } from './headline';

/**
 * Why a request failed. `status`: the PBX returned an error. `network`: no response, or only part of one. `response`: a
 * response that isn't from a PBX. `unsent`: not sent, since it isn't valid or allowed, or since the login failed.
 * `cancelled`: a person or n8n canceled it. `unexpected`: the PBX doesn't follow the contract.
 */
type ErrorKind = 'status' | 'network' | 'response' | 'unsent' | 'cancelled' | 'unexpected';

/** Everything known about a failed request. */
export interface ErrorDetails {
	kind: ErrorKind;
	/** A sentence about the failure, in the PBX's own words if it sent any. */
	reason: string;
	/** How to fix it. */
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
	/** The PBX didn't respond in time. */
	isTimeout?: boolean;
	/** The file doesn't exist, or not yet. */
	isMissing?: boolean;
}

/** The request that failed. */
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

	/** Whether the PBX might have carried out the request. */
	get mayHaveActed(): boolean {
		const { kind, status = 0, notSent } = this.details;
		return (['response', 'network'].includes(kind) && !notSent) || status >= 500;
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
