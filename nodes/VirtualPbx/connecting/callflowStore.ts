import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { CALLFLOW } from '../operations/callflow/callflows';
import { postChanges } from '../operations/changes';
import { documentOf } from '../operations/documents';
import type { Outcome, Pbx } from '../transport/pbx';
import { isKept } from './kept';

/** Which callflow, and in which account; the login's own where none is named. */
export interface CallflowPlace {
	callflowId: string;
	accountId?: string | undefined;
}

/** What reading a callflow gave. */
export type Reading = { ok: true; callflow: IDataObject } | Extract<Outcome, { ok: false }>;

/** GET `callflows/{id}` (§4.2) without throwing. */
export async function readCallflow(pbx: Pbx, place: CallflowPlace): Promise<Reading> {
	const path = [CALLFLOW.path, place.callflowId];
	const outcome = await pbx.attempt({ method: 'GET', path, accountId: place.accountId });
	return outcome.ok ? { ok: true, callflow: documentOf(outcome.body) ?? {} } : outcome;
}

/**
 * What writing a flow gave. `lost`: the PBX took it and yet did not keep it. `gone`: other fields of the callflow that it
 * has lost over it, with what they held; mostly empty.
 */
export type Writing =
	| { state: 'kept'; gone: IDataObject }
	| { state: 'lost'; found: unknown }
	| { state: 'failed'; error: Error };

/**
 * POST `callflows/{id}` with all fields of the callflow and another flow (§4.2), then reads it back: so an answer that got
 * lost on the way counts as what really happened.
 */
export async function writeFlow(
	pbx: Pbx,
	place: CallflowPlace,
	callflow: IDataObject,
	flow: IDataObject,
): Promise<Writing> {
	const work = { pbx, accountId: place.accountId, itemIndex: 0 };
	const { outcome, gone } = await postChanges(work, CALLFLOW, place.callflowId, {
		current: callflow,
		changes: { flow },
	});
	if (!outcome.ok && outcome.failure.kind === 'status' && (outcome.failure.status ?? 0) < 500) {
		return { state: 'failed', error: outcome.error };
	}
	const reading = await readCallflow(pbx, place);
	if (reading.ok && isKept(flow, reading.callflow.flow)) return { state: 'kept', gone };
	if (!outcome.ok) return { state: 'failed', error: outcome.error };
	if (!reading.ok) return { state: 'failed', error: reading.error };
	return { state: 'lost', found: reading.callflow.flow };
}

/** Makes the error for a callflow that did not become what it should. */
export function storeError(pbx: Pbx, message: string, description: string): NodeApiError {
	const error = new NodeApiError(pbx.node, { message }, { message, description });
	error.message = message;
	return error;
}
