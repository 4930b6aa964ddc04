import type { IDataObject } from 'n8n-workflow';

import { formatIn, inFormat } from '../../../pbx/callflows/format';
import type { Pivot } from '../../../pbx/callflows/pivotModule';
import type { Pbx } from '../../../pbx/client';
import { PbxError } from '../../../pbx/errors/pbxError';
import type { Desired, Work } from '../../runtime/managedResource';
import type { Callflow, FlowChange, FlowPlace } from './changeFlow';
import { changeFlow, isRestored, readCallflow } from './changeFlow';
import {
	isKept,
	otherWebservers,
	ownPivotsIn,
	mentions,
	withoutOwnPivots,
	withPivotData,
	withPivotInFront,
} from './pivot';
import { recordedWebserver } from './record';

/** The callflow that should call this node, and how. Without a format, any that the PBX accepted is fine. */
export interface DesiredConnection extends Desired {
	callflowId: string;
	pivot: Pivot;
}

function placeOf(pbx: Pbx, { callflowId, accountId }: DesiredConnection): FlowPlace {
	return { scope: { pbx, accountId }, callflowId };
}

/** Reads the callflow. For a removal, returns undefined if it was deleted. Throws if the PBX doesn't show its flow. */
export async function observe({
	pbx,
	desired,
	purpose,
}: Work<DesiredConnection>): Promise<Callflow | undefined> {
	const reading = readCallflow(placeOf(pbx, desired));
	return await (purpose === 'remove' ? reading.catch(whereDeleted) : reading);
}

/** The client and the desired state: what identifies this node in a flow depends on the platform. */
type Own = Pick<Work<DesiredConnection>, 'pbx' | 'desired'>;

/** Returns what identifies this node in pivot modules: its address as far as the PBX keeps it. */
export function ownService({ pbx, desired }: Own): string {
	return pbx.dialect.serviceOf(desired.pivot);
}

/** Returns whether a flow calls this node. */
export function asks(flow: IDataObject, work: Own): boolean {
	return ownPivotsIn(flow, ownService(work)).length > 0;
}

/** Returns whether a flow calls this node, with the right parameters (§2.2) everywhere. */
export function isConnected(flow: IDataObject, work: Own): boolean {
	const { pivot, callflowId } = work.desired;
	const own = ownPivotsIn(flow, ownService(work));
	const data = work.pbx.dialect.pivotData(pivot, callflowId);
	const isRight = ({ module, data: found }: IDataObject) =>
		isKept(data, found) &&
		(pivot.format !== undefined || formatIn({ module, data: found }) !== undefined);
	return own.length > 0 && own.every(isRight);
}

/**
 * Inserts the pivot module before the flow, which becomes its child: so the PBX keeps the flow and continues with it if
 * the web service fails. If this node's module is already there, including at its former address, updates its
 * parameters. Throws PbxError.
 */
export async function connect(work: Work<DesiredConnection>, observed: Callflow): Promise<void> {
	const { context, pbx, desired } = work;
	const { callflowId, pivot } = desired;
	const formerWebserver = recordedWebserver(context);
	const place = placeOf(pbx, desired);
	const webservers = [ownService(work), formerWebserver].filter((one) => one !== undefined);
	const apply = (data: IDataObject) => (flow: IDataObject) => {
		if (isConnected(flow, work)) return undefined;
		const isThere = webservers.some((webserver) => ownPivotsIn(flow, webserver).length > 0);
		return isThere ? withPivotData(flow, webservers, data) : withPivotInFront(flow, data);
	};
	await inFormat(
		place.scope,
		{ format: pivot.format, callflowId, flow: observed.flow },
		async (format) => {
			const data = pbx.dialect.pivotData({ ...pivot, format }, callflowId);
			const change = { ...connecting(place, work), apply: apply(data) };
			// Finding a format can take a while.
			return await changeFlow(place, change, pivot.format === undefined ? undefined : observed);
		},
	);
}

const BY_HAND = "Set 'Connect' to 'Manually', and enter the address in the PBX.";

function connecting(place: FlowPlace, work: Own): Omit<FlowChange, 'apply'> {
	const { callflowId } = work.desired;
	return {
		isRewritten: (found) => !asks(found, work) && mentions(found, ownService(work)),
		notKept: async ({ old, found }) => {
			const hint = (await isRestored(place, found, old))
				? `Nothing was changed. ${BY_HAND}`
				: `Restoring it also failed. Set this flow at the PBX: ${JSON.stringify(old)}`;
			const reason = "The PBX doesn't keep the old flow behind the pivot module";
			return new PbxError({ kind: 'unexpected', reason, hint });
		},
		contested: (found) =>
			new PbxError({
				kind: 'unexpected',
				reason: `Callflow ${callflowId} doesn't ask this node: each time it was connected, something changed its flow again`,
				hint: `${namedRivals(found, work)}Someone else, such as another workflow, might be changing the callflow. Publish this workflow again later.`,
			}),
	};
}

/** Returns a sentence about what a flow calls instead of this node; empty if nothing. */
export function namedRivals(flow: IDataObject, work: Own): string {
	const others = otherWebservers(flow, ownService(work));
	return others.length === 0 ? '' : `It now asks ${others.join(', ')}. `;
}

/**
 * Removes this node's pivot modules from the flow, wherever they are now, and moves what is behind them into their
 * place. Returns why any stay, in words. Throws PbxError, including if the PBX doesn't keep the old flow.
 */
export async function disconnect(
	work: Work<DesiredConnection>,
	observed: Callflow,
): Promise<string[]> {
	const { pbx, desired } = work;
	const { callflowId } = desired;
	const service = ownService(work);
	let stays: string[] = [];
	const apply = (flow: IDataObject) => {
		if (!asks(flow, work)) return undefined;
		const rest = withoutOwnPivots(flow, service);
		stays = rest.flow ? rest.stays : ['there is nothing behind the pivot module'];
		return rest.flow && isKept(flow, rest.flow) ? undefined : rest.flow;
	};
	const change: FlowChange = {
		apply,
		isRewritten: () => false,
		notKept: async ({ old }) => {
			const given = withoutOwnPivots(old, service).flow;
			return new PbxError({
				kind: 'unexpected',
				reason: "The PBX didn't accept the old flow",
				hint: `Set this flow at the PBX: ${JSON.stringify(given)}`,
			});
		},
		contested: () =>
			new PbxError({
				kind: 'unexpected',
				reason: `Callflow ${callflowId} still asks this node: the PBX shows the pivot module again after each removal`,
			}),
	};
	await changeFlow(placeOf(pbx, desired), change, observed).catch(whereDeleted);
	return stays;
}

/** A deleted callflow calls no web service. */
function whereDeleted(error: unknown): undefined {
	if (error instanceof PbxError && error.status === 404) return undefined;
	throw error;
}
