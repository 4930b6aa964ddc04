import { triggerScope } from '../../parameters/parameter';
import type { WholeCallflow } from '../../pbx/types';
import { logPrefix } from '../runtime/healthReporter';
import type { ManagedResource } from '../runtime/managed';
import { createWebhookMethods } from '../runtime/managed';
import type { DesiredConnection } from './connection';
import {
	callsNode,
	connect,
	disconnect,
	isConnected,
	namedRivals,
	observe,
	ownService,
	recordConnection,
	recordedWebserver,
} from './connection';
import { connect as connectParameter, readDesired } from './parameters';
import { assertKazoo, assertKnownTargets } from './platformAnswer';
import { missingResponder, assertReady } from './readiness';

const TITLE = 'Virtual PBX Call Routing Trigger';
const AGAIN = 'To have it ask this node, publish the workflow again.';

/**
 * The routing trigger's resource: a pivot module in a callflow (§2.2). Only for the production address, since listening
 * for a test event takes no live call. Each change is computed from a fresh reading, so the difference is just the
 * callflow.
 */
export const connectionResource: ManagedResource<
	DesiredConnection,
	WholeCallflow | undefined,
	WholeCallflow
> = {
	title: TITLE,
	leftovers:
		'the callflow might still ask this node. Publish and unpublish the workflow again to restore its old flow.',

	async readDesired(context, isTest) {
		if (connectParameter.read(triggerScope(context)) === 'manualKazoo') await assertKazoo(context);
		return isTest ? undefined : readDesired(context);
	},

	validate: assertReady,

	async observe(work) {
		if (work.purpose === 'publish') await assertKnownTargets(work);
		return await observe(work);
	},

	diff(work, observed) {
		if (!observed) return undefined;
		const { flow } = observed;
		const isRight = work.purpose === 'remove' ? !callsNode(flow, work) : isConnected(flow, work);
		return isRight ? undefined : observed;
	},

	async apply(work, observed) {
		if (work.purpose !== 'remove') {
			await connect(work, observed);
			return;
		}
		const [reason] = await disconnect(work, observed);
		if (reason === undefined) return;
		const { context, desired } = work;
		context.logger.warn(
			`${logPrefix(context, TITLE)}: not every pivot module of callflow ${desired.callflowId} was removed: ${reason}`,
		);
	},

	settled(work) {
		const { context, purpose } = work;
		const webserver = ownService(work);
		if (purpose === 'publish') recordConnection(context, webserver);
		// If n8n has moved, the next publication replaces the module with the former address.
		if (purpose === 'remove' && recordedWebserver(context) === webserver) recordConnection(context);
	},

	subject: 'callflow',
	inOrder: 'the callflow asks this node again.',

	/** Users' changes stay. Connects only what a publication couldn't because n8n was killed during it. */
	mayRepair(work, observed, isFirst) {
		const isNew = recordedWebserver(work.context) === undefined;
		return isFirst && isNew && observed !== undefined && !callsNode(observed.flow, work);
	},

	problemOf(work, { flow }, outcome) {
		if (typeof outcome === 'object') throw outcome.failure;
		if (outcome === 'repaired') return undefined;
		const { callflowId } = work.desired;
		const service = ownService(work);
		const about = { subject: 'callflow', remedy: `${namedRivals(flow, work)}${AGAIN}` };
		if (callsNode(flow, work)) {
			const message = `someone has changed the pivot module of callflow ${callflowId}, so its settings no longer match this node.`;
			return { ...about, remedy: AGAIN, key: 'changed', message };
		}
		const recorded = recordedWebserver(work.context);
		if (recorded !== undefined && recorded !== service) {
			const message = `callflow ${callflowId} doesn't ask this node: it was published at ${recorded}, and n8n is now at ${service}.`;
			return { ...about, remedy: AGAIN, key: 'moved', message };
		}
		const message = `callflow ${callflowId} no longer asks this node: someone has changed its flow.`;
		return { ...about, key: 'taken out', message };
	},

	workflowProblem: missingResponder,
};

export const { checkExists, create, delete: remove } = createWebhookMethods(connectionResource);
