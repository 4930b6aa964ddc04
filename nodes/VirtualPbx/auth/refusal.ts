/**
 * An error whose words are complete and meant for the user: a login that failed, a credential that cannot work,
 * an address that may not receive the token. It carries no cause, so no password or token can hide in it.
 */
export class PbxRefusal extends Error {
	/** @param mayPass true when it may well work later without anyone doing anything: no answer, 429, 5xx */
	constructor(
		message: string,
		readonly mayPass = false,
	) {
		super(message);
	}
}
