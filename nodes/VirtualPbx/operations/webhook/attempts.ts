import type { IDataObject } from 'n8n-workflow';

import { scopeOf, WEBHOOK } from '../../transport/documents';
import type { Scope } from '../../transport/documents';
import type { Failure } from '../../transport/failure';
import { readList } from '../../transport/list';

/** The attempts of one webhook, and why they cannot be read, in words, where they cannot. */
export interface AttemptsRead {
	entries: IDataObject[];
	fault?: string | undefined;
}

/**
 * GET `webhooks/{id}/attempts` (§4.4), whatever the PBX makes of it: one odd webhook says nothing about the others. One that
 * was deleted meanwhile has no attempts, nor has one for which the PBX answers with nothing.
 *
 * @throws NodeOperationError when the user stops the execution
 */
export async function attemptsOf(work: Scope, id: string): Promise<AttemptsRead> {
	if (id === '') return { entries: [], fault: 'the PBX does not show the ID of this webhook' };
	let fault: string | undefined;
	const send: Scope['pbx']['send'] = async (request) => {
		const outcome = await work.pbx.trySend(request);
		if (outcome.ok) return outcome.body;
		const { failure, error } = outcome;
		if (failure.kind === 'cancelled') throw error;
		if (failure.status !== 404) fault = wordsOf(failure);
		return { data: [] };
	};
	const path = [WEBHOOK.path, id, 'attempts'];
	const request = { path, isList: 'orNothing' as const, ...scopeOf(work) };
	const listed = await readList({ ...work.pbx, send }, request);
	return { entries: listed.filter((entry) => Object.keys(entry).length > 0), fault };
}

function wordsOf({ message, says, status }: Failure): string {
	return says === undefined || status === undefined ? message : `${says} (status ${status})`;
}
