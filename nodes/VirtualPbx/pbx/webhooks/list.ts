import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { CONCURRENT_READS, mapInOrder } from '../../util/mapInOrder';
import type { Pbx } from '../client';
import { createdId, documentOf, readList, WEBHOOK } from '../documents';
import { PbxError } from '../errors/pbxError';
import { readPages } from '../pages';

/** Where an operation works. A trigger's PBX always works in its own account. */
export interface Place {
	accountId?: string | undefined;
}

/**
 * Lists the webhooks of the account (§4.4). The contract doesn't say which fields the list shows.
 *
 * @throws PbxError
 */
export async function listWebhooks(pbx: Pbx, place: Place = {}): Promise<IDataObject[]> {
	return await readList(pbx, { path: [WEBHOOK.path], isList: 'orNothing', ...place });
}

/** Returns the ID of a listed webhook, which can be a bare ID; undefined if the PBX shows none. */
export function webhookId(item: IDataObject): string | undefined {
	return createdId(item) ?? asText(item.value);
}

/**
 * Reads a listed webhook in full (§4.4), as far as this login is allowed to; undefined if it's gone. Throws PbxError.
 */
async function readWebhook(
	pbx: Pbx,
	item: IDataObject,
	place: Place = {},
): Promise<IDataObject | undefined> {
	const id = webhookId(item);
	if (id === undefined) return item;
	const reading = pbx.send({ method: 'GET', path: [WEBHOOK.path, id], ...place });
	return await reading.then(
		(body) => ({ ...item, ...documentOf(body), id }),
		(error: unknown) => {
			const status = error instanceof PbxError ? error.status : undefined;
			if (status === 404) return undefined;
			if (status === 400 || status === 403) return { ...item, id };
			throw error;
		},
	);
}

/**
 * Reads several listed webhooks in full (GET `webhooks/{id}`, §4.4), without those that are gone. One that the login
 * isn't allowed to read stays as the list shows it. Throws PbxError.
 */
export async function readWebhooks(
	pbx: Pbx,
	items: readonly IDataObject[],
	place: Place = {},
): Promise<IDataObject[]> {
	const read = await mapInOrder(
		items.length,
		CONCURRENT_READS,
		async (index) => await readWebhook(pbx, items[index] ?? {}, place),
	);
	return read.filter((webhook) => webhook !== undefined);
}

/** The attempts of one webhook, or why they can't be read. */
export interface AttemptsRead {
	entries: IDataObject[];
	fault?: string | undefined;
}

/**
 * Reads GET `webhooks/{id}/attempts` (§4.4), and returns a failure as text: one odd webhook doesn't affect the
 * others. Throws PbxError when the user stops the execution.
 */
export async function tryReadAttempts(pbx: Pbx, id: string, place: Place): Promise<AttemptsRead> {
	if (id === '') return { entries: [], fault: "the PBX doesn't show the ID of this webhook" };
	const path = [WEBHOOK.path, id, 'attempts'];
	const entries: IDataObject[] = [];
	let fault: string | undefined;
	try {
		for await (const page of readPages(pbx, { path, isList: 'orNothing', ...place }))
			entries.push(...page);
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

/** Returns whether two addresses are the same, ignoring the host's case and a default port. */
export function isSameAddress(given: unknown, url: string): boolean {
	if (typeof given !== 'string') return false;
	if (given === url) return true;
	return URL.canParse(given) && URL.canParse(url) && new URL(given).href === new URL(url).href;
}
