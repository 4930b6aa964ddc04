import type { IDataObject } from 'n8n-workflow';

import { pause } from '../../util/limits';
import { TIMEOUTS } from '../response';
import type { WholeCallflow } from '../types';
import { isCutShort, isKept, isWithin } from './flow';

export interface FlowChange {
	/** Returns the desired flow; undefined if nothing needs to be written. */
	apply(flow: IDataObject): IDataObject | undefined;
	/** Whether a flow contains what was written, in a form that the PBX changed it to. */
	isRewritten(found: IDataObject): boolean;
	/**
	 * Returns the error for a PBX that doesn't keep a flow as written. `restore` writes the old flow back, and returns
	 * whether the callflow then has it.
	 */
	notKept(old: IDataObject, restore: () => Promise<boolean>): Promise<Error>;
	/** Returns the error for a flow that was different after every write. */
	contested(found: IDataObject): Error;
}

interface FlowAccess {
	read(): Promise<WholeCallflow>;
	/** Writes a callflow with another flow, and reads it again. */
	write(callflow: WholeCallflow, flow: IDataObject): Promise<WholeCallflow>;
	signal: AbortSignal;
}

/** A concurrent writer can overwrite a write, but is then done. More than this many at once are unlikely. */
const MAX_WRITES = 5;

/**
 * Changes a flow (§4.2) that others might change at the same time, since the PBX has no locks. Computes each write from
 * the reading right before it. Reads the flow again at once, and once more later, when a concurrent writer who read it
 * earlier has written, too. The next write starts from that reading, so no one's change is reverted. Throws PbxError if
 * the PBX refuses or doesn't keep the change.
 */
export async function changeFlow(
	fresh: WholeCallflow,
	change: FlowChange,
	{ read, write, signal }: FlowAccess,
): Promise<void> {
	let isSettled = true;
	let callflow = fresh;
	for (let writes = 0; ; ) {
		const { flow } = callflow;
		const next = change.apply(flow);
		if (next === undefined) {
			if (isSettled) return;
			await pause(TIMEOUTS.settling, signal);
			isSettled = true;
			callflow = await read();
			continue;
		}
		if (writes++ === MAX_WRITES) throw change.contested(flow);
		const found = await write(callflow, next);
		const restore = async () => isKept(flow, (await write(found, flow)).flow);
		if (isLost(next, found.flow, change)) throw await change.notKept(flow, restore);
		isSettled = false;
		callflow = found;
	}
}

/** Returns whether the PBX, rather than another writer, changed the flow that was written. */
function isLost(sent: IDataObject, found: IDataObject, change: FlowChange): boolean {
	return !isWithin(found, sent) && (isCutShort(sent, found) || change.isRewritten(found));
}
