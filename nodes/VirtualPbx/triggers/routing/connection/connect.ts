import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Pivot } from '../../../pivot/module';
import { pivotData } from '../../../pivot/module';
import { postChanges } from '../../../transport/changes';
import { CALLFLOW, documentOf } from '../../../transport/documents';
import type { Attempt, Pbx } from '../../../transport/pbx';
import { isObject } from '../../../values/json';
import {
	isKept,
	ownPivotsIn,
	pivotsIn,
	withoutOwnPivots,
	withPivotData,
	withPivotInFront,
} from './pivotNodes';

/** Which callflow, and in which account; the login's own where none is named. */
export interface CallflowPlace {
	callflowId: string;
	accountId?: string | undefined;
}

/** What reading a callflow gave. */
export type CallflowRead = { ok: true; callflow: IDataObject } | Extract<Attempt, { ok: false }>;

/** GET `callflows/{id}` (§4.2) without throwing. */
export async function readCallflow(pbx: Pbx, place: CallflowPlace): Promise<CallflowRead> {
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
async function writeFlow(
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
function storeError(pbx: Pbx, message: string, description: string): NodeApiError {
	const error = new NodeApiError(pbx.node, { message }, { message, description });
	error.message = message;
	return error;
}

/** A callflow whose calls come to this node. */
export interface Connection extends CallflowPlace {
	/** The address that was written, to be recognised after n8n's own address has changed. */
	webserver: string;
	/**
	 * A copy of the flow as it was; the first place that keeps it is the callflow itself, behind the pivot node. It
	 * holds our pivot node where that had been in it before, with nothing behind it. Undefined where nothing is known.
	 */
	oldFlow?: IDataObject | undefined;
}

/** What came of undoing a connection. `none` names the web services that the callflow asks. */
export type Undoing =
	| { state: 'restored'; isChanged: boolean; stays: string[]; gone: IDataObject }
	| { state: 'left'; words: string }
	| { state: 'gone' }
	| { state: 'none'; asked: string[] };

/**
 * Tells whether a callflow already asks this node, with these very parameters (§2.2), wherever it does.
 *
 * @returns the connection as it stands; undefined when there is something to do
 */
export function existingConnection(
	callflow: IDataObject,
	place: CallflowPlace,
	pivot: Pivot,
): Connection | undefined {
	const { flow } = callflow;
	const owns = ownPivotsIn(flow, pivot.webserver);
	const data = pivotData(pivot, place.callflowId);
	if (!isObject(flow) || owns.length === 0 || !owns.every((own) => isKept(data, own.data)))
		return undefined;
	return { ...place, webserver: pivot.webserver, oldFlow: flowBefore(flow, pivot.webserver) };
}

/** The flow without our pivot nodes; the flow itself where nothing else is in it. */
function flowBefore(flow: IDataObject, webserver: string): IDataObject {
	return withoutOwnPivots(flow, webserver, false).flow ?? flow;
}

/**
 * Writes the pivot node into a callflow, in front of its flow; those that are there already get the right parameters.
 * When the PBX does not keep the old flow behind it, everything is put back as it was.
 *
 * @param known addresses under which this node was connected before
 * @returns the connection, to be remembered, the web services that the callflow asks now, and its fields that the PBX lost
 * @throws NodeApiError in the user's words; the callflow is as it was then, as far as the PBX can be reached
 */
export async function connect(
	pbx: Pbx,
	place: CallflowPlace,
	pivot: Pivot,
	known: readonly string[],
): Promise<{ connection: Connection; isNew: boolean; asked: string[]; gone: IDataObject }> {
	const reading = await readCallflow(pbx, place);
	if (!reading.ok) throw reading.error;
	const { callflow } = reading;
	const { flow } = callflow;
	if (!isObject(flow)) {
		throw storeError(
			pbx,
			`The PBX does not show the flow of callflow ${place.callflowId}, so it could not be restored`,
			'Nothing was changed. Set Connect to "Manually" and enter the address at the PBX.',
		);
	}
	const data = pivotData(pivot, place.callflowId);
	const { webserver } = pivot;
	const webservers = [webserver, ...known];
	const isNew = !webservers.some((address) => holds(flow, address));
	const next = isNew ? withPivotInFront(flow, data) : withPivotData(flow, webservers, data);

	const writing = await writeFlow(pbx, place, callflow, next);
	if (writing.state === 'failed') throw writing.error;
	if (writing.state === 'lost') throw await putBack(pbx, place, callflow, flow);
	const oldFlow = isNew ? flow : flowBefore(flow, webserver);
	const connection = { ...place, webserver, oldFlow };
	return { connection, isNew, asked: askedBy(next), gone: writing.gone };
}

/** The web services that a flow asks, from its root on. */
export function askedBy(flow: unknown): string[] {
	return pivotsIn(flow).map(({ webserver }) => webserver);
}

async function putBack(
	pbx: Pbx,
	place: CallflowPlace,
	callflow: IDataObject,
	flow: IDataObject,
): Promise<Error> {
	const writing = await writeFlow(pbx, place, callflow, flow);
	const isBack = writing.state === 'kept';
	return storeError(
		pbx,
		'The PBX does not keep the old flow behind the pivot module',
		isBack
			? 'Nothing was changed. Set Connect to "Manually" and enter the address at the PBX.'
			: `Restoring it also failed. Set this flow at the PBX: ${JSON.stringify(flow)}`,
	);
}

/**
 * Takes our pivot nodes out of a callflow again, wherever in the flow they stand by now, and puts back what is behind
 * them. Where it cannot be told what belongs there, they stay.
 *
 * @param webserver the address under which this node is connected
 * @param copy of the old flow, for a PBX that lost it
 * @throws NodeApiError when the PBX cannot be reached or does not keep the old flow
 */
export async function disconnect(
	pbx: Pbx,
	place: CallflowPlace,
	webserver: string,
	copy?: IDataObject,
): Promise<Undoing> {
	const reading = await readCallflow(pbx, place);
	if (!reading.ok) {
		if (reading.failure.status === 404) return { state: 'gone' };
		throw reading.error;
	}
	const flow = reading.callflow.flow as IDataObject;
	if (!holds(flow, webserver)) return { state: 'none', asked: askedBy(flow) };

	// Where the pivot node was there before us, a branch that holds nothing else was so, too.
	const isOurs = copy !== undefined && !holds(copy, webserver);
	const { flow: rest, stays } = withoutOwnPivots(flow, webserver, isOurs);
	const old = rest ?? copy;
	if (!old) return { state: 'left', words: 'there is nothing behind the pivot node' };
	if (isSame(old, flow))
		return { state: 'left', words: stays[0] ?? 'the pivot node was there before' };

	const writing = await writeFlow(pbx, place, reading.callflow, old);
	if (writing.state === 'kept') {
		const isChanged = copy !== undefined && !isSame(copy, old);
		return { state: 'restored', isChanged, stays, gone: writing.gone };
	}
	if (writing.state === 'failed') throw writing.error;
	throw storeError(
		pbx,
		'The PBX did not accept the old flow',
		`Set this flow at the PBX: ${JSON.stringify(old)}`,
	);
}

const holds = (flow: unknown, webserver: string) => ownPivotsIn(flow, webserver).length > 0;

const isSame = (one: unknown, other: unknown) => isKept(one, other) && isKept(other, one);
