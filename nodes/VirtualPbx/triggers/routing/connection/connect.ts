import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Pivot } from '../../../pivot/module';
import { pivotData } from '../../../pivot/module';
import { CALLFLOW, readDocument, updateDocument } from '../../../transport/documents';
import type { Pbx } from '../../../transport/pbx';
import { asText, isObject } from '../../../values/json';
import type { Problem } from '../../healthReporter';
import type { Desired, CheckContext } from '../../lifecycle';
import { isKept, ownPivotsIn, withoutOwnPivots, withPivotData, withPivotInFront } from './pivot';

/** The callflow that is to ask this node, and how. */
export interface DesiredConnection extends Desired {
	callflowId: string;
	/** Without a format it is that of the platform. */
	pivot: Omit<Pivot, 'format'> & { format: string | undefined };
}

/** The parameters of the pivot module (§2.2). */
function parameters(pbx: Pbx, { callflowId, pivot }: DesiredConnection): IDataObject {
	return pivotData({ ...pivot, format: pivot.format ?? pbx.platform }, callflowId);
}

/** Reads the flow (GET `callflows/{id}`, §4.2). Throws also where the PBX does not show it, since it could not be restored. */
export async function readFlow(
	pbx: Pbx,
	{ callflowId, accountId }: DesiredConnection,
): Promise<IDataObject> {
	const { flow } = await readDocument({ pbx, accountId, itemIndex: 0 }, CALLFLOW, callflowId);
	if (isObject(flow)) return flow;
	throw new NodeOperationError(
		pbx.node,
		`The PBX does not show the flow of callflow ${callflowId}`,
		{
			description:
				'Nothing was changed. Set Connect to "Manually" and enter the address at the PBX.',
		},
	);
}

/** Tells whether a flow asks this node, with these very parameters (§2.2), wherever it does. */
export function isConnected(pbx: Pbx, flow: IDataObject, desired: DesiredConnection): boolean {
	const own = ownPivotsIn(flow, desired.pivot.webserver);
	const data = parameters(pbx, desired);
	return own.length > 0 && own.every((node) => isKept(data, node.data));
}

/**
 * Puts the pivot module in front of the flow, which becomes its child: so the PBX itself keeps it, and goes on with it where the
 * web service fails. One of this node that is there, also at its former address, gets the right parameters. Throws a NodeApiError
 * or NodeOperationError; the callflow is as it was then, as far as the PBX lets it.
 */
export async function connect(
	pbx: Pbx,
	desired: DesiredConnection,
	formerWebserver: string | undefined,
): Promise<IDataObject> {
	const flow = await readFlow(pbx, desired);
	const webservers = [desired.pivot.webserver, formerWebserver].filter((one) => one !== undefined);
	const isThere = webservers.some((webserver) => ownPivotsIn(flow, webserver).length > 0);
	const data = parameters(pbx, desired);
	const next = isThere ? withPivotData(flow, webservers, data) : withPivotInFront(flow, data);
	if (await isWritten(pbx, desired, next)) return next;

	const isBack = await isWritten(pbx, desired, flow);
	throw new NodeOperationError(
		pbx.node,
		'The PBX does not keep the old flow behind the pivot module',
		{
			description: isBack
				? 'Nothing was changed. Set Connect to "Manually" and enter the address at the PBX.'
				: `Restoring it also failed. Set this flow at the PBX: ${JSON.stringify(flow)}`,
		},
	);
}

/**
 * Takes the pivot modules of this node out of the flow, wherever they stand by now, and puts what is behind them in their place.
 * Gives why some stay, in words. Throws a NodeApiError, and a NodeOperationError when the PBX does not keep the old flow.
 */
export async function disconnect(pbx: Pbx, desired: DesiredConnection): Promise<string[]> {
	const flow = await readFlow(pbx, desired).catch(whereDeleted);
	const { webserver } = desired.pivot;
	if (ownPivotsIn(flow, webserver).length === 0) return [];
	const { flow: old, stays } = withoutOwnPivots(flow, webserver);
	if (old === undefined) return ['there is nothing behind the pivot module'];
	if (isKept(flow, old)) return stays;
	if (await isWritten(pbx, desired, old)) return stays;
	throw new NodeOperationError(pbx.node, 'The PBX did not accept the old flow', {
		description: `Set this flow at the PBX: ${JSON.stringify(old)}`,
	});
}

/** A callflow that was deleted asks nobody. */
function whereDeleted(error: unknown): IDataObject {
	if (error instanceof NodeApiError && error.httpCode === '404') return {};
	throw error;
}

/** POST `callflows/{id}` with all fields of the callflow and another flow (§4.2); tells whether the PBX has kept it. */
async function isWritten(
	pbx: Pbx,
	desired: DesiredConnection,
	flow: IDataObject,
): Promise<boolean> {
	const scope = { pbx, accountId: desired.accountId, itemIndex: 0 };
	await updateDocument(scope, CALLFLOW, desired.callflowId, () => ({ flow }));
	return isKept(flow, await readFlow(pbx, desired));
}

const AGAIN = 'To have it ask this node, publish the workflow again.';

/**
 * Compares the callflow with what is desired, and reports what differs; what a person has changed stays. Only what no
 * publication could connect, since n8n was killed in it, is connected now. Throws when the PBX cannot be asked.
 */
export async function checkConnection(
	pbx: Pbx,
	desired: DesiredConnection,
	{ context, reporter, isFirst }: CheckContext,
): Promise<void> {
	let flow = await readFlow(pbx, desired);
	const recorded = recordedWebserver(context);
	const isAsked = ownPivotsIn(flow, desired.pivot.webserver).length > 0;
	if (isFirst && recorded === undefined && !isAsked) flow = await connect(pbx, desired, undefined);
	if (!isConnected(pbx, flow, desired)) reporter.report(problemOf(flow, desired, recorded));
	else reporter.resolve('callflow', 'the callflow asks this node again.');
}

function problemOf(
	flow: IDataObject,
	desired: DesiredConnection,
	recorded: string | undefined,
): Problem {
	const { callflowId, pivot } = desired;
	const about = { subject: 'callflow', remedy: AGAIN };
	if (ownPivotsIn(flow, pivot.webserver).length > 0) {
		const message = `someone has changed the pivot module of callflow ${callflowId}, which asks this node otherwise than it is set up.`;
		return { ...about, key: 'changed', message };
	}
	if (recorded !== undefined && recorded !== pivot.webserver) {
		const message = `callflow ${callflowId} does not ask this node: it was published at ${recorded}, and n8n is now at ${pivot.webserver}.`;
		return { ...about, key: 'moved', message };
	}
	const message = `callflow ${callflowId} no longer asks this node: someone has changed its flow.`;
	return { ...about, key: 'taken out', message };
}

type Context = IHookFunctions | ITriggerFunctions;

/** n8n keys static data by the node's name and copies it with workflows and databases. */
function ownerOf(context: Context): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

/** The address at which a publication of this very node has connected it; n8n may lose it or set it back. */
export function recordedWebserver(context: Context): string | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	if (!isObject(connection) || connection.owner !== ownerOf(context)) return undefined;
	return asText(connection.webserver);
}

/** Records where a callflow asks this node, to be saved with the publication; or that none does. */
export function recordConnection(context: Context, webserver?: string): void {
	const data = context.getWorkflowStaticData('node');
	if (webserver === undefined) delete data.connection;
	else data.connection = { owner: ownerOf(context), webserver };
}
