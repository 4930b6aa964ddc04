import type { IDataObject } from 'n8n-workflow';

import type { Pbx } from '../transport/pbx';
import { isObject } from '../values/json';
import { pivotData } from '../values/pivot';
import type { Pivot } from '../values/pivot';
import type { CallflowPlace } from './callflowStore';
import { readCallflow, storeError, writeFlow } from './callflowStore';
import {
	findOwnPivot,
	flowBehind,
	isKept,
	withoutOwnPivot,
	withPivotData,
	withPivotInFront,
} from './ownPivot';

/** A callflow whose calls come to this node. */
export interface Connection extends CallflowPlace {
	/** The address that was written, to be recognised after n8n's own address has changed. */
	webserver: string;
	/** A copy of the flow as it was; the first place that keeps it is the callflow itself, behind the pivot node. */
	oldFlow: IDataObject;
}

/** What came of undoing a connection. */
export type Undoing =
	| { state: 'restored'; isChanged: boolean }
	| { state: 'changed'; words: string }
	| { state: 'gone' }
	| { state: 'none' };

/**
 * Tells whether a callflow already asks this node, with these very parameters (§2.2).
 *
 * @returns the connection as it stands; undefined when there is something to do
 */
export function existingConnection(
	callflow: IDataObject,
	place: CallflowPlace,
	pivot: Pivot,
): Connection | undefined {
	const own = findOwnPivot(callflow.flow, [pivot.webserver]);
	if (!own || !isKept(pivotData(pivot, place.callflowId), own.node.data)) return undefined;
	return { ...place, webserver: pivot.webserver, oldFlow: flowBehind(own) ?? {} };
}

/**
 * Writes the pivot node into a callflow, in front of its flow; one that is there already gets the right parameters.
 * When the PBX does not keep the old flow behind it, everything is put back as it was.
 *
 * @param known addresses under which this node was connected before
 * @returns the connection, to be remembered, and whether the flow did not ask this node before
 * @throws NodeApiError in the user's words; the callflow is as it was then, as far as the PBX can be reached
 */
export async function connect(
	pbx: Pbx,
	place: CallflowPlace,
	pivot: Pivot,
	known: readonly string[],
): Promise<Connection & { isNew: boolean }> {
	const reading = await readCallflow(pbx, place);
	if (!reading.ok) throw reading.error;
	const { callflow } = reading;
	const { flow } = callflow;
	if (!isObject(flow)) {
		throw storeError(
			pbx,
			`The PBX does not show the flow of callflow ${place.callflowId}, so it could not be put back`,
			'Nothing was changed. Set Connect to "By Hand" and enter the address at the PBX.',
		);
	}
	const data = pivotData(pivot, place.callflowId);
	const own = findOwnPivot(flow, [pivot.webserver, ...known]);
	const next = own ? withPivotData(flow, own, data) : withPivotInFront(flow, data);

	const writing = await writeFlow(pbx, place, callflow, next);
	if (writing.state === 'failed') throw writing.error;
	if (writing.state === 'lost') throw await putBack(pbx, place, callflow, flow);
	const oldFlow = own ? (flowBehind(own) ?? {}) : flow;
	return { ...place, webserver: pivot.webserver, oldFlow, isNew: !own };
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
			? 'Nothing was changed. Connect by hand: set Connect to "By Hand" and enter the address at the PBX.'
			: `Putting it back failed, too. Set this flow at the PBX: ${JSON.stringify(flow)}`,
	);
}

/**
 * Takes the pivot node out of a callflow again, wherever in the flow it stands by now, and puts back what is behind it.
 * A callflow in which it is not found, or of which it cannot be told what belongs there, stays as it is.
 *
 * @param webservers addresses under which this node is connected
 * @param copy of the old flow, for a PBX that lost it
 * @throws NodeApiError when the PBX cannot be reached or does not keep the old flow
 */
export async function disconnect(
	pbx: Pbx,
	place: CallflowPlace,
	webservers: readonly string[],
	copy?: IDataObject,
): Promise<Undoing> {
	const reading = await readCallflow(pbx, place);
	if (!reading.ok) {
		if (reading.failure.status === 404) return { state: 'gone' };
		throw reading.error;
	}
	const flow = isObject(reading.callflow.flow) ? reading.callflow.flow : {};
	const own = findOwnPivot(flow, webservers);
	if (!own) return { state: 'none' };

	const old = withoutOwnPivot(flow, own, copy);
	if ('fault' in old) return { state: 'changed', words: old.fault };
	const writing = await writeFlow(pbx, place, reading.callflow, old.flow);
	if (writing.state === 'kept') {
		const isChanged = copy !== undefined && !(isKept(copy, old.flow) && isKept(old.flow, copy));
		return { state: 'restored', isChanged };
	}
	if (writing.state === 'failed') throw writing.error;
	throw storeError(
		pbx,
		'The PBX did not take the old flow back',
		`Set this flow at the PBX: ${JSON.stringify(old.flow)}`,
	);
}
