import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { CONCURRENT_READS, mapInOrder } from '../../util/limits';
import type { ListOptions } from '../documents';
import { documentOf, Documents, idIn, readList, readPages } from '../documents';
import { PbxError } from '../errors/pbxError';
import type { Tag } from '../events/delivery';
import { findTags } from '../events/delivery';
import { MASK } from '../redact';
import type { Requester } from '../types';

const MAX_METHOD = 20;
const MAX_REASON = 200;

/** A webhook (§2.5), from a list or in full. Fields are undefined if the PBX doesn't show them. */
export class Webhook {
	/** `original` is the webhook as the PBX sent it. */
	constructor(readonly original: IDataObject) {}

	/** A list can hold bare IDs. */
	get id(): string | undefined {
		return idIn(this.original) ?? asText(this.original.value);
	}

	get name(): string | undefined {
		return asText(this.original.name);
	}

	get uri(): string | undefined {
		const { uri } = this.original;
		return typeof uri === 'string' ? uri : undefined;
	}

	get hook(): string | undefined {
		return asText(this.original.hook);
	}

	get customData(): IDataObject {
		const { custom_data: data } = this.original;
		return isObject(data) ? data : {};
	}

	/** The tags of event triggers in its custom data. */
	get tags(): Tag[] {
		return findTags(this.original.custom_data);
	}

	/** The workflow in its name, as the event trigger writes it; undefined for other names. */
	get workflow(): string | undefined {
		return /^n8n: ?(.*) \([^()]*\)$/s.exec(this.name ?? '')?.[1];
	}

	/** Whether the PBX has disabled it. An enabled webhook can still show why it was disabled. */
	get isDisabled(): boolean {
		return this.original.enabled === false;
	}

	/** Why the PBX disabled it, in the PBX's words. */
	get disableReason(): string | undefined {
		return asText(this.original.disable_reason)?.slice(0, MAX_REASON);
	}

	/**
	 * Describes a setting that keeps events from the event trigger, to follow the webhook's name: a method other than
	 * POST, or no delivery attempts, since `retries` counts all tries. Undefined if the PBX shows no such setting.
	 */
	get misconfiguration(): string | undefined {
		const { http_verb: verb, retries } = this.original;
		const method = (asText(verb) ?? '').toUpperCase();
		if (method !== '' && method !== 'POST')
			return `was set to ${method.slice(0, MAX_METHOD)} instead of POST`;
		return asText(retries) === '0' ? 'was set to 0 delivery attempts' : undefined;
	}

	/** Returns whether it calls an address, ignoring the host's case and a default port. */
	calls(url: string): boolean {
		const { uri } = this;
		if (uri === undefined || uri === url) return uri === url;
		return URL.canParse(uri) && URL.canParse(url) && new URL(uri).href === new URL(url).href;
	}
}

/** The fields of a webhook to write. Undefined ones stay as they are. */
export interface WebhookInput {
	name?: string | undefined;
	uri?: string | undefined;
	/** The HTTP method of deliveries, in lower case. */
	method?: string | undefined;
	hook?: string | undefined;
	retries?: number | undefined;
	/** Merged by name. Masked values, such as from an earlier output, stay unchanged. */
	customData?: IDataObject | undefined;
}

const NAMES: Record<string, string> = { method: 'http_verb', customData: 'custom_data' };

/** Returns the fields to send to the PBX (§2.5), for a new webhook or one with custom data. */
function webhookFields(input: WebhookInput, current: IDataObject = {}): IDataObject {
	const fields = Object.entries({ ...input, customData: merged(input, current) });
	const given = fields.filter(([, value]) => value !== undefined);
	return Object.fromEntries(given.map(([name, value]) => [NAMES[name] ?? name, value]));
}

function merged({ customData }: WebhookInput, current: IDataObject): IDataObject | undefined {
	if (customData === undefined) return undefined;
	const given = Object.entries(customData).filter(([, value]) => value !== MASK);
	return { ...current, ...Object.fromEntries(given) };
}

/** The attempts of one webhook as the PBX logs them, or why they can't be read. */
export interface DeliveryLog {
	entries: IDataObject[];
	fault?: string | undefined;
}

/** The webhooks of an account (§4.4). All methods throw PbxError. */
export interface Webhooks {
	/** The contract doesn't say which fields the list shows. */
	list(options?: ListOptions<Webhook>): Promise<Webhook[]>;
	/**
	 * Reads listed webhooks in full, without those that are gone. One that the login isn't allowed to read stays as the
	 * list shows it.
	 */
	readAll(listed: readonly Webhook[]): Promise<Webhook[]>;
	get(id: string): Promise<Webhook>;
	/** Creates a webhook, and returns it as the PBX then shows it. */
	create(webhook: WebhookInput): Promise<Webhook>;
	/**
	 * Creates a webhook with one request, and returns its ID if the response shows it. Never cancels in flight: we
	 * couldn't tell whether the webhook was created.
	 */
	register(webhook: WebhookInput): Promise<string | undefined>;
	/** Changes fields and keeps all others. */
	update(id: string, changes: WebhookInput): Promise<Webhook>;
	delete(id: string): Promise<void>;
	/** Lists the latest delivery attempts of one webhook, or of all webhooks, as the PBX logs them. */
	attempts(id?: string, limit?: number): Promise<IDataObject[]>;
	/**
	 * Reads the attempts of one webhook, and returns a failure as text: one odd webhook doesn't affect the others.
	 * Throws only when a person stops the execution.
	 */
	log(id: string | undefined): Promise<DeliveryLog>;
}

/** Returns the webhooks of an account. No network access. */
export function webhooksOf(pbx: Requester): Webhooks {
	const documents = new Documents(pbx, 'webhook');
	const put = async (data: IDataObject, evenWhenCancelled = false) =>
		await pbx.send({ method: 'PUT', path: ['webhooks'], data, evenWhenCancelled });

	/** Looks for a new webhook if the response lacks its ID (§4.4 shows no shapes). */
	const findNew = async ({ name, uri, hook }: IDataObject) => {
		const keep = (entry: IDataObject) =>
			entry.name === name && entry.uri === uri && entry.hook === hook;
		const found = await readList(pbx, { path: ['webhooks'] }, { limit: 2, keep }).catch(() => []);
		return found.length === 1 ? idIn(found[0]) : undefined;
	};
	return {
		async list({ limit, keep = () => true } = {}) {
			const passes = (entry: IDataObject) => keep(new Webhook(entry));
			const listed = await readList(pbx, { path: ['webhooks'] }, { limit, keep: passes });
			return listed.map((entry) => new Webhook(entry));
		},
		async readAll(listed) {
			const read = async (webhook: Webhook) => await readWhole(documents, webhook);
			const whole = await mapInOrder(listed, CONCURRENT_READS, read);
			return whole.filter((webhook) => webhook !== undefined);
		},
		get: async (id) => new Webhook(await documents.get(id)),
		async create(webhook) {
			const sent = webhookFields(webhook);
			const response = await put(sent).catch((error: unknown) => documents.failCreation(error));
			const id = idIn(response) ?? (await findNew(sent));
			return new Webhook(await documents.complete(id, { response, sent }));
		},
		register: async (webhook) => idIn(await put(webhookFields(webhook), !pbx.signal.aborted)),
		async update(id, changes) {
			const written = await documents.change(id, (current) =>
				webhookFields(changes, new Webhook(current).customData),
			);
			return new Webhook(await documents.complete(id, written));
		},
		delete: async (id) => await documents.delete(id),
		async attempts(id, limit) {
			const path = ['webhooks', ...(id === undefined ? [] : [id]), 'attempts'];
			return await readList(pbx, { path }, { limit });
		},
		log: async (id) => await readLog(pbx, id),
	};
}

async function readWhole(documents: Documents, listed: Webhook): Promise<Webhook | undefined> {
	const { id, original } = listed;
	if (id === undefined) return listed;
	return await documents.send('GET', id).then(
		(body) => new Webhook({ ...original, ...documentOf(body), id }),
		(error: unknown) => {
			const status = error instanceof PbxError ? error.status : undefined;
			if (status === 404) return undefined;
			if (status === 400 || status === 403) return new Webhook({ ...original, id });
			throw error;
		},
	);
}

async function readLog(pbx: Requester, id: string | undefined): Promise<DeliveryLog> {
	if (id === undefined)
		return { entries: [], fault: "the PBX doesn't show the ID of this webhook" };
	const request = { path: ['webhooks', id, 'attempts'] };
	const entries: IDataObject[] = [];
	let fault: string | undefined;
	try {
		for await (const page of readPages(pbx, request)) entries.push(...page);
	} catch (error) {
		fault = faultIn(error);
	}
	return { entries: entries.filter((entry) => Object.keys(entry).length > 0), fault };
}

/** Returns why a request failed; rethrows errors that aren't a request's, such as a cancellation. */
function faultIn(error: unknown): string {
	if (!(error instanceof PbxError) || !error.request) throw error;
	const { reason, says, status } = error.details;
	return says === undefined || status === undefined ? reason : `${says} (status ${status})`;
}
