import type { IDataObject } from 'n8n-workflow';

import { isSecret } from '../events/secret';
import { asText, isObject } from '../values/json';

/** What the trigger remembers between activations. n8n may lose it, so nothing relies on it alone. */
export interface State {
	/** A mark of the PBX login that registered; ids and secret are its own, and no other's. */
	owner: string | undefined;
	/** The secret that deliveries carry now. */
	secret: string | undefined;
	/** By webhook id: a fingerprint of how the PBX showed the webhook right after we wrote it. */
	shown: Record<string, string>;
	/** By webhook id: a fingerprint of what we wrote. */
	sent: Record<string, string>;
}

/**
 * Reads the node's static data; whatever is not ours in it counts as absent.
 *
 * @param owner whose state is wanted: that of another login counts as absent; by default of any
 */
export function readState(data: IDataObject, owner = asText(data.owner)): State {
	const isOthers = data.owner !== undefined && data.owner !== owner;
	if (isOthers) return { owner, secret: undefined, shown: {}, sent: {} };
	return {
		owner,
		secret: isSecret(data.secret) ? data.secret : undefined,
		shown: texts(data.shown),
		sent: texts(data.sent),
	};
}

/** Puts the state into the node's static data; n8n saves it after the hook has returned. */
export function writeState(data: IDataObject, { owner, secret, shown, sent }: State): void {
	if (owner !== undefined) data.owner = owner;
	if (secret === undefined) delete data.secret;
	else data.secret = secret;
	data.shown = { ...shown };
	data.sent = { ...sent };
}

/** Forgets everything: the registration is gone. */
export function clearState(data: IDataObject): void {
	for (const key of ['owner', 'secret', 'shown', 'sent']) delete data[key];
}

function texts(value: unknown): Record<string, string> {
	if (!isObject(value)) return {};
	return Object.fromEntries(
		Object.entries(value).filter(([, entry]) => typeof entry === 'string'),
	) as Record<string, string>;
}
