import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { triggerScope } from '../../parameters/parameter';
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
import type { WholeCallflow } from '../../pbx/types';
import { asText, isObject } from '../../util/json';
import type { ManagedResource, OpenNode } from '../runtime/managed';
import { createWebhookMethods } from '../runtime/managed';
import type { Problem } from '../runtime/nodeRuntime';
import { logPrefix, runtimeOf } from '../runtime/nodeRuntime';
import type { CallflowSetup } from './parameters';
import { connectChoice, readSetup } from './parameters';
import { assertKazoo, assertKnownTargets } from './platformAnswer';
import { assertReady, missingResponder } from './readiness';

const TITLE = 'Virtual PBX Call Routing Trigger';
const AGAIN = 'To have it ask this node, publish the workflow again.';

/**
 * The routing trigger's resource: a pivot module in a callflow (§2.2). Only for the production address, since listening
 * for a test event takes no live call.
 */
export const connectionResource: ManagedResource<CallflowSetup> = {
	title: TITLE,
	leftovers:
		'the callflow might still ask this node. Publish and unpublish the workflow again to restore its old flow.',

	async readSetup(context, isTest) {
		if (connectChoice.read(triggerScope(context)) === 'manualKazoo') await assertKazoo(context);
		return isTest ? undefined : readSetup(context);
	},

	assertReady,

	async check(node, reporter) {
		const { pbx, setup } = node;
		if (!reporter) await assertKnownTargets(node);
		const callflow = await pbx.callflows.getWhole(setup.callflowId);
		const isRight = isConnected(callflow.flow, node);
		if (!isRight && reporter && !isUnfinished(node, callflow)) {
			reporter.report(problemOf(callflow.flow, node));
			return;
		}
		if (!isRight) await connect(node, callflow);
		if (!reporter) recordConnection(node.context, ownService(node));
		reporter?.resolve('callflow', 'the callflow asks this node again.');
	},

	async remove(node) {
		const { context, pbx, setup } = node;
		const callflow = await pbx.callflows.getWhole(setup.callflowId).catch(ignoreDeleted);
		if (callflow && callsNode(callflow.flow, node)) {
			const [reason] = await disconnect(node, callflow);
			if (reason !== undefined)
				context.logger.warn(
					`${logPrefix(context, TITLE)}: not every pivot module of callflow ${setup.callflowId} was removed: ${reason}`,
				);
		}
		// If n8n has moved, the next publication replaces the module with the former address.
		if (recordedWebserver(context) === ownService(node)) recordConnection(context);
	},

	workflowProblem: missingResponder,
};

export const { create, delete: remove } = createWebhookMethods(connectionResource);

/** Users' changes stay. A check connects only what a publication couldn't because n8n was killed during it. */
function isUnfinished(node: OpenNode<CallflowSetup>, { flow }: WholeCallflow): boolean {
	const isNew = recordedWebserver(node.context) === undefined;
	return node.isFirst && isNew && !callsNode(flow, node);
}

/** Returns what to report of a flow that doesn't call this node as it should. */
function problemOf(flow: IDataObject, node: OpenNode<CallflowSetup>): Problem {
	const { callflowId } = node.setup;
	const service = ownService(node);
	const about = { subject: 'callflow', remedy: AGAIN };
	if (callsNode(flow, node)) {
		const message = `someone has changed the pivot module of callflow ${callflowId}, so its settings no longer match this node.`;
		return { ...about, key: 'changed', message };
	}
	const recorded = recordedWebserver(node.context);
	if (recorded !== undefined && recorded !== service) {
		const message = `callflow ${callflowId} doesn't ask this node: it was published at ${recorded}, and n8n is now at ${service}.`;
		return { ...about, key: 'moved', message };
	}
	const message = `callflow ${callflowId} no longer asks this node: someone has changed its flow.`;
	const remedy = `${namedRivals(flow, node)}${AGAIN}`;
	return { ...about, key: 'taken out', message, remedy };
}

/** The client and the setup: what identifies this node in a flow depends on the platform. */
type Own = Pick<OpenNode<CallflowSetup>, 'pbx' | 'setup'>;

/** Returns what identifies this node in pivot modules: its address as far as the PBX keeps it. */
function ownService({ pbx, setup }: Own): string {
	return serviceOf(pbx.dialect, setup.pivot);
}

function callsNode(flow: IDataObject, node: Own): boolean {
	return ownPivotsIn(flow, ownService(node)).length > 0;
}

/** Returns whether a flow calls this node, with the right parameters everywhere. */
function isConnected(flow: IDataObject, node: Own): boolean {
	const { pivot, callflowId } = node.setup;
	return callsWith(flow, ownService(node), pivotData(node.pbx.dialect, pivot, callflowId));
}

/**
 * Inserts the pivot module before the flow, which becomes its child: so the PBX keeps the flow and continues with it if
 * the web service fails. If this node's module is already there, including at its former address, updates its
 * parameters. Throws PbxError.
 */
async function connect(node: OpenNode<CallflowSetup>, observed: WholeCallflow): Promise<void> {
	const { context, pbx, setup } = node;
	const { callflowId, pivot } = setup;
	const formerWebserver = recordedWebserver(context);
	const webservers = [ownService(node), formerWebserver].filter((one) => one !== undefined);
	node.beforeWriting();
	const apply = (data: IDataObject) => (flow: IDataObject) => {
		if (isConnected(flow, node)) return undefined;
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
			{ ...connecting(node), apply: apply(data) },
			reading,
		);
	});
}

const BY_HAND = "Set 'Connect' to 'Manually', and enter the address in the PBX.";

function connecting(node: Own): Omit<FlowChange, 'apply'> {
	const { callflowId } = node.setup;
	return {
		isRewritten: (found) => !callsNode(found, node) && mentions(found, ownService(node)),
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
				hint: `${namedRivals(found, node)}Someone else, such as another workflow, might be changing the callflow. Publish this workflow again later.`,
			}),
	};
}

/** Returns a sentence about what a flow calls instead of this node; empty if nothing. */
function namedRivals(flow: IDataObject, node: Own): string {
	const others = otherWebservers(flow, ownService(node));
	return others.length === 0 ? '' : `It now asks ${others.join(', ')}. `;
}

/**
 * Removes this node's pivot modules from the flow, wherever they are now, and moves what is behind them into their
 * place. Returns why any stay, in words. Throws PbxError, including if the PBX doesn't keep the old flow.
 */
async function disconnect(
	node: OpenNode<CallflowSetup>,
	observed: WholeCallflow,
): Promise<string[]> {
	const { pbx, setup } = node;
	const { callflowId } = setup;
	const service = ownService(node);
	let stays: string[] = [];
	const apply = (flow: IDataObject) => {
		if (!callsNode(flow, node)) return undefined;
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
function recordedWebserver(context: Context): string | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	if (!isObject(connection) || connection.owner !== runtimeOf(context).key) return undefined;
	return asText(connection.webserver);
}

/** Records where a callflow calls this node, or that none does. Saved with the publication. */
function recordConnection(context: Context, webserver?: string): void {
	const data = context.getWorkflowStaticData('node');
	if (webserver === undefined) delete data.connection;
	else data.connection = { owner: runtimeOf(context).key, webserver };
}
