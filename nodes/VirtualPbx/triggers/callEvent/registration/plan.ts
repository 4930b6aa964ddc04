import type { IDataObject } from 'n8n-workflow';

import { isDisabled } from '../../../events/health';
import { findSecrets, isSecret } from '../../../events/secret';
import type { PbxHook } from '../../../events/table';
import { isObject } from '../../../values/json';
import { comparable, sentMark, shownMark, isSameUrl } from './observe';
import type { OwnWebhook } from './observe';
import type { State } from './state';

/** A webhook as it should stand at the PBX: the body of §4.4's PUT. */
export interface WantedWebhook extends IDataObject {
	name: string;
	uri: string;
	http_verb: 'post';
	hook: PbxHook;
	retries: number;
	custom_data: IDataObject;
}

/** What leads from what is registered to what should be. */
export interface Plan {
	keep: OwnWebhook[];
	create: WantedWebhook[];
	/** Doubles, unhealthy ones and those of events that are no longer chosen. */
	remove: OwnWebhook[];
}

/**
 * Compares what is registered for our URL with what should be: exactly one healthy webhook per hook. Unhealthy ones
 * are replaced, not changed: what a change keeps and drops is not shown (§4.4).
 */
export function makePlan(
	wanted: readonly WantedWebhook[],
	existing: readonly OwnWebhook[],
	state: State,
): Plan {
	const keep: OwnWebhook[] = [];
	const create: WantedWebhook[] = [];
	for (const target of wanted) {
		const healthy = existing.find((webhook) => isHealthy(webhook, target, state));
		if (healthy) keep.push(healthy);
		else create.push(target);
	}
	return { keep, create, remove: existing.filter((webhook) => !keep.includes(webhook)) };
}

/** Tells whether nothing is to be done. */
export function isSettled({ create, remove }: Plan): boolean {
	return create.length === 0 && remove.length === 0;
}

/**
 * A webhook is healthy when it is enabled and stands as wanted, or stands as the PBX showed it right after we wrote
 * the same: a PBX may hide or convert fields (§4.4: shapes not shown), and must not be written to for ever for that.
 */
function isHealthy({ id, hook, doc }: OwnWebhook, wanted: WantedWebhook, state: State): boolean {
	if (isDisabled(doc) || (hook ?? wanted.hook) !== wanted.hook) return false;
	const wasSent = state.sent[id] === sentMark(wanted);
	if (wasSent && state.shown[id] === shownMark(doc)) return true;
	return hook !== undefined && standsAsWanted(doc, wanted, wasSent);
}

/** Where we wrote the same, what stands beside it in the custom data is the PBX's own, such as a counter. */
function standsAsWanted(doc: IDataObject, wanted: WantedWebhook, wasSent: boolean): boolean {
	const { custom_data: shown } = doc;
	return (
		isSameUrl(doc.uri, wanted.uri) &&
		isLike(doc.name, wanted.name) &&
		isLike(doc.retries, wanted.retries) &&
		isLike(String(doc.http_verb ?? 'post').toLowerCase(), wanted.http_verb) &&
		isObject(shown) &&
		comparable(wasSent ? pick(shown, wanted.custom_data) : shown) === comparable(wanted.custom_data)
	);
}

function pick(shown: object, wanted: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(shown).filter(([key]) => Object.hasOwn(wanted, key)));
}

/** Equal, or not shown by the PBX; numbers may come as text. */
function isLike(shown: unknown, wanted: string | number): boolean {
	return shown === undefined || String(shown) === String(wanted);
}

/** The secret that registered webhooks carry, for when ours is lost; the first of those that look like ours. */
export function secretIn(existing: readonly OwnWebhook[]): string | undefined {
	return existing.flatMap(({ doc }) => findSecrets(doc.custom_data)).find(isSecret);
}
