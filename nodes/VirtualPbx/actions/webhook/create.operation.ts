import type { IDataObject } from 'n8n-workflow';

import { readFields, readParameter } from '../../parameters/inputs';
import { ADDITIONAL_FIELDS, collectionField, optionsField } from '../../parameters/options';
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
import { masked, newWebhook, readWebhookValues, webhookFields, withCustomData } from './fields';

const additionalFields = collectionField(ADDITIONAL_FIELDS, [
	webhookFields.customData,
	webhookFields.retries,
	webhookFields.verb,
]);

/** PUT `webhooks` (§4.4). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Create a webhook that sends call events to an address',
	kind: 'write',
	fields: [
		{ ...webhookFields.name, required: true },
		{ ...webhookFields.uri, required: true },
		webhookFields.hook,
		additionalFields,
		optionsField(),
	],
	output: 'The new webhook with its id',
	async execute(call) {
		const hook = readParameter(call, 'hook', 'channel_destroy') as string;
		const values = { ...readFields(call, 'additionalFields', ['name', 'uri']), hook };
		const sent = withCustomData(newWebhook(call, readWebhookValues(call, values)));
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
async function findId(work: Scope, { name, uri, hook }: IDataObject): Promise<string | undefined> {
	const request = { path: [WEBHOOK.path], ...scopeOf(work) };
	const isSame = (entry: IDataObject) =>
		entry.name === name && entry.uri === uri && entry.hook === hook;
	const found = await readList(work.pbx, request, 2, isSame).catch(() => []);
	return found.length === 1 ? createdId(found[0]) : undefined;
}
