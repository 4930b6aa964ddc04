import type { FieldComplaint } from '../http/envelope';
import { CHECK_ID, complaintsIn, isUnknownId, lineOf, messageFor } from './headline';

/**
 * Why a request failed.
 * `status`: the PBX answered with an error. `network`: no response, or only a part of one. `answer`: a response that is
 * none of a PBX. `refused`: not sent, or the login failed. `cancelled`: a person or n8n canceled it. `unexpected`: the
 * PBX doesn't do what the contract says.
 */
type ErrorKind = 'status' | 'network' | 'answer' | 'refused' | 'cancelled' | 'unexpected';

/** What is known of a failed request. */
export interface ErrorDetails {
	kind: ErrorKind;
	/** What happened, in a sentence: the PBX's own words where it has any. */
	reason: string;
	/** What to do. */
	hint?: string;
	/** The PBX's own words. */
	says?: string | undefined;
	status?: number;
	requestId?: string | undefined;
	complaints?: FieldComplaint[];
	retryAfterMs?: number | undefined;
	/** Of a failed login: it may work later without anyone doing anything. */
	isTransient?: boolean;
	/** The request surely did not reach the PBX. */
	notSent?: boolean;
	/** The PBX was silent for too long. */
	isTimeout?: boolean;
	/** There is no such file, or not yet. */
	isMissing?: boolean;
}

/** The request that failed. */
export interface RequestLine {
	method: string;
	/** Path below the account, without query. */
	path: readonly string[];
	/** Where the message doesn't follow from method and path. */
	headline?: string;
}

/** The one error of this library. It holds no secret, nor the raw request. */
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

	/** What to do. */
	get hint(): string {
		return isUnknownId(this.details, this.request) ? CHECK_ID : (this.details.hint ?? '');
	}

	/** Whether the request may work later without anyone doing anything: no response of a PBX, 429, 5xx, even on login. */
	get retryable(): boolean {
		const { kind, status = 0, isTransient } = this.details;
		if (isTransient || kind === 'network' || kind === 'answer') return true;
		return kind === 'status' && (status < 300 || status === 429 || status >= 500);
	}

	/** Whether the PBX may have done what it was asked for. */
	get mayHaveActed(): boolean {
		const { kind, status = 0, notSent } = this.details;
		return (['answer', 'network'].includes(kind) && !notSent) || status >= 500;
	}

	/** The PBX's own words, as a sentence; those that the message holds already are left out. */
	get quote(): string {
		const { says, complaints = [] } = this.details;
		const more = complaintsIn(this.details) === undefined ? complaints : [];
		const words = [says, ...more.map(({ message }) => message)];
		const said = [...new Set(words)].filter((one) => one !== undefined);
		return said.length === 0 ? '' : `The PBX says: "${said.join('; ')}".`;
	}

	/** What to know beside the message: the PBX's own words, what to do, and the request with its ID. */
	get description(): string {
		return this.describe(this.quote);
	}

	/** The description without the PBX's own words, for where they stand in the message. */
	get remedy(): string {
		return this.describe('');
	}

	/** Adds what the caller knows, before or after the rest of the description. */
	advise({ before = '', after = '' }: { before?: string; after?: string }): this {
		this.before = joined(before, this.before);
		this.after = joined(this.after, after);
		return this;
	}

	/** Returns the error of one of the requests that failed for the same reason. */
	inRequest(request: RequestLine): PbxError {
		return this.kind === 'cancelled' ? this : new PbxError(this.details, request);
	}

	private describe(quote: string): string {
		return joined(this.before, quote, this.hint, lineOf(this.details, this.request), this.after);
	}
}

/** A credential that can't be used, or a login that failed; the message is complete and meant for the user. */
export class AuthError extends PbxError {
	constructor(message: string, details: Pick<ErrorDetails, 'isTransient' | 'hint'> = {}) {
		super({ kind: 'refused', reason: message, ...details });
	}
}

/** The PBX rejected the login data: to repeat the login without a change might lock the user. */
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
