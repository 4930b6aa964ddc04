import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ItemContext } from '../../fields/inputs';
import { readFields, refusal } from '../../fields/inputs';
import { optionsField, readAccountId } from '../../fields/options';
import type { Scope } from '../../transport/documents';
import {
	CALLFLOW,
	createdBy,
	documentOf,
	createdId,
	scopeOf,
	wholeDocument,
} from '../../transport/documents';
import type { Result, Pbx } from '../../transport/pbx';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { findByNumber, flowPart } from './callflows';
import {
	callflowFakeNumber,
	callflowName,
	callflowNumbers,
	callflowPatterns,
	readCallflowValues,
} from './fields';
import type { FlowInput } from './flow';
import { flowFields, pivotFields, readFlow } from './flow';

const additionalFields: INodeProperties = {
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [callflowFakeNumber, callflowPatterns, ...pivotFields],
};

/** PUT `callflows` (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create callflow',
	description: 'Create a callflow for numbers that no other callflow has',
	kind: 'write',
	fields: [callflowName, callflowNumbers, ...flowFields(false), additionalFields, optionsField()],
	output: 'The new callflow with its id',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const values = readCallflowValues(at, readFields(at, 'additionalFields', ['name', 'numbers']));
		const document = newCallflow(at, values);
		const opened = await pbx();
		const flow = readFlow(
			at,
			{ fallback: 'pivot', collection: 'additionalFields' },
			opened.platform,
		);
		const work = { pbx: opened, accountId: readAccountId(context, itemIndex), itemIndex };
		return itemsOf([await createCallflow(work, document, flow)]);
	},
};

/** Stands for the ID in the pivot address until the PBX has given one. */
const NO_ID_YET = 'pending';

/**
 * Makes a callflow's document of the fields that the user named, with every field of §4.2.
 *
 * @throws NodeOperationError when nothing would lead to it
 */
export function newCallflow(at: ItemContext, values: IDataObject): IDataObject {
	const document: IDataObject = { numbers: [], patterns: [], fakenumber: false, ...values };
	if ([document.numbers, document.patterns].some((list) => Array.isArray(list) && list.length > 0))
		return document;
	throw refusal(
		at,
		'Numbers is empty',
		'Enter at least one number, or a pattern, that leads to the callflow.',
	);
}

/**
 * Creates a callflow (§4.2). A pivot flow carries the callflow's ID, which only the PBX gives: then the callflow is
 * created, completed by a second request, and removed again when that fails.
 *
 * @param document all fields but the flow
 * @returns the callflow as the PBX has it now
 */
export async function createCallflow(
	work: Scope,
	document: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	const data = { ...document, ...flowPart(flow, NO_ID_YET) };
	const answer = createdBy(CALLFLOW, await put(work, data));

	const id = createdId(answer) ?? (await findId(work, document));
	if (flow.kind !== 'pivot') {
		return id === undefined
			? { ...data, ...documentOf(answer) }
			: await wholeDocument(work, CALLFLOW, { id, answer, sent: data });
	}
	if (id === undefined) throw withoutId(work);
	return await completeWithId(work, id, { ...document, ...flowPart(flow, id) });
}

/**
 * The contract's table creates outside the account; one other place shows a path below it (§4.2 note 2). The second is
 * used for another account, and where the PBX does not know the first: 404 and 405 say that nothing was created.
 */
async function put(work: Scope, data: IDataObject): Promise<Result> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...scopeOf(work) } as const;
	const isOwn = work.accountId === undefined || (await isOwnAccount(work.pbx, work.accountId));
	if (!isOwn) return await work.pbx.trySend(request);
	const first = await work.pbx.trySend({ ...request, outsideAccount: true });
	const isUnknown = !first.ok && [404, 405].includes(first.failure.status ?? 0);
	return isUnknown ? await work.pbx.trySend(request) : first;
}

/** What the login says (§5.2); where it does not work now, the request itself says why. */
async function isOwnAccount(pbx: Pbx, accountId: string): Promise<boolean> {
	const login = await pbx.login().catch(() => undefined);
	return login?.accountId === accountId;
}

/** Looks for the new callflow by its number; what goes wrong here must not look like a failed creation. */
async function findId(work: Scope, { numbers }: IDataObject): Promise<string | undefined> {
	const [number] = numbers as string[];
	if (number === undefined) return undefined;
	const found = await findByNumber(work, number, 2).catch(() => []);
	return found.length === 1 ? createdId(found[0]) : undefined;
}

async function completeWithId(work: Scope, id: string, data: IDataObject): Promise<IDataObject> {
	const path = [CALLFLOW.path, id];
	const outcome = await work.pbx.trySend({ method: 'POST', path, data, ...scopeOf(work) });
	if (outcome.ok)
		return await wholeDocument(work, CALLFLOW, { id, answer: outcome.body, sent: data });

	const undo = await work.pbx.trySend({
		method: 'DELETE',
		path,
		evenWhenCancelled: true,
		...scopeOf(work),
	});
	const result = undo.ok
		? 'The new callflow was removed again.'
		: `The callflow ${id} was created without its final address and could not be removed. Remove it manually.`;
	outcome.error.description = [outcome.error.description, result].filter(Boolean).join(' ');
	throw outcome.error;
}

function withoutId({ pbx, itemIndex }: Scope): NodeOperationError {
	return new NodeOperationError(
		pbx.node,
		'The callflow was created, but the PBX did not return its ID',
		{
			itemIndex,
			description:
				'Its address for the web service lacks the ID. Find the callflow with Get Many and complete it with Update.',
		},
	);
}
