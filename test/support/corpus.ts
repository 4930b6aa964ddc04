import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { ACCOUNT_ID } from './scriptedPbx';

const FOLDER = path.join(__dirname, '../corpus');

/** A shape found in a public source, with invented values (test/corpus). */
export interface Entry<Body = IDataObject> {
	/** Repository and path, or the contract's section. */
	source: string;
	what: string;
	body: Body;
	/** The expected reading. */
	means: IDataObject;
}

/** Reads one kind of the corpus, usually a list of entries. */
export function readCorpus<T = Entry[]>(kind: string): T {
	return JSON.parse(readFileSync(path.join(FOLDER, `${kind}.json`), 'utf8')) as T;
}

/** The token in the corpus's responses, which no message may repeat. */
export const CORPUS_TOKEN = String(readCorpus('logins')[0]?.body.auth_token);

/** A request to a real Kazoo (master of March 2024, “5.0”) with its response, recorded in November 2026. Its token is the corpus's. */
export interface Recording<Means = IDataObject> {
	what: string;
	request: { method: string; path: string; body?: unknown };
	status: number;
	headers?: Record<string, string>;
	body: IDataObject;
	/** The message for the user, if it is a rejected login. */
	refused?: string[];
	means?: Means;
}

const recordings = (kind: string) =>
	JSON.parse(JSON.stringify(readCorpus(kind)).replaceAll('<token>', CORPUS_TOKEN)) as Recording[];

/** Responses of a real Kazoo, in the order of the requests. */
export const RECORDINGS = recordings('kazoo/api');

/** Responses of the same Kazoo to requests of the platform Kazoo. Objects are named in braces, such as `{acct}`. */
const DIRECT = recordings('kazoo/api-2');

/** The reaction of a real Kazoo to an answer to a routing request: the commands that it sent to its switch. */
export interface PivotAnswer {
	what: string;
	answer: { status: number; 'content-type': string; body: string; after_ms?: number };
	/** None at all means that the caller hears nothing until they hang up. */
	commands: Array<{ application: string; endpoints?: string[] }>;
}

export const PIVOT_ANSWERS = readCorpus<PivotAnswer[]>('kazoo/pivot-answers');

/** Returns the response to one request of the recordings. Throws if there is no such request. */
export function recorded(name: string): Recording {
	const found = [...RECORDINGS, ...DIRECT].find(({ what }) => what === name);
	if (!found) throw new Error(`Nothing is recorded as ${name}`);
	return found;
}

/** A request that the same Kazoo sent: a delivery, or a routing request. */
export interface Sent extends Omit<Entry<string>, 'source'> {
	method: string;
	url: string;
	headers: Record<string, string>;
}

/** Titles entries for `describe.each` and `it.each`. */
export function titled<T extends { what: string }>(entries: T[]): Array<[string, T]> {
	return entries.map((entry) => [entry.what, entry]);
}

/** Picks the fields of an item, and of its details, that an entry covers. */
export function only(item: IDataObject, means: IDataObject): IDataObject {
	const { details, ...top } = means;
	const pick = (from: IDataObject, names: IDataObject) =>
		Object.fromEntries(Object.keys(names).map((name) => [name, from[name]])) as IDataObject;
	if (details === undefined) return pick(item, top);
	const inner = pick(item.details as IDataObject, details as IDataObject);
	return { ...pick(item, top), details: inner };
}

/** Encodes an object as a form, as the platform does: `a[b]=c` for objects, `a[]=c` for lists. */
export function formOf(fields: object): URLSearchParams {
	const form = new URLSearchParams();
	const add = (name: string, value: unknown): void => {
		if (value === undefined || value === null) return;
		if (Array.isArray(value)) value.forEach((entry) => add(`${name}[]`, entry));
		else if (typeof value === 'object')
			Object.entries(value).forEach(([key, inner]) => add(`${name}[${key}]`, inner));
		else form.append(name, String(value as string));
	};
	for (const [name, value] of Object.entries(fields)) add(name, value);
	return form;
}

/** Returns the part of a path after the account, such as `callflows/1`. Undefined for the login. */
export function placeIn(path: string): string | undefined {
	return new RegExp(`/v1/pbx/(?:accounts/${ACCOUNT_ID}/)?((?!user_auth).+)$`).exec(path)?.[1];
}

/** Whether only the PBX keeps a document's field: the ID, read-only additions, and the list's boolean (§2.2). */
export function isOfPbx([name, value]: [string, unknown]): boolean {
	if (['id', 'metadata', 'disable_reason'].includes(name) || name.startsWith('_')) return true;
	return name === 'featurecode' && value === false;
}

/** Returns each of the user's fields of a document, as its text on the wire. */
export function texts(document: IDataObject): Record<string, string> {
	const fields = Object.entries(document).filter((entry) => !isOfPbx(entry));
	return Object.fromEntries(fields.map(([name, value]) => [name, JSON.stringify(value)]));
}
