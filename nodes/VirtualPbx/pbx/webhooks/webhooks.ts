import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import type { Scope } from '../documents';
import {
	changeDocument,
	createdId,
	deleteDocument,
	failCreation,
	idOf,
	readDocument,
	readList,
	scopeOf,
	WEBHOOK,
	wholeDocument,
} from '../documents';
import type { Attempt } from './attempts';
import { readAttempt } from './attempts';
import { isDisabled } from './health';

/** A webhook (§2.5). */
export interface Webhook {
	/** Undefined if the PBX doesn't show it. */
	id: string | undefined;
	name: string | undefined;
	uri: string | undefined;
	hook: string | undefined;
	customData: IDataObject;
	isDisabled: boolean;
	/** The response as the PBX sent it. */
	original: IDataObject;
}

/** One attempt to deliver an event. */
export interface DeliveryAttempt extends Attempt {
	/** The log entry as the PBX sent it. */
	original: IDataObject;
}

/** The webhooks of an account (§4.4). All methods throw PbxError. */
export interface Webhooks {
	list(limit?: number): Promise<Webhook[]>;
	get(id: string): Promise<Webhook>;
	create(document: IDataObject): Promise<Webhook>;
	/** Changes fields and keeps all others. */
	update(id: string, changesOf: (current: IDataObject) => IDataObject): Promise<Webhook>;
	delete(id: string): Promise<void>;
	/** Lists the latest attempts of one webhook, or of all webhooks. */
	attempts(id?: string, limit?: number): Promise<DeliveryAttempt[]>;
}

/** Returns the webhooks of an account. No network access. */
export function webhooksOf(scope: Scope): Webhooks {
	const list = async (path: string[], limit?: number) =>
		await readList(scope.pbx, { path: [WEBHOOK.path, ...path], ...scopeOf(scope) }, limit);
	const whole = async (change: { id: string | undefined; answer: unknown; sent: IDataObject }) =>
		readWebhook(await wholeDocument(scope, WEBHOOK, change));

	/** Looks for a new webhook if the response lacks its ID (§4.4 shows no shapes). */
	const findId = async ({ name, uri, hook }: IDataObject) => {
		const isSame = (entry: IDataObject) =>
			entry.name === name && entry.uri === uri && entry.hook === hook;
		const request = { path: [WEBHOOK.path], ...scopeOf(scope) };
		const found = await readList(scope.pbx, request, 2, isSame).catch(() => []);
		return found.length === 1 ? createdId(found[0]) : undefined;
	};
	return {
		list: async (limit) => (await list([], limit)).map(readWebhook),
		get: async (id) => readWebhook(await readDocument(scope, WEBHOOK, id)),
		async create(sent) {
			const request = { method: 'PUT', path: [WEBHOOK.path], data: sent } as const;
			const answer = await scope.pbx
				.send({ ...request, ...scopeOf(scope) })
				.catch((error: unknown) => failCreation(WEBHOOK, error));
			return await whole({ id: createdId(answer) ?? (await findId(sent)), answer, sent });
		},
		update: async (id, changesOf) =>
			await whole({ id, ...(await changeDocument(scope, WEBHOOK, id, changesOf)) }),
		delete: async (id) => await deleteDocument(scope, WEBHOOK, id),
		attempts: async (id, limit) =>
			(await list(id === undefined ? ['attempts'] : [id, 'attempts'], limit)).map((original) => ({
				...readAttempt(original),
				original,
			})),
	};
}

function readWebhook(document: IDataObject): Webhook {
	const { name, uri, hook, custom_data: customData } = document;
	return {
		id: idOf(document),
		name: asText(name),
		uri: asText(uri),
		hook: asText(hook),
		customData: isObject(customData) ? customData : {},
		isDisabled: isDisabled(document),
		original: document,
	};
}
