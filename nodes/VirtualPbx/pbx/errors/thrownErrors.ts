import { networkFault } from './meanings';
import { AuthError, PbxError } from './pbxError';

/**
 * Returns the error for an exception while sending a request: a network fault, a failed login, or a blocked address.
 */
export function errorOfThrown(thrown: unknown, host: string): PbxError {
	const known = findPbxError(thrown);
	// More words will follow the credential's message, which is a full sentence.
	if (known instanceof AuthError)
		return new PbxError({ ...known.details, reason: known.message.replace(/\.$/, '') });
	if (known) return known;
	const { reason, isBlocked, ...fault } = networkFault(thrown, host);
	return isBlocked
		? new PbxError({ kind: 'refused', reason: `Couldn't reach the PBX: ${reason}`, ...fault })
		: new PbxError({ kind: 'network', reason: `No response from the PBX: ${reason}`, ...fault });
}

/** Finds a PbxError inside n8n's wrapper for errors that a credential throws. */
function findPbxError(thrown: unknown): PbxError | undefined {
	if (thrown instanceof PbxError) return thrown;
	return thrown instanceof Error && thrown.cause !== thrown
		? findPbxError(thrown.cause)
		: undefined;
}

/** Returns the error for an exception while reading a response: the PBX went silent, or the connection broke. */
export function errorOfBody(thrown: unknown, host: string): PbxError {
	const error = errorOfThrown(thrown, host);
	if (!error.details.isTimeout) return error;
	const reason = `The PBX's response was cut off: ${host} went silent before it was complete`;
	return new PbxError({ ...error.details, reason });
}

/** Returns the error for a PBX that exceeded the deadline. */
export function outOfTime(): PbxError {
	return new PbxError({
		kind: 'network',
		reason: 'No response from the PBX within the time limit',
		hint: "Check that n8n can reach the PBX, and that the PBX isn't overloaded.",
	});
}

/** Returns the error for a request that a person or n8n canceled. */
export function cancelled(): PbxError {
	return new PbxError({ kind: 'cancelled', reason: 'The execution was canceled' });
}
