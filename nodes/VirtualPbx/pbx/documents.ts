import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import type { Requester, PbxRequest } from './types';
import { PbxError } from './errors/pbxError';
import { unwrap } from './envelope';

/** A kind of object that the PBX keeps under an account. */
interface DocumentKind {
	/** Path segment (§4.2, §4.4). */
	path: string;
	noun: string;
	/** A field that every full document has, to tell a full response from a partial one. */
	requiredField: string;
}

const KINDS = {
	callflow: { path: 'callflows', noun: 'callflow', requiredField: 'flow' },
	webhook: { path: 'webhooks', noun: 'webhook', requiredField: 'uri' },
} as const satisfies Record<string, DocumentKind>;

/** The data sent in a write, and the response. */
export interface Written {
	response: unknown;
	sent: IDataObject;
}

/** The objects of one kind in an account, as JSON. All methods throw PbxError. */
export class Documents {
	private readonly kind: DocumentKind;

	constructor(
		private readonly pbx: Requester,
		kind: keyof typeof KINDS,
	) {
		this.kind = KINDS[kind];
	}

	/** Reads a document by its ID. Throws even if the PBX responds without the document. */
	async get(id: string): Promise<IDataObject> {
		const { noun } = this.kind;
		const document = documentOf(await this.send('GET', id));
		if (document && Object.keys(document).some((name) => name !== 'id')) return { id, ...document };
		throw new PbxError({
			kind: 'unexpected',
			reason: `The PBX returned no data for the ${noun} ${id}`,
			hint: `Check the ID. If the ${noun} exists, ask your provider why the PBX doesn't return it.`,
		});
	}

	/**
	 * Reads a document, applies changes, and writes all of it. The changes are computed from this read, so that earlier
	 * edits by others aren't lost.
	 */
	async change(id: string, changesOf: (current: IDataObject) => IDataObject): Promise<Written> {
		const current = await this.get(id);
		return await this.replace(id, mergeDocument(current, changesOf(current)));
	}

	/** Writes a whole document (POST, §4.2, §4.4). */
	async replace(id: string, sent: IDataObject): Promise<Written> {
		return { response: await this.send('POST', id, { data: sent }), sent };
	}

	async delete(id: string, options: Pick<PbxRequest, 'evenWhenCancelled'> = {}): Promise<void> {
		await this.send('DELETE', id, options);
	}

	/**
	 * Completes the response to a write, whose shape the contract doesn't show (§4.2 note 4, §4.4): reads the document
	 * if the response lacks it. If that fails, or there is no ID, returns what was sent.
	 */
	async complete(id: string | undefined, { response, sent }: Written): Promise<IDataObject> {
		const returned = documentOf(response) ?? {};
		if (id === undefined) return { ...sent, ...returned };
		if (returned[this.kind.requiredField] !== undefined) return { id, ...returned };
		const document = await this.send('GET', id).then(documentOf, () => undefined);
		return { id, ...(document ?? { ...sent, ...returned }) };
	}

	/** Throws a creation's error, with advice if the PBX might have created the document anyway. */
	failCreation(error: unknown): never {
		if (error instanceof PbxError && error.mayHaveActed)
			error.advise({
				after: `The ${this.kind.noun} might have been created anyway. Check with Get Many before you run this again.`,
			});
		throw error;
	}

	/** Sends a request about one document. */
	async send(
		method: PbxRequest['method'],
		id: string,
		options: Partial<PbxRequest> = {},
	): Promise<unknown> {
		return await this.pbx.send({ ...options, method, path: [this.kind.path, id] });
	}
}

/**
 * Returns the full document to send in an update, so that nothing is lost: all current fields, overwritten by changes
 * that aren't undefined, without fields that the PBX maintains itself.
 */
export function mergeDocument(current: IDataObject, changes: IDataObject): IDataObject {
	const kept = Object.entries(current).filter(([name, value]) => !isReadOnly(name, value));
	const set = Object.entries(changes).filter(([, value]) => value !== undefined);
	return Object.fromEntries([...kept, ...set]);
}

/** Fields that a PBX computes for its responses. It would store them if they were posted back. */
const COMPUTED = ['id', 'metadata', 'disable_reason'];

/**
 * Recognizes the ID, computed fields, `_…` and `pvt_…` fields, and list-only fields: a boolean `featurecode`, and
 * `modules`.
 */
function isReadOnly(name: string, value: unknown): boolean {
	if (COMPUTED.includes(name) || /^(?:_|pvt_)/.test(name)) return true;
	if (name === 'modules') return Array.isArray(value);
	return name === 'featurecode' && (typeof value === 'boolean' || value === null);
}

/**
 * Finds the document in a response, however it's wrapped, without the envelope's fields (§2.1), above all the token.
 */
export function documentOf(response: unknown): IDataObject | undefined {
	const payload = unwrap(response);
	const single: unknown = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
	if (!isObject(single)) return undefined;
	const fields =
		single === response ? Object.entries(single).filter(isNoEnvelope) : Object.entries(single);
	return fields.length === 0 ? undefined : (Object.fromEntries(fields) as IDataObject);
}

function isNoEnvelope([name, value]: [string, unknown]): boolean {
	return (
		!['auth_token', 'request_id', 'revision'].includes(name) &&
		!(name === 'status' && value === 'success')
	);
}

/** Finds the ID in a document, or in the response to a creation. */
export function idIn(response: unknown): string | undefined {
	const places = [documentOf(response), response].filter(isObject);
	return places.flatMap(
		({ id, _id, webhook_id: webhookId }) => asText(id) ?? asText(_id) ?? asText(webhookId) ?? [],
	)[0];
}
