import { logPrefix } from '../runtime/healthReporter';
import type { Setup } from '../runtime/lifecycle';
import { hooksOf } from '../runtime/lifecycle';
import { checkConnection } from './connection/check';
import type { DesiredConnection } from './connection/connect';
import { connect, disconnect, isConnected, readFlow } from './connection/connect';
import { recordConnection, recordedWebserver } from './connection/record';
import { missingResponder, refuseUnready } from './refusals';
import { readDesired } from './settings';

const TITLE = 'Virtual PBX Routing Trigger';

/** A pivot module in a callflow (§2.2), only for the production address: listening for a test event takes no live call. */
export const connectionSetup: Setup<DesiredConnection> = {
	title: TITLE,
	leftovers:
		'the callflow may still ask this node. Publish and unpublish the workflow again to restore its old flow.',

	async read(context, isTest) {
		return isTest ? undefined : readDesired(context);
	},

	async validate(context) {
		await refuseUnready(context);
	},

	async isInPlace(pbx, desired, context) {
		const flow = await readFlow(pbx, desired);
		if (!isConnected(flow, desired)) return false;
		recordConnection(context, desired.pivot.webserver);
		return true;
	},

	async create(pbx, desired, context) {
		await connect(pbx, desired, recordedWebserver(context));
		recordConnection(context, desired.pivot.webserver);
	},

	async remove(pbx, desired, context) {
		const stays = await disconnect(pbx, desired);
		// Where n8n has moved, the next publication replaces what asks the former address.
		if (recordedWebserver(context) === desired.pivot.webserver) recordConnection(context);
		if (stays.length === 0) return;
		context.logger.warn(
			`${logPrefix(context, TITLE)}: not every pivot module of callflow ${desired.callflowId} was removed: ${stays[0]}`,
		);
	},

	check: checkConnection,
	workflowProblem: missingResponder,
};

export const { checkExists, create, delete: remove } = hooksOf(connectionSetup);
