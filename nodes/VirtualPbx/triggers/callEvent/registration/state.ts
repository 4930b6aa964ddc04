import type { IDataObject } from 'n8n-workflow';

import { isSecret } from '../../../events/secret';
import { asText, isObject } from '../../../values/json';

/**
 * Whose a registration is. n8n keys static data by a node's name and copies it with databases and workflows, so what
 * stands there is ours only where all of this is the same.
 */
export interface Home {
	workflowId: string;
	nodeId: string;
	/** The address that the PBX is told. */
	url: string;
	/** A mark of the PBX login that registers; undefined for whoever cannot know it. */
	owner: string | undefined;
	/** The PBX account; undefined for the login's own. */
	accountId: string | undefined;
}

/** What the trigger remembers between activations. n8n may lose it, so nothing relies on it alone. */
export interface State {
	/** The secret that deliveries carry now. */
	secret: string | undefined;
	/** By webhook id: a fingerprint of how the PBX showed the webhook right after we wrote it. */
	shown: Record<string, string>;
	/** By webhook id: a fingerprint of what we wrote. */
	sent: Record<string, string>;
	/** Earlier versions did not note whose it is: to be believed only where the PBX shows the same at our address. */
	isUnproven?: boolean;
}

/** A registration of the same node that is recorded, and is not at the node's present place. */
export interface Earlier {
	/** Undefined where an earlier version did not note it. */
	url: string | undefined;
	owner: string | undefined;
	accountId: string | undefined;
}

const KEYS = ['workflowId', 'nodeId', 'url', 'owner', 'accountId', 'secret', 'shown', 'sent'];

/** Nothing is known. */
export const NO_STATE: State = { secret: undefined, shown: {}, sent: {} };

/** Reads the node's static data; what is not this workflow's, this node's or of this address counts as absent. */
export function readState(data: IDataObject, home: Home): State {
	const isUnproven = !isMarked(data);
	if (!isUnproven && !(isOfNode(data, home) && data.url === home.url)) return NO_STATE;
	const isElsewhere =
		home.owner !== undefined &&
		((data.owner !== undefined && data.owner !== home.owner) ||
			asText(data.accountId) !== home.accountId);
	if (isElsewhere) return NO_STATE;
	return {
		secret: isSecret(data.secret) ? data.secret : undefined,
		shown: texts(data.shown),
		sent: texts(data.sent),
		...(isUnproven && { isUnproven }),
	};
}

/** Tells whether static data hold a registration of this home; possibly only an unproven one. */
export function isRecorded(data: IDataObject, home: Home): boolean {
	const { secret, shown } = readState(data, home);
	return secret !== undefined || Object.keys(shown).length > 0;
}

/** Finds a registration that this very node has recorded at another address, in another account or by another login. */
export function readEarlier(data: IDataObject, home: Home): Earlier | undefined {
	const hasRegistered = Object.keys(texts(data.shown)).length > 0;
	const isOthers = isMarked(data) && !isOfNode(data, home);
	if (!hasRegistered || isOthers || isRecorded(data, home)) return undefined;
	return {
		url: asText(data.url),
		owner: asText(data.owner),
		accountId: asText(data.accountId),
	};
}

/** Puts the state into the node's static data; n8n saves it after the hook has returned. */
export function writeState(data: IDataObject, home: Home, { secret, shown, sent }: State): void {
	const { workflowId, nodeId, url, owner, accountId } = home;
	clearState(data);
	Object.assign(data, { workflowId, nodeId, url, shown: { ...shown }, sent: { ...sent } });
	if (owner !== undefined) data.owner = owner;
	if (accountId !== undefined) data.accountId = accountId;
	if (secret !== undefined) data.secret = secret;
}

/** Forgets everything: the registration is gone. */
export function clearState(data: IDataObject): void {
	for (const key of KEYS) delete data[key];
}

function isMarked(data: IDataObject): boolean {
	return data.workflowId !== undefined || data.nodeId !== undefined || data.url !== undefined;
}

function isOfNode(data: IDataObject, { workflowId, nodeId }: Home): boolean {
	return data.workflowId === workflowId && data.nodeId === nodeId;
}

function texts(value: unknown): Record<string, string> {
	if (!isObject(value)) return {};
	return Object.fromEntries(
		Object.entries(value).filter(([, entry]) => typeof entry === 'string'),
	) as Record<string, string>;
}

const MAX_URLS = 10_000;

/** Which node a registration belongs to, whatever its address. */
export type Holder = Pick<Home, 'workflowId' | 'nodeId'>;

interface Noted {
	secret: string;
	holder: string | undefined;
}

interface Kept {
	home: Home;
	state: State;
}

/**
 * The secrets registered or seen by this process, by URL, and which node has registered or checked them. n8n saves
 * static data only after the registration is done; until then a delivery could not be told from a forged one, and
 * whoever deactivates would not know that anything is registered.
 */
const noted = new Map<string, Noted>();

/**
 * Notes the secret that is being registered for a URL.
 *
 * @param holder the node that registers it or has found it in order; whoever only asks leaves the holder as it was
 */
export function noteSecret(url: string, secret: string, holder?: Holder): void {
	const whose = holder ? nameOf(holder) : noted.get(url)?.holder;
	noted.delete(url);
	noted.set(url, { secret, holder: whose });
	const oldest = noted.keys().next().value;
	if (noted.size > MAX_URLS && oldest !== undefined) noted.delete(oldest);
}

/** The secret last registered or seen for a URL by this process. */
export function notedSecret(url: string): string | undefined {
	return noted.get(url)?.secret;
}

/** Tells whether a node holds a URL: it has registered there, or found its registration in order, in this process. */
export function holds(url: string, holder: Holder): boolean {
	return noted.get(url)?.holder === nameOf(holder);
}

/** Tells whether another node holds a URL: two workflows may have one path, of which n8n serves one. */
export function isHeldByAnother(url: string, holder: Holder): boolean {
	const whose = noted.get(url)?.holder;
	return whose !== undefined && whose !== nameOf(holder);
}

/** Forgets a URL: its registration is gone. */
export function forgetSecret(url: string): void {
	noted.delete(url);
	kept.delete(url);
}

/** By URL: what this process has made right since n8n last saved the static data, which it does not do for a check. */
const kept = new Map<string, Kept>();

/** What is known of a registration: the node's static data, and what this process has made right since. */
export function knownState(data: IDataObject, home: Home): State {
	const recorded = readState(data, home);
	const own = kept.get(home.url);
	if (!own || !isSameHome(own.home, home)) return recorded;
	if (recorded.isUnproven) return own.state;
	return {
		secret: recorded.secret ?? own.state.secret,
		shown: { ...recorded.shown, ...own.state.shown },
		sent: { ...recorded.sent, ...own.state.sent },
	};
}

/** Keeps what was made right, for as long as this process lives. */
export function keepState(home: Home, state: State): void {
	kept.delete(home.url);
	kept.set(home.url, { home, state });
	const oldest = kept.keys().next().value;
	if (kept.size > MAX_URLS && oldest !== undefined) kept.delete(oldest);
}

/** Keeps the ids of webhooks that were made before a repair failed; nothing else is known of them. */
export function keepMade(home: Home, ids: readonly string[]): void {
	if (ids.length === 0) return;
	const own = kept.get(home.url);
	const { shown, sent } = own && isSameHome(own.home, home) ? own.state : NO_STATE;
	const made = Object.fromEntries(ids.map((id) => [id, '']));
	keepState(home, { secret: notedSecret(home.url), shown: { ...shown, ...made }, sent });
}

function isSameHome(one: Home, other: Home): boolean {
	const isSamePlace = isOfNode({ ...one }, other) && one.url === other.url;
	return isSamePlace && one.owner === other.owner && one.accountId === other.accountId;
}

function nameOf({ workflowId, nodeId }: Holder): string {
	return JSON.stringify([workflowId, nodeId]);
}
