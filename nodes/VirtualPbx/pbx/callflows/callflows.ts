import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import type { Scope } from '../documents';
import {
	CALLFLOW,
	changeDocument,
	createdId,
	deleteDocument,
	failCreation,
	idOf,
	readDocument,
	readList,
	scopeOf,
	wholeDocument,
} from '../documents';
import { PbxError } from '../errors/pbxError';
import { findByNumber } from './byNumber';

/** A callflow (§2.2). */
export interface Callflow {
	/** Undefined if the PBX doesn't show it. */
	id: string | undefined;
	name: string | undefined;
	numbers: string[];
	patterns: string[];
	/** Undefined in a list. */
	flow: IDataObject | undefined;
	/** The response as the PBX sent it. */
	original: IDataObject;
}

/** The callflows of an account (§4.2). All methods throw PbxError. */
export interface Callflows {
	list(limit?: number): Promise<Callflow[]>;
	/** Finds callflows with a number, in any form that the PBX stores. */
	byNumber(number: string, limit?: number): Promise<Callflow[]>;
	get(id: string): Promise<Callflow>;
	create(document: IDataObject): Promise<Callflow>;
	/** Changes fields and keeps all others. */
	update(id: string, changes: IDataObject): Promise<Callflow>;
	delete(id: string): Promise<void>;
}

/** Returns the callflows of an account. No network access. */
export function callflowsOf(scope: Scope): Callflows {
	const whole = async (change: { id: string | undefined; answer: unknown; sent: IDataObject }) =>
		readCallflow(await wholeDocument(scope, CALLFLOW, change));
	return {
		async list(limit) {
			const request = { path: [CALLFLOW.path], ...scopeOf(scope) };
			return (await readList(scope.pbx, request, limit)).map(readCallflow);
		},
		byNumber: async (number, limit) => (await findByNumber(scope, number, limit)).map(readCallflow),
		get: async (id) => readCallflow(await readDocument(scope, CALLFLOW, id)),
		async create(sent) {
			const answer = await putCallflow(scope, sent).catch((error: unknown) =>
				failCreation(CALLFLOW, error),
			);
			return await whole({ id: createdId(answer), answer, sent });
		},
		update: async (id, changes) =>
			await whole({ id, ...(await changeDocument(scope, CALLFLOW, id, () => changes)) }),
		delete: async (id) => await deleteDocument(scope, CALLFLOW, id),
	};
}

function readCallflow(document: IDataObject): Callflow {
	const { name, numbers, patterns, flow } = document;
	const texts = (list: unknown) => [list].flat().flatMap((one) => asText(one) ?? []);
	return {
		id: idOf(document),
		name: asText(name),
		numbers: texts(numbers),
		patterns: texts(patterns),
		flow: isObject(flow) ? flow : undefined,
		original: document,
	};
}

/**
 * Creates below the account, as real platforms do (§4.2 note 2 shows two paths). After 404 or 405, which mean that
 * nothing was created, tries the path in the contract's table, which knows only the login's own account.
 */
export async function putCallflow(scope: Scope, data: IDataObject): Promise<unknown> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...scopeOf(scope) } as const;
	return await scope.pbx.send(request).catch(async (first: unknown) => {
		const { createsOutsideAccount } = scope.pbx.dialect;
		if (!createsOutsideAccount || !isUnknown(first) || !(await isOwnAccount(scope))) throw first;
		const second = scope.pbx.send({ ...request, outsideAccount: true });
		return await second.catch((error: unknown) => {
			throw isUnknown(error) ? first : error;
		});
	});
}

function isUnknown(error: unknown): boolean {
	return error instanceof PbxError && [404, 405].includes(error.status ?? 0);
}

async function isOwnAccount({ pbx, accountId }: Scope): Promise<boolean> {
	if (accountId === undefined) return true;
	const login = await pbx.account.get().catch(() => undefined);
	return login?.accountId === accountId;
}
