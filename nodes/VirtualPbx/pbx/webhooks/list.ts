import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { CONCURRENT_READS, mapInOrder } from '../../util/mapInOrder';
import type { Pbx } from '../client';
import { createdId, documentOf, readList, WEBHOOK } from '../documents';
import type { Failure } from '../errors/failure';

/** Where an operation works; a trigger's PBX works in its account anyway. */
export interface Place {
	accountId?: string | undefined;
	itemIndex?: number | undefined;
}

/**
 * Lists the webhooks of the account (§4.4); what of each is shown there, the contract does not say.
 *
 * @throws NodeApiError
 */
export async function listWebhooks(pbx: Pbx, place: Place = {}): Promise<IDataObject[]> {
	return await readList(pbx, { path: [WEBHOOK.path], isList: 'orNothing', ...place });
}

/** The ID of a listed webhook, which may be nothing but its ID; undefined where the PBX shows none. */
export function webhookId(item: IDataObject): string | undefined {
	return createdId(item) ?? asText(item.value);
}

/** Reads a listed webhook whole (§4.4), as far as this login may; undefined for one that is gone. Throws NodeApiError. */
async function readWebhook(
	pbx: Pbx,
	item: IDataObject,
	place: Place = {},
): Promise<IDataObject | undefined> {
	const id = webhookId(item);
	if (id === undefined) return item;
	const result = await pbx.trySend({ method: 'GET', path: [WEBHOOK.path, id], ...place });
	if (result.ok) return { ...item, ...documentOf(result.body), id };
	const { status = 0 } = result.failure;
	if (status === 404) return undefined;
	if (status === 400 || status === 403) return { ...item, id };
	throw result.error;
}

/** Reads several listed webhooks whole, leaving out those that are gone. */
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

/** The attempts of one webhook, and why they cannot be read, in words, where they cannot. */
export interface AttemptsRead {
	entries: IDataObject[];
	fault?: string | undefined;
}

/**
 * GET `webhooks/{id}/attempts` (§4.4), whatever the PBX makes of it: one odd webhook says nothing about the others. Throws NodeOperationError when the user stops the execution.
 */
export async function tryReadAttempts(pbx: Pbx, id: string, place: Place): Promise<AttemptsRead> {
	if (id === '') return { entries: [], fault: 'the PBX does not show the ID of this webhook' };
	let fault: string | undefined;
	const send: Pbx['send'] = async (request) => {
		const outcome = await pbx.trySend(request);
		if (outcome.ok) return outcome.body;
		const { failure, error } = outcome;
		if (failure.kind === 'cancelled') throw error;
		fault = faultIn(failure);
		return { data: [] };
	};
	const path = [WEBHOOK.path, id, 'attempts'];
	const listed = await readList({ ...pbx, send }, { path, isList: 'orNothing', ...place });
	return { entries: listed.filter((entry) => Object.keys(entry).length > 0), fault };
}

function faultIn({ message, says, status }: Failure): string {
	return says === undefined || status === undefined ? message : `${says} (status ${status})`;
}

/** Tells whether two addresses are the same; the case of the host and a default port do not matter. */
export function isSameAddress(given: unknown, url: string): boolean {
	if (typeof given !== 'string') return false;
	if (given === url) return true;
	return URL.canParse(given) && URL.canParse(url) && new URL(given).href === new URL(url).href;
}
