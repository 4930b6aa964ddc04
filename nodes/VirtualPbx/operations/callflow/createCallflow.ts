import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { FlowInput } from '../../fields/flow';
import { refusal } from '../../fields/refusal';
import type { Reading } from '../../fields/refusal';
import type { Outcome, Pbx } from '../../transport/pbx';
import type { Work } from '../documents';
import { createdBy, documentOf, idOf, placeOf, wholeDocument } from '../documents';
import { CALLFLOW, findByNumber, flowPart } from './callflows';

/** Stands for the ID in the pivot address until the PBX has given one. */
const NO_ID_YET = 'pending';

/** PBXs that turned out to create only below the account, so that not every item asks anew. */
const belowAccount = new WeakSet<Pbx>();

/**
 * Makes a callflow's document of the fields that the user named, with every field of §4.2.
 *
 * @throws NodeOperationError when nothing would lead to it
 */
export function newCallflow(at: Reading, values: IDataObject): IDataObject {
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
	work: Work,
	document: IDataObject,
	flow: FlowInput,
): Promise<IDataObject> {
	const data = { ...document, ...flowPart(flow, NO_ID_YET) };
	const answer = createdBy(CALLFLOW, await put(work, data));

	const id = idOf(answer) ?? (await findId(work, document));
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
async function put(work: Work, data: IDataObject): Promise<Outcome> {
	const request = { method: 'PUT', path: [CALLFLOW.path], data, ...placeOf(work) } as const;
	const isOwn = work.accountId === undefined || (await isOwnAccount(work.pbx, work.accountId));
	if (!isOwn || belowAccount.has(work.pbx)) return await work.pbx.attempt(request);

	const first = await work.pbx.attempt({ ...request, outsideAccount: true });
	if (first.ok || ![404, 405].includes(first.failure.status ?? 0)) return first;
	const second = await work.pbx.attempt(request);
	if (second.ok) belowAccount.add(work.pbx);
	return second;
}

/** What the login says (§5.2); where it does not work now, the request itself says why. */
async function isOwnAccount(pbx: Pbx, accountId: string): Promise<boolean> {
	const login = await pbx.login().catch(() => undefined);
	return login?.accountId === accountId;
}

/** Looks for the new callflow by its number; what goes wrong here must not look like a failed creation. */
async function findId(work: Work, { numbers }: IDataObject): Promise<string | undefined> {
	const [number] = numbers as string[];
	if (number === undefined) return undefined;
	const found = await findByNumber(work, number, 2).catch(() => []);
	return found.length === 1 ? idOf(found[0]) : undefined;
}

async function completeWithId(work: Work, id: string, data: IDataObject): Promise<IDataObject> {
	const path = [CALLFLOW.path, id];
	const outcome = await work.pbx.attempt({ method: 'POST', path, data, ...placeOf(work) });
	if (outcome.ok)
		return await wholeDocument(work, CALLFLOW, { id, answer: outcome.body, sent: data });

	const undo = await work.pbx.attempt({
		method: 'DELETE',
		path,
		evenWhenCancelled: true,
		...placeOf(work),
	});
	const result = undo.ok
		? 'The new callflow was removed again.'
		: `The callflow ${id} was created without its final address and could not be removed: remove it by hand.`;
	outcome.error.description = [outcome.error.description, result].filter(Boolean).join(' ');
	throw outcome.error;
}

function withoutId({ pbx, itemIndex }: Work): NodeOperationError {
	return new NodeOperationError(
		pbx.node,
		'The callflow was created, but the PBX did not give its ID',
		{
			itemIndex,
			description:
				'Its address for the web service lacks the ID. Find the callflow with Get Many and complete it with Update.',
		},
	);
}
