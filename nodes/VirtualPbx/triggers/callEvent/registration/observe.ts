import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { findSecrets } from '../../../events/secret';
import type { PbxHook } from '../../../events/table';
import { hookOfName } from '../../../events/table';
import { documentOf } from '../../../transport/documents';
import { withKeysAsIds } from '../../../transport/envelope';
import { readList } from '../../../transport/list';
import type { Attempt, Pbx } from '../../../transport/pbx';
import type { PbxRequest } from '../../../transport/request';
import { asText, isObject } from '../../../values/json';

/** A webhook of the PBX that calls the trigger's URL. */
export interface OwnWebhook {
	id: string;
	/** Undefined where the PBX names an event that we do not know, or none. */
	hook: PbxHook | undefined;
	/** As the PBX shows it, list item and details put together. */
	doc: IDataObject;
}

/** A request that failed, without the throwing. */
export type Failed = Extract<Attempt, { ok: false }>;

/** What is registered at the PBX for one URL; `doubtful`: ids that the list shows, and that are not found by themselves. */
export type Observation = { ok: true; webhooks: OwnWebhook[]; doubtful: string[] } | Failed;

const READS_AT_ONCE = 10;

/** Webhooks that we made for this very address: by id the mark of how the PBX showed them ({@link shownMark}), or an empty text for one made just now. */
export type Known = Readonly<Record<string, string>>;

/** By what our webhooks are known. */
export interface Marks {
	url: string;
	/** Webhooks that we made, looked up even when the list does not show them. */
	known: Known;
	/** The one that we have recorded for this very address. */
	secret?: string | undefined;
}

/**
 * Finds our webhooks (§4.4): those whose `uri` is exactly our URL, those that we made for it and nobody has changed
 * since, however the PBX shows their address, and those with our secret whose address the PBX shows with another scheme or
 * port, or with a slash at its end. No others. List items without `uri` are completed one by one, and so is every
 * webhook of ours, since lists may leave fields out. A webhook that is
 * not known to be ours, of which the list shows no address, and that the PBX fails to read, is none: one that is broken must
 * not stand in the way of ours.
 *
 * @param list of webhooks, where it was just read
 */
export async function observe(pbx: Pbx, marks: Marks, list?: Listed): Promise<Observation> {
	const { url, known, secret } = marks;
	const listed = list ?? (await listWebhooks(pbx));
	if (!listed.ok) return listed;

	const items = new Map(listed.items.map((item) => [webhookId(item), item] as const));
	for (const id of Object.keys(known)) if (!items.has(id)) items.set(id, {});
	const wanted = [...items].filter(([id, { uri }]) => {
		const isAtOurs = secret === undefined ? isSameUrl(uri, url) : isLikeUrl(uri, url);
		const mayBeOurs = typeof uri !== 'string' || isAtOurs || Object.hasOwn(known, id);
		return id !== '' && mayBeOurs;
	});

	const read: Details[] = [];
	for (let start = 0; start < wanted.length; start += READS_AT_ONCE) {
		const batch = wanted.slice(start, start + READS_AT_ONCE);
		const results = await Promise.all(
			batch.map(async ([id, item]) => await complete(pbx, id, item)),
		);
		for (const [index, result] of results.entries()) {
			const [id, item] = batch[index] ?? ['', {}];
			if (result.ok) read.push(result);
			else if (Object.hasOwn(known, id) || !isBroken(item, result)) return result;
		}
	}
	const own = read.filter(({ id, doc }) => isOurs(id, doc ?? items.get(id) ?? {}, marks));
	const isListed = new Set(listed.items.map(webhookId));
	return {
		ok: true,
		webhooks: own.flatMap(({ id, doc }) =>
			doc ? [{ id, hook: hookOfName(asText(doc.hook) ?? ''), doc }] : [],
		),
		doubtful: own.filter(({ id, doc }) => !doc && isListed.has(id)).map(({ id }) => id),
	};
}

function isBroken({ uri }: IDataObject, { failure }: Failed): boolean {
	return typeof uri !== 'string' && (failure.status ?? 0) >= 500;
}

/**
 * Of webhooks that we made, finds those that are still ours where the list cannot be read. One made just now is ours
 * without asking.
 *
 * @returns their IDs, and the last failure to read one
 */
export async function observeKnown(
	pbx: Pbx,
	marks: Marks,
): Promise<{ ids: string[]; failed: Failed | undefined }> {
	const { known } = marks;
	const ids: string[] = [];
	let failed: Failed | undefined;
	for (const id of Object.keys(known)) {
		const read = known[id] === '' ? undefined : await complete(pbx, id, {});
		if (read && !read.ok) failed = read;
		else if (!read || (read.doc && isOurs(id, read.doc, marks))) ids.push(id);
	}
	return { ids, failed };
}

/** A webhook with its details; without `doc` where there is none by this id. */
interface Details {
	ok: true;
	id: string;
	doc: IDataObject | undefined;
}

function isOurs(id: string, doc: IDataObject, { url, known, secret }: Marks): boolean {
	if (isSameUrl(doc.uri, url)) return true;
	const isAsMade = typeof doc.uri !== 'string' || known[id] === '' || known[id] === shownMark(doc);
	if (Object.hasOwn(known, id) && isAsMade) return true;
	if (secret === undefined || !isLikeUrl(doc.uri, url)) return false;
	return findSecrets(doc.custom_data).includes(secret);
}

/** Tells whether two addresses are the same; the case of the host and a default port do not matter. */
export function isSameUrl(given: unknown, url: string): boolean {
	if (typeof given !== 'string') return false;
	if (given === url) return true;
	return URL.canParse(given) && URL.canParse(url) && new URL(given).href === new URL(url).href;
}

/** Tells whether two addresses differ at most by scheme, port and a slash at the end; another host is another n8n. */
function isLikeUrl(given: unknown, url: string): boolean {
	if (typeof given !== 'string' || !URL.canParse(given) || !URL.canParse(url)) return false;
	const plain = ({ hostname, pathname, search }: URL) =>
		[hostname, pathname.replace(/\/+$/, ''), search].join(' ');
	return plain(new URL(given)) === plain(new URL(url));
}

/** The id in a list item or answer, whatever the PBX calls it; an empty text where there is none. */
export function webhookId(item: IDataObject): string {
	return asText(item.id ?? item._id ?? item.webhook_id ?? item.value) ?? '';
}

/**
 * Reads a webhook by its id.
 *
 * @param item what the list shows of it
 */
export async function complete(pbx: Pbx, id: string, item: IDataObject): Promise<Details | Failed> {
	const outcome = await pbx.attempt({ method: 'GET', path: ['webhooks', id] });
	if (outcome.ok) {
		return { ok: true, id, doc: { ...item, ...documentOf(outcome.body) } };
	}
	const { status = 0 } = outcome.failure;
	if (status === 404) return { ok: true, id, doc: undefined };
	// One that this login may not read is judged by what the list says of it.
	return status === 400 || status === 403 ? { ok: true, id, doc: item } : outcome;
}

/** The webhooks of the account as the list shows them. */
export type Listed = { ok: true; items: IDataObject[] } | Failed;

/** Lists the webhooks of the account (§4.4), without throwing. */
export async function listWebhooks(pbx: Pbx): Promise<Listed> {
	let failed: Failed | undefined;
	const noting = async (request: PbxRequest) => {
		const outcome = await pbx.attempt(request);
		if (outcome.ok) return withKeysAsIds(outcome.body);
		failed = outcome;
		return { data: [] };
	};
	const request = { path: ['webhooks'], isList: 'orNothing' } as const;
	const items = await readList({ ...pbx, send: noting }, request);
	return failed ?? { ok: true, items };
}

/** Fingerprint of what we write. */
export function sentMark(wanted: IDataObject): string {
	return mark(wanted);
}

/** Fingerprint of how the PBX shows what we wrote; whether it is enabled is judged apart. */
export function shownMark({
	name,
	uri,
	http_verb,
	hook,
	retries,
	custom_data,
}: IDataObject): string {
	return mark({ name, uri, http_verb, hook, retries, custom_data });
}

function mark(value: IDataObject): string {
	return createHash('sha256').update(comparable(value)).digest('hex').slice(0, 16);
}

/** One text for equal objects, whatever the order of their keys; single values as text. */
export function comparable(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(comparable).join()}]`;
	if (!isObject(value)) return JSON.stringify(value === undefined ? null : String(value));
	const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
	return `{${entries
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([key, entry]) => `${JSON.stringify(key)}:${comparable(entry)}`)
		.join()}}`;
}
