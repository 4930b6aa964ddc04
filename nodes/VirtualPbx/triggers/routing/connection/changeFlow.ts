import type { IDataObject } from 'n8n-workflow';

import { CALLFLOW, readDocument, writeDocument } from '../../../pbx/documents';
import type { Scope } from '../../../pbx/documents';
import { PbxError } from '../../../pbx/errors/pbxError';
import { pause, TIMEOUTS } from '../../../pbx/http/timeouts';
import { isObject } from '../../../util/json';
import { holds, isCutShort, isKept } from './pivot';

/** The location of a flow. */
export interface FlowPlace {
	scope: Scope;
	callflowId: string;
}

/** A change to a flow. */
export interface FlowChange {
	/** Returns the desired flow; undefined if nothing needs to be written. */
	apply(flow: IDataObject): IDataObject | undefined;
	/** Whether a flow contains what was written, in a form that the PBX changed it to. */
	isRewritten(found: IDataObject): boolean;
	/** Returns the error for a PBX that doesn't keep a flow as written. Can restore the old one. */
	notKept(versions: { old: IDataObject; found: Callflow }): Promise<Error>;
	/** Returns the error for a flow that was different after every write. */
	contested(found: IDataObject): Error;
}

/** A callflow as read, and its flow. */
export interface Callflow {
	document: IDataObject;
	flow: IDataObject;
}

/** A concurrent writer can overwrite a write, but is then done. More than this many at once are unlikely. */
const MOST_WRITES = 5;

/**
 * Changes a flow (§4.2) that others might change at the same time, since the PBX has no locks. Computes each write from
 * the reading right before it, the first from `fresh` if it was just read. Reads the flow again at once, and once more
 * later, when a concurrent writer who read it earlier has written, too. The next write starts from that reading, so no
 * one's change is reverted. Throws PbxError if the PBX refuses or doesn't keep the change.
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

/** Returns whether the PBX, rather than another writer, changed the flow that was written. */
function isLost(sent: IDataObject, found: IDataObject, change: FlowChange): boolean {
	return !holds(found, sent) && (isCutShort(sent, found) || change.isRewritten(found));
}

/** Writes a just-read callflow with a different flow. */
async function writeFlow(
	{ scope, callflowId: id }: FlowPlace,
	{ document }: Callflow,
	flow: IDataObject,
): Promise<void> {
	await writeDocument(scope, CALLFLOW, { id, current: document, changes: { flow } });
}

/** Restores a flow, and returns whether the callflow then has it. */
export async function isRestored(
	place: FlowPlace,
	found: Callflow,
	old: IDataObject,
): Promise<boolean> {
	await writeFlow(place, found, old);
	return isKept(old, (await readCallflow(place, true)).flow);
}

/**
 * Reads a callflow (GET `callflows/{id}`, §4.2). Throws even if only its flow is hidden, since it couldn't be
 * preserved.
 */
export async function readCallflow(
	{ scope, callflowId }: FlowPlace,
	isChanged = false,
): Promise<Callflow> {
	const document = await readDocument(scope, CALLFLOW, callflowId);
	if (isObject(document.flow)) return { document, flow: document.flow };
	throw new PbxError({
		kind: 'unexpected',
		reason: `The PBX doesn't show the flow of callflow ${callflowId}`,
		hint: isChanged
			? 'Check the flow at the PBX: this node had changed it before.'
			: "Nothing was changed. Set 'Connect' to 'Manually', and enter the address in the PBX.",
	});
}
