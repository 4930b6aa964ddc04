import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection } from '../../parameters/options';
import { ADDITIONAL_FIELDS, defineCollection, withFilledIn } from '../../parameters/parameter';
import type { Scope } from '../../pbx/documents';
import {
	createdId,
	failCreation,
	readList,
	scopeOf,
	WEBHOOK,
	wholeDocument,
} from '../../pbx/documents';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { masked, newWebhook, webhookParameters, withCustomData } from './parameters';

const { name, uri, hook, verb, retries, customData } = webhookParameters;
const additionalFields = defineCollection(ADDITIONAL_FIELDS, [customData, retries, verb]);

/** PUT `webhooks` (§4.4). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Create a webhook that sends call events to an address',
	kind: 'write',
	parameters: [
		name.with({ required: true }),
		uri.with({ required: true }),
		hook,
		additionalFields,
		defineOptionsCollection(),
	],
	output: 'The new webhook with its id',
	async execute(call) {
		const given = withFilledIn(additionalFields.read(call), call, [name, uri, hook]);
		const sent = withCustomData(newWebhook(given));
		const work = await openScope(call);
		const request = { method: 'PUT', path: [WEBHOOK.path], data: sent, ...scopeOf(work) } as const;
		const answer = await work.pbx
			.send(request)
			.catch((error: unknown) => failCreation(WEBHOOK, error));
		const id = createdId(answer) ?? (await findId(work, sent));
		return itemsOf([masked(await wholeDocument(work, WEBHOOK, { id, answer, sent }))]);
	},
};

/** Looks for the new webhook in the list, where the answer lacks its ID (§4.4: shapes are not shown). */
async function findId(work: Scope, sent: IDataObject): Promise<string | undefined> {
	const request = { path: [WEBHOOK.path], ...scopeOf(work) };
	const isSame = (entry: IDataObject) =>
		['name', 'uri', 'hook'].every((field) => entry[field] === sent[field]);
	const found = await readList(work.pbx, request, 2, isSame).catch(() => []);
	return found.length === 1 ? createdId(found[0]) : undefined;
}
