import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readDeadline, requireDeadline } from '../answering/deadline';
import { requireFallback, requireFixedMode } from '../answering/fallback';
import { isTest, noteTest } from '../subscription/testing';
import { openPbx } from '../transport/pbx';
import { isObject } from '../values/json';
import { readCallflow } from './callflowStore';
import type { CallflowPlace } from './callflowStore';
import { connect, disconnect, existingConnection } from './connect';
import type { Connection, Undoing } from './connect';
import { chosenPlace, connectsItself, ownWebserver, readSettings } from './settings';

/** Activations that nobody looks at: n8n's start, and another process taking over. */
const STARTS: readonly string[] = ['init', 'leadershipChange'];

/**
 * Activation, first part: does the PBX already ask this node? Only the production address is ever connected, so that
 * listening for a test event takes no live call away. At n8n's start a PBX that is down does not take the route away.
 *
 * @returns true when there is nothing to write
 * @throws NodeApiError or NodeOperationError in the user's words
 */
export async function checkConnection(this: IHookFunctions): Promise<boolean> {
	noteTest(this);
	if (STARTS.includes(this.getActivationMode())) return await checkAtStart(this);
	requireFixedMode(this);
	requireFallback(this);
	requireDeadline(this);
	if (this.getActivationMode() === 'manual') return true;
	if (connectsItself(this)) return await isConnected(this);
	refuseForgotten(this);
	return true;
}

/**
 * Keeps a callflow from being forgotten whose old flow could not be put back when the workflow was last deactivated.
 *
 * @throws NodeOperationError that says what to do
 */
function refuseForgotten(context: IHookFunctions): void {
	const record = recorded(context);
	if (!record) return;
	throw new NodeOperationError(
		context.getNode(),
		`Callflow ${record.callflowId} still asks this node: its old flow could not be put back`,
		{
			description:
				'Set Connect to "Callflow" once more, activate and deactivate the workflow, then choose "By Hand".',
		},
	);
}

/** At n8n's start, whatever cannot be checked is reported and left as it is: a throw would take the route away. */
async function checkAtStart(context: IHookFunctions): Promise<boolean> {
	if (!connectsItself(context)) return true;
	try {
		return await isConnected(context);
	} catch (error) {
		const words = error instanceof Error ? error.message : String(error);
		context.logger.warn(
			`${label(context)}: whether the callflow is connected could not be checked: ${words}`,
		);
		return true;
	}
}

/** How long the PBX may have to wait, in milliseconds. */
function waitOf(context: IHookFunctions): number {
	const isImmediate = context.getNodeParameter('responseMode', '') === 'onReceived';
	return isImmediate ? 0 : readDeadline(context);
}

async function isConnected(context: IHookFunctions): Promise<boolean> {
	const { place, pivot } = await readSettings(context, waitOf(context));
	const record = recorded(context);
	if (record && !isSamePlace(record, place)) return false;
	const reading = await readCallflow(await openPbx(context), place);
	if (!reading.ok) throw reading.error;
	const connection = existingConnection(reading.callflow, place, pivot);
	if (connection && connection.webserver !== record?.webserver)
		remember(context, record ? { ...connection, oldFlow: record.oldFlow } : connection);
	return connection !== undefined;
}

/**
 * Activation, second part: writes the pivot node into the chosen callflow, after one that was connected before has got
 * its old flow back.
 *
 * @throws NodeApiError or NodeOperationError in the user's words; then the callflow is as it was
 */
export async function createConnection(this: IHookFunctions): Promise<boolean> {
	const { place, pivot } = await readSettings(this, waitOf(this));
	const record = recorded(this);
	if (record && !isSamePlace(record, place)) await undo(this);
	const known = record && isSamePlace(record, place) ? [record.webserver] : [];
	const { isNew, ...connection } = await connect(await openPbx(this), place, pivot, known);
	const keeps = record && known.length > 0 && !isNew;
	remember(this, keeps ? { ...connection, oldFlow: record.oldFlow } : connection);
	return true;
}

/**
 * Deactivation: puts the old flow back. What someone else changed in between is reported in n8n's log and left alone.
 *
 * @throws NodeApiError when the PBX cannot be reached; what is known of the old flow is kept for the next time
 */
export async function removeConnection(this: IHookFunctions): Promise<boolean> {
	if (isTest(this)) return true;
	if (recorded(this) || (connectsItself(this) && chosenPlace(this))) await undo(this);
	return true;
}

async function undo(context: IHookFunctions): Promise<void> {
	const record = recorded(context);
	const place: CallflowPlace | undefined = record ?? chosenPlace(context);
	const webservers = [ownWebserver(context), record?.webserver].filter(
		(address) => address !== undefined,
	);
	if (!place) return;

	const callflow = `${label(context)}: callflow ${place.callflowId}`;
	const pbx = await openPbx(context);
	const undoing = await disconnect(pbx, place, webservers, record?.oldFlow).catch((error) => {
		context.logger.warn(`${callflow} still asks this node: activate and deactivate again`);
		throw error;
	});
	const remark = remarkOn(undoing, record !== undefined);
	if (remark) context.logger.warn(`${callflow} ${remark}`);
	forget(context, undoing.state === 'restored' && !undoing.isChanged ? undefined : record);
}

/** What is to be said of an undoing in n8n's log. */
function remarkOn(undoing: Undoing, wasRecorded: boolean): string | undefined {
	const stays = 'was changed by someone else, and stays as it is:';
	switch (undoing.state) {
		case 'gone':
			return 'is deleted at the PBX: there is nothing to put back';
		case 'changed':
			return `${stays} ${undoing.words}`;
		case 'none':
			return wasRecorded ? `${stays} the pivot module is no longer in it` : undefined;
		case 'restored':
			return undoing.isChanged
				? 'was changed by someone else: only the pivot module was taken out'
				: undefined;
	}
}

function isSamePlace(one: CallflowPlace, other: CallflowPlace): boolean {
	return one.callflowId === other.callflowId && (one.accountId ?? '') === (other.accountId ?? '');
}

function recorded(context: IHookFunctions): Connection | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	return isObject(connection) && typeof connection.callflowId === 'string'
		? (connection as unknown as Connection)
		: undefined;
}

function remember(context: IHookFunctions, connection: Connection): void {
	const { callflowId, accountId, webserver, oldFlow } = connection;
	const plain: IDataObject = {
		callflowId,
		webserver,
		oldFlow,
		...(accountId ? { accountId } : {}),
	};
	context.getWorkflowStaticData('node').connection = plain;
}

/** Ends the connection; an old flow that was not put back is kept beside. */
function forget(context: IHookFunctions, notPutBack: Connection | undefined): void {
	const data = context.getWorkflowStaticData('node');
	if (notPutBack)
		data.notPutBack = { callflowId: notPutBack.callflowId, oldFlow: notPutBack.oldFlow };
	delete data.connection;
}

function label(context: IHookFunctions): string {
	return `Virtual PBX Routing Trigger "${context.getNode().name}" in "${context.getWorkflow().name ?? ''}"`;
}
