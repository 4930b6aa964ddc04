import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { FlowChange } from '../../pbx/callflows/changeFlow';
import {
	callsWith,
	isKept,
	mentions,
	otherWebservers,
	ownPivotsIn,
	pivotData,
	serviceOf,
	withoutOwnPivots,
	withPivotData,
	withPivotInFront,
} from '../../pbx/callflows/flow';
import { PbxError } from '../../pbx/errors/pbxError';
import type { WholeCallflow, Pivot } from '../../pbx/types';
import { asText, isObject } from '../../util/json';
import type { Desired, Work } from '../runtime/managed';
import { runtimeOf } from '../runtime/nodeRuntime';

/** The callflow that should call this node, and how. Without a format, any that the PBX accepted is fine. */
export interface DesiredConnection extends Desired {
	callflowId: string;
	pivot: Pivot;
}

/** Reads the callflow. For a removal, returns undefined if it was deleted. Throws if the PBX doesn't show its flow. */
export async function observe({
	pbx,
	desired,
	purpose,
}: Work<DesiredConnection>): Promise<WholeCallflow | undefined> {
	const reading = pbx.callflows.getWhole(desired.callflowId);
	return await (purpose === 'remove' ? reading.catch(ignoreDeleted) : reading);
}

/** The client and the desired state: what identifies this node in a flow depends on the platform. */
type Own = Pick<Work<DesiredConnection>, 'pbx' | 'desired'>;

/** Returns what identifies this node in pivot modules: its address as far as the PBX keeps it. */
export function ownService({ pbx, desired }: Own): string {
	return serviceOf(pbx.dialect, desired.pivot);
}

/** Returns whether a flow calls this node. */
export function callsNode(flow: IDataObject, work: Own): boolean {
	return ownPivotsIn(flow, ownService(work)).length > 0;
}

/** Returns whether a flow calls this node, with the right parameters everywhere. */
export function isConnected(flow: IDataObject, work: Own): boolean {
	const { pivot, callflowId } = work.desired;
	return callsWith(flow, ownService(work), pivotData(work.pbx.dialect, pivot, callflowId));
}

/**
 * Inserts the pivot module before the flow, which becomes its child: so the PBX keeps the flow and continues with it if
 * the web service fails. If this node's module is already there, including at its former address, updates its
 * parameters. Throws PbxError.
 */
export async function connect(
	work: Work<DesiredConnection>,
	observed: WholeCallflow,
): Promise<void> {
	const { context, pbx, desired } = work;
	const { callflowId, pivot } = desired;
	const formerWebserver = recordedWebserver(context);
	const webservers = [ownService(work), formerWebserver].filter((one) => one !== undefined);
	const apply = (data: IDataObject) => (flow: IDataObject) => {
		if (isConnected(flow, work)) return undefined;
		const isThere = webservers.some((webserver) => ownPivotsIn(flow, webserver).length > 0);
		return isThere ? withPivotData(flow, webservers, data) : withPivotInFront(flow, data);
	};
	let fresh: WholeCallflow | undefined = observed;
	await pbx.callflows.inFormat(pivot.format, async (format) => {
		const data = pivotData(pbx.dialect, { ...pivot, format }, callflowId);
		const reading = fresh;
		fresh = undefined;
		await pbx.callflows.changeFlow(
			callflowId,
			{ ...connecting(work), apply: apply(data) },
			reading,
		);
	});
}

const BY_HAND = "Set 'Connect' to 'Manually', and enter the address in the PBX.";

function connecting(work: Own): Omit<FlowChange, 'apply'> {
	const { callflowId } = work.desired;
	return {
		isRewritten: (found) => !callsNode(found, work) && mentions(found, ownService(work)),
		notKept: async (old, restore) => {
			const hint = (await restore())
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
	observed: WholeCallflow,
): Promise<string[]> {
	const { pbx, desired } = work;
	const { callflowId } = desired;
	const service = ownService(work);
	let stays: string[] = [];
	const apply = (flow: IDataObject) => {
		if (!callsNode(flow, work)) return undefined;
		const rest = withoutOwnPivots(flow, service);
		stays = rest.flow ? rest.stays : ['there is nothing behind the pivot module'];
		return rest.flow && isKept(flow, rest.flow) ? undefined : rest.flow;
	};
	const change: FlowChange = {
		apply,
		isRewritten: () => false,
		notKept: async (old) => {
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
	await pbx.callflows.changeFlow(callflowId, change, observed).catch(ignoreDeleted);
	return stays;
}

/** Returns undefined if the callflow was deleted, since it then calls no web service. Rethrows any other error. */
function ignoreDeleted(error: unknown): undefined {
	if (error instanceof PbxError && error.status === 404) return undefined;
	throw error;
}

type Context = IHookFunctions | ITriggerFunctions;

/**
 * Returns the address at which a publication of this node connected it. Checks the node, since n8n keys static data by
 * node name and can copy, lose, or reset it.
 */
export function recordedWebserver(context: Context): string | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	if (!isObject(connection) || connection.owner !== runtimeOf(context).key) return undefined;
	return asText(connection.webserver);
}

/** Records where a callflow calls this node, or that none does. Saved with the publication. */
export function recordConnection(context: Context, webserver?: string): void {
	const data = context.getWorkflowStaticData('node');
	if (webserver === undefined) delete data.connection;
	else data.connection = { owner: runtimeOf(context).key, webserver };
}
