import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { mayPass } from '../../../transport/failure';
import type { Pbx } from '../../../transport/pbx';
import { removeAll, removeOwn } from './apply';
import type { Failed } from './observe';
import { comparable, observe } from './observe';
import type { Registration } from './reconcile';
import { blank, inspect, marksOf, proven, reconcile } from './reconcile';
import {
	forgetSecret,
	holds,
	isHeldByAnother,
	keepMade,
	keepState,
	knownState,
	noteSecret,
	clearState,
	isRecorded,
	NO_STATE,
	readEarlier,
	readState,
	writeState,
} from './state';
import type { Earlier, Home } from './state';

/**
 * Tells whether everything is registered as it should be. Reads only; what is off is left to {@link register}.
 *
 * @param data the node's static data; takes what was lost and found again, or made right by a check
 * @returns `unknown` with the failure when the PBX cannot be asked
 */
export async function isRegistered(
	pbx: Pbx,
	registration: Registration,
	data: IDataObject,
): Promise<{ registered: boolean } | { unknown: Failed }> {
	const recorded = readState(data, registration);
	const seen = await inspect(pbx, registration, data);
	if ('unknown' in seen) return seen;
	const { isSettled: registered, state, secret } = seen;
	if (!registered) return { registered };
	noteSecret(registration.url, secret, registration);
	const isNew = comparable({ ...recorded }) !== comparable({ ...state });
	if (isNew) writeState(data, registration, state);
	return { registered };
}

/**
 * Registers: after it exactly one healthy webhook per hook calls our URL, and all carry the secret in `data`.
 * Webhooks of other addresses are never touched. What fails half-way is rolled back.
 *
 * @param undoing the PBX for rolling back, which must be possible when there is no time left
 * @returns a registration that this node has recorded elsewhere, and that stays there
 * @throws NodeApiError with the PBX's words; NodeOperationError when the PBX does not keep what it has taken
 */
export async function register(
	{ pbx, undoing }: { pbx: Pbx; undoing: () => Promise<Pbx> },
	registration: Registration,
	data: IDataObject,
): Promise<Earlier | undefined> {
	const recorded = knownState(data, registration);
	const made: string[] = [];
	const result = await reconcile(pbx, registration, recorded, made);
	if ('state' in result) {
		const earlier = result.isForeign ? { ...NOWHERE } : readEarlier(data, registration);
		writeState(data, registration, result.state);
		return earlier;
	}
	const marks = marksOf(registration, recorded);
	const known = { ...marks.known, ...blank(made) };
	const left = await removeOwn(await undoing(), { ...marks, known });
	if (!left) {
		if (isRecorded(data, registration)) clearState(data);
		forgetSecret(registration.url);
	}
	throw result.error;
}

/**
 * Makes the registration of a trigger right that goes on listening, whatever comes of it: what is healthy stays, and what
 * was made is taken back only where the PBX does not keep it, or it would pile up.
 *
 * @returns why not all is right now; undefined where it is
 */
export async function repair(
	pbx: Pbx,
	registration: Registration,
	data: IDataObject,
): Promise<NodeApiError | NodeOperationError | undefined> {
	const made: string[] = [];
	const result = await reconcile(pbx, registration, knownState(data, registration), made);
	if ('state' in result) {
		writeState(data, registration, result.state);
		keepState(registration, result.state);
		return undefined;
	}
	const isStaying = 'failure' in result || (await removeAll(pbx, made)) !== undefined;
	if (isStaying) keepMade(registration, made);
	return result.error;
}

/**
 * Removes every webhook that calls our URL, also without static data, provided that this node has registered there:
 * n8n asks for it at its start for a workflow whose path belongs to another one, too.
 *
 * @returns the failure that stayed; `data` then keeps what is needed to try again
 */
export async function unregister(
	pbx: Pbx,
	home: Home,
	data: IDataObject,
): Promise<Failed | undefined> {
	const { url } = home;
	const recorded = knownState(data, home);
	if (recorded.isUnproven && !holds(url, home)) {
		const seen = await observe(pbx, { url, known: {} });
		if (!seen.ok) return seen;
		if (proven(recorded, seen.webhooks) === NO_STATE) return undefined;
	}
	const failed = await removeOwn(pbx, marksOf(home, recorded));
	if (failed) return failed;
	if (isRecorded(data, home)) clearState(data);
	forgetSecret(url);
	return undefined;
}

/** Tells whether this node may have webhooks at its address: it has recorded, registered or checked them. */
export function mayHaveRegistered(home: Home, data: IDataObject): boolean {
	if (isHeldByAnother(home.url, home)) return false;
	return holds(home.url, home) || isRecorded(data, home);
}

/** Tells whether the trigger can go on with what it has recorded, and have it made right later. */
export function isRepairable(data: IDataObject, home: Home): boolean {
	return isRecorded(data, home) && !readState(data, home).isUnproven;
}

/**
 * Tells whether a failed check leaves it open that all is well, so that the trigger had better go on listening; then
 * its registration counts as checked.
 */
export function mayBeRegistered(failed: Failed, data: IDataObject, home: Home): boolean {
	const { secret, isUnproven } = readState(data, home);
	if (!mayPass(failed.failure) || secret === undefined) return false;
	if (!isUnproven) noteSecret(home.url, secret, home);
	return true;
}

/** Where a registration of an earlier version of this package stands, which is not at our address. */
const NOWHERE: Earlier = { url: undefined, owner: undefined, accountId: undefined };
