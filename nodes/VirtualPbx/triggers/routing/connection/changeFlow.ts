import type { IDataObject } from 'n8n-workflow';

import { CALLFLOW, readDocument, writeDocument } from '../../../pbx/documents';
import type { Scope } from '../../../pbx/documents';
import { PbxError } from '../../../pbx/errors/pbxError';
import { pause, TIMEOUTS } from '../../../pbx/http/timeouts';
import { isObject } from '../../../util/json';
import { holds, isCutShort, isKept } from './pivot';

/** Where a flow is. */
export interface FlowPlace {
	scope: Scope;
	callflowId: string;
}

/** What a flow should become. */
export interface FlowChange {
	/** Returns the flow as it should be; undefined where nothing has to be written. */
	apply(flow: IDataObject): IDataObject | undefined;
	/** Whether a flow holds what was written, in a form that the PBX has made of it. */
	isRewritten(found: IDataObject): boolean;
	/** Returns the error for a PBX that doesn't keep a flow as it is written; may restore the one before. */
	notKept(versions: { old: IDataObject; found: Callflow }): Promise<Error>;
	/** Returns the error for a flow that was another one after each write. */
	contested(found: IDataObject): Error;
}

/** A callflow as it was read, and its flow. */
export interface Callflow {
	document: IDataObject;
	flow: IDataObject;
}

/** A write gets lost where a rival overwrites it, who is done then: so many rivals at once are unlikely. */
const MOST_WRITES = 5;

/**
 * Changes a flow (§4.2) that others may change at the same moment, since the PBX offers no lock. Each write is computed
 * from the reading right before it, the first one from `fresh` where it was read just now. The flow is read again at once, and some time later, when a rival who had read it
 * earlier has written, too; the next write starts from what is found then, so nothing of anyone is reverted. Throws
 * PbxError where the PBX refuses or doesn't keep the change.
 */
export async function changeFlow(
	place: FlowPlace,
	change: FlowChange,
	fresh?: Callflow,
): Promise<void> {
	let isSettled = true;
	let callflow = fresh ?? (await readCallflow(place));
	for (let writes = 0; ; ) {
		const { flow } = callflow;
		const next = change.apply(flow);
		if (next === undefined) {
			if (isSettled) return;
			await pause(TIMEOUTS.settling, place.scope.pbx.signal);
			isSettled = true;
			callflow = await readCallflow(place, true);
			continue;
		}
		if (writes++ === MOST_WRITES) throw change.contested(flow);
		await writeFlow(place, callflow, next);
		isSettled = false;
		callflow = await readCallflow(place, true);
		if (isLost(next, callflow.flow, change))
			throw await change.notKept({ old: flow, found: callflow });
	}
}

/** Whether it's the PBX that has made another flow of the one that was written, rather than someone else. */
function isLost(sent: IDataObject, found: IDataObject, change: FlowChange): boolean {
	return !holds(found, sent) && (isCutShort(sent, found) || change.isRewritten(found));
}

/** Writes a callflow that has just been read, with another flow. */
export async function writeFlow(
	{ scope, callflowId: id }: FlowPlace,
	{ document }: Callflow,
	flow: IDataObject,
): Promise<void> {
	await writeDocument(scope, CALLFLOW, { id, current: document, changes: { flow } });
}

/** Puts a flow back and returns whether the callflow has it then. */
export async function isRestored(
	place: FlowPlace,
	found: Callflow,
	old: IDataObject,
): Promise<boolean> {
	await writeFlow(place, found, old);
	return isKept(old, (await readCallflow(place, true)).flow);
}

/**
 * Reads a callflow (GET `callflows/{id}`, §4.2). Throws also where the PBX doesn't show its flow, which couldn't be
 * kept then.
 */
export async function readCallflow(
	{ scope, callflowId }: FlowPlace,
	isChanged = false,
): Promise<Callflow> {
	const document = await readDocument(scope, CALLFLOW, callflowId);
	if (isObject(document.flow)) return { document, flow: document.flow };
	throw new PbxError({
		kind: 'unexpected',
		reason: `The PBX does not show the flow of callflow ${callflowId}`,
		hint: isChanged
			? 'Check the flow at the PBX: this node had changed it before.'
			: 'Nothing was changed. Set Connect to "Manually" and enter the address at the PBX.',
	});
}
