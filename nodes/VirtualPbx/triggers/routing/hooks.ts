import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Budget } from '../../transport/limits';
import { openPbx } from '../../transport/pbx';
import {
	activationBudget,
	beginActivation,
	deactivationBudget,
	isStart,
	isTest,
	noteTest,
} from '../waiting';
import type { CallflowPlace } from './connection/connect';
import { askedBy, disconnect, existingConnection, readCallflow } from './connection/connect';
import { isSamePlace, putInPlace, strangerIn, wasTakenOut } from './connection/establish';
import { forget, hold, holderOf, recorded, release, remember } from './connection/record';
import { requireFallback, requireFixedMode } from './fallback';
import { otherWorkflows, remarkOn, warn, warnOfLoss, warnOfOthers, wordsOf } from './report';
import { missingResponder, requireResponder } from './responder';
import {
	chosenPlace,
	connectsItself,
	ownWebserver,
	readDeadline,
	readSettings,
	requireCountry,
	requireDeadline,
} from './settings';
import type { Settings } from './settings';
import { forgetConnection, noteConnection } from './watch';

/**
 * Activation, first part: does the PBX already ask this node? Only the production address is ever connected, so that
 * listening for a test event takes no live call away. At n8n's start nothing takes the route away, and no pivot node
 * that asks another address is touched: it may be that of the n8n whose database was copied.
 *
 * @returns true when there is nothing to write
 * @throws NodeApiError or NodeOperationError in the user's words
 */
export async function checkConnection(this: IHookFunctions): Promise<boolean> {
	noteTest(this);
	const budget = beginActivation(this);
	if (isStart(this)) return await checkAtStart(this, budget);
	requireFixedMode(this);
	requireFallback(this);
	requireDeadline(this);
	requireCountry(this);
	if (this.getActivationMode() === 'manual') return true;
	requireResponder(this);
	if (connectsItself(this)) return await isConnected(this, budget);
	refuseForgotten(this);
	return true;
}

/**
 * Keeps a callflow from being forgotten whose old flow could not be put back when the workflow was last deactivated.
 *
 * @throws NodeOperationError that says what to do
 */
function refuseForgotten(context: IHookFunctions): void {
	const webserver = ownWebserver(context);
	const record = recorded(context, webserver);
	if (!record || record.webserver !== webserver) return;
	throw new NodeOperationError(
		context.getNode(),
		`Callflow ${record.callflowId} still asks this node: its old flow could not be restored`,
		{
			description:
				'Set Connect to "Callflow" once more, publish and unpublish the workflow, then choose "Manually".',
		},
	);
}

/** At n8n's start, whatever cannot be checked is reported and left as it is: a throw would take the route away. */
async function checkAtStart(context: IHookFunctions, budget: Budget): Promise<boolean> {
	const missing = missingResponder(context);
	if (missing) warn(context, `${missing.message}. ${missing.description}`);
	if (!connectsItself(context)) return true;
	try {
		return await isConnected(context, budget);
	} catch (error) {
		warn(context, `whether the callflow is connected could not be checked: ${wordsOf(error)}`);
		return true;
	}
}

/** How long the PBX may have to wait, in milliseconds. */
function waitOf(context: IHookFunctions): number {
	const isImmediate = context.getNodeParameter('responseMode', '') === 'onReceived';
	return isImmediate ? 0 : readDeadline(context);
}

async function isConnected(context: IHookFunctions, budget: Budget): Promise<boolean> {
	const settings = await readSettings(context, waitOf(context));
	const { place, pivot } = settings;
	noteConnection(context, settings, false);
	const record = recorded(context, pivot.webserver);
	const reading = await readCallflow(await openPbx(context, budget), place);
	if (!reading.ok) throw reading.error;
	const asked = askedBy(reading.callflow.flow);
	const connection = existingConnection(reading.callflow, place, pivot);
	if (connection && (!record || isSamePlace(record, place))) {
		hold(context, pivot.webserver);
		const oldFlow = record?.oldFlow ?? connection.oldFlow;
		remember(context, { ...connection, oldFlow, others: otherWorkflows(asked, pivot.webserver) });
		warnOfOthers(context, place.callflowId, asked, pivot.webserver);
		noteConnection(context, settings, true);
		return true;
	}
	if (!isStart(context) || connection || asked.includes(pivot.webserver)) return false;

	const stranger = strangerIn(asked, pivot.webserver, record);
	if (stranger === undefined) return leaveTakenOut(context, settings, asked);
	forgetConnection(context);
	warn(
		context,
		`callflow ${place.callflowId} is not connected: ${stranger}. To have it ask ${pivot.webserver}, publish the workflow again`,
	);
	return true;
}

/** What someone has taken out while n8n was stopped stays out; the first check reports it, if there is one. */
function leaveTakenOut(
	context: IHookFunctions,
	settings: Settings,
	asked: readonly string[],
): boolean {
	const { place, pivot, checkMinutes } = settings;
	if (!wasTakenOut(asked, settings, recorded(context, pivot.webserver))) return false;
	if (checkMinutes === 0)
		warn(
			context,
			`callflow ${place.callflowId} no longer asks this node: someone has changed its flow. To have it ask this node, publish the workflow again`,
		);
	return true;
}

/**
 * Activation, second part: writes the pivot node into the chosen callflow, after one that was connected before has got
 * its old flow back. At n8n's start a failure is reported only.
 *
 * @throws NodeApiError or NodeOperationError in the user's words; then the callflow is as it was
 */
export async function createConnection(this: IHookFunctions): Promise<boolean> {
	await establish(this, activationBudget(this)).catch((error: unknown) => {
		if (!isStart(this)) throw error;
		warn(this, `the callflow could not be connected: ${wordsOf(error)}`);
	});
	return true;
}

async function establish(context: IHookFunctions, budget: Budget): Promise<void> {
	const settings = await readSettings(context, waitOf(context));
	const { place, pivot } = settings;
	noteConnection(context, settings, false);
	const record = recorded(context, pivot.webserver);
	if (record && !isSamePlace(record, place)) await undo(context, budget);
	await putInPlace(context, await openPbx(context, budget), settings);
	noteConnection(context, settings, true);
}

/**
 * Deactivation: puts the old flow back where this node had connected the callflow: n8n also calls this for a workflow
 * whose activation it refused, as of two with one path. What someone else changed in between is reported in n8n's log
 * and left alone.
 *
 * @throws NodeApiError when the PBX cannot be reached; what is known of the old flow is kept for the next time
 */
export async function removeConnection(this: IHookFunctions): Promise<boolean> {
	if (isTest(this)) return true;
	forgetConnection(this);
	const webserver = ownWebserver(this);
	if (webserver === undefined) return true;
	const record = recorded(this, webserver);
	const holder = holderOf(this, webserver);
	if (holder === 'other') {
		if (record) warn(this, `another workflow now uses ${webserver}: nothing was disconnected`);
		return true;
	}
	if (record || (holder === 'self' && connectsItself(this) && chosenPlace(this)))
		await undo(this, deactivationBudget());
	return true;
}

/** Takes the pivot node out that asks the present address; those of earlier addresses may serve another n8n. */
async function undo(context: IHookFunctions, budget: Budget): Promise<void> {
	const webserver = ownWebserver(context);
	const record = recorded(context, webserver);
	const place: CallflowPlace | undefined = record ?? chosenPlace(context);
	if (!place || webserver === undefined) return;

	const pbx = await openPbx(context, budget);
	const undoing = await disconnect(pbx, place, webserver, record?.oldFlow).catch((error) => {
		warn(
			context,
			`callflow ${place.callflowId} still asks this node at ${webserver}: ${wordsOf(error)}. Publish and unpublish the workflow again`,
		);
		throw error;
	});
	const remark = remarkOn(undoing, record, webserver);
	if (remark) warn(context, `callflow ${place.callflowId} ${remark}`);
	warnOfLoss(context, place.callflowId, undoing);
	if (undoing.state === 'none' && record && undoing.asked.includes(record.webserver)) return;
	release(webserver);
	forget(context, undoing.state === 'restored' && !undoing.isChanged ? undefined : record);
}
