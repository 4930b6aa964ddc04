import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { openPbx } from '../../parameters/credential';
import { toNodeError } from '../../parameters/nodeError';
import type { Pbx } from '../../pbx/client';
import type { HealthReporter, Problem } from './healthReporter';
import { logPrefix } from './healthReporter';
import type { Activation, Side } from './nodeRuntime';
import { Endpoint, isServedByAnother, runtimeOf } from './nodeRuntime';
import {
	inPublication,
	isTransientError,
	isUnattended,
	removalDeadline,
	sentence,
	sideOf,
} from './publishing';

/** What should stand at the PBX for an active node, read from its parameters. */
export interface Desired {
	accountId: string | undefined;
	/** How often an active trigger checks what stands at the PBX, in minutes; 0 for never. */
	checkMinutes: number;
	startsErrorWorkflow: boolean;
}

/** What the methods of a resource work with. */
export interface Work<D> {
	context: IHookFunctions | ITriggerFunctions;
	pbx: Pbx;
	desired: D;
	/** With `remove`, nothing of it is desired any longer. */
	purpose: 'publish' | 'check' | 'remove';
}

/** What has become of a change in a check. */
export type Outcome = 'repaired' | 'left' | { failure: unknown };

/**
 * What a trigger keeps at the PBX while it is published: webhooks of the event trigger, the pivot module of the routing trigger
 * in a callflow. A publication applies the difference, a check applies it and reports, an unpublishing applies it to nothing.
 */
export interface ManagedResource<D extends Desired, Observed, Change> {
	/** The node type, for n8n's log. */
	title: string;
	/** What may stay at the PBX when it can't be removed, and what to do; for n8n's log. */
	leftovers: string;
	/** Reads the parameters. No network access. Undefined where nothing is to stand at the PBX; throws a NodeOperationError. */
	readDesired(context: IHookFunctions, isTest: boolean): Promise<D | undefined>;
	/** Throws for what a person can still correct; not called at n8n's start. No network access. */
	validate(context: IHookFunctions, desired: D | undefined): Promise<void>;
	/** Reads what stands at the PBX. Changes nothing there. */
	observe(work: Work<D>): Promise<Observed>;
	/** Returns what is to be changed; undefined where all is as desired. No network access. */
	diff(work: Work<D>, observed: Observed): Change | undefined;
	/** Changes it; throws where the PBX refuses. What it leaves then, a removal takes away: n8n calls `delete`. */
	apply(work: Work<D>, change: Change): Promise<void>;
	/** Records that all is as desired now, if this was observed before. */
	settled?(work: Work<D>, observed: Observed): void;
	/** What the check reports about, and the words when it is in order again. */
	subject: string;
	inOrder: string;
	/** Reports in a check how the PBX uses what was observed; returns whether this makes another observation necessary. */
	inspect?(work: Work<D>, observed: Observed, reporter: HealthReporter): Promise<boolean>;
	/** Whether a check may apply a change, rather than report it only; it may by default. */
	mayRepair?(work: Work<D>, observed: Observed, isFirst: boolean): boolean;
	/** Returns what a check reports of a change that was repaired, left, or failed; throws what the PBX can't be asked for. */
	problemOf(work: Work<D>, change: Change, outcome: Outcome): Problem | undefined;
	/** What of the workflow around the node keeps it from working, as far as n8n shows it to a check. */
	workflowProblem?(context: ITriggerFunctions): Problem | undefined;
	/** Whether a check is due before its time. */
	isOutdated?(context: ITriggerFunctions, desired: D): Promise<boolean>;
}

/** Makes all as desired, and returns whether something had to be changed; only looks with `isDry`. */
async function reconcile<D extends Desired, O, C>(
	resource: ManagedResource<D, O, C>,
	work: Work<D>,
	isDry = false,
): Promise<boolean> {
	const observed = await resource.observe(work);
	const change = resource.diff(work, observed);
	if (change !== undefined && isDry) return true;
	if (change !== undefined) await resource.apply(work, change);
	resource.settled?.(work, observed);
	return change !== undefined;
}

/** A deactivation waits so long for what is under way. */
const LOCK_MS = 10_000;
/** n8n repeats a removal that throws; since ours never does, it repeats itself what may pass. */
const REMOVALS = 3;
const PAUSE_MS = 1_000;

/** Returns the endpoint that a hook is called for; at another address it is another one. */
function enter(context: IHookFunctions, side: Side): Endpoint {
	const { endpoints } = runtimeOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const known = endpoints[side];
	return known?.url === url ? known : (endpoints[side] = new Endpoint(url));
}

/** Works in a person's publication, after all earlier work on the node, and unless it is aborted meanwhile. */
async function publish<D extends Desired, O, C>(
	resource: ManagedResource<D, O, C>,
	context: IHookFunctions,
	{ side, isDry }: { side: Side; isDry: boolean },
): Promise<boolean> {
	const endpoint = enter(context, side);
	const { signal } = endpoint;
	endpoint.hasFailed = false;
	const attempt = async (deadline: AbortSignal): Promise<boolean> => {
		signal.throwIfAborted();
		const desired = await resource.readDesired(context, side === 'test');
		if (isDry) await resource.validate(context, desired);
		let hasChanged = false;
		if (desired) {
			const { accountId } = desired;
			const pbx = await openPbx(context, { accountId, deadline, signal });
			endpoint.mayHaveLeft ||= !isDry;
			const work = { context, pbx, desired, purpose: 'publish' } as const;
			hasChanged = await reconcile(resource, work, isDry);
		}
		signal.throwIfAborted();
		if (isDry && hasChanged) return false;
		endpoint.activation = { desired, isPending: false };
		return true;
	};
	const attempting = endpoint.runExclusive(async () => await inPublication(context, attempt));
	return await attempting.catch((error: unknown) => {
		endpoint.hasFailed = true;
		endpoint.activation = undefined;
		throw error;
	});
}

async function remove<D extends Desired, O, C>(
	resource: ManagedResource<D, O, C>,
	context: IHookFunctions,
	{ side, deadline }: { side: Side; deadline: AbortSignal },
): Promise<void> {
	const desired = await resource.readDesired(context, side === 'test');
	if (!desired) return;
	const pbx = await openPbx(context, { accountId: desired.accountId, deadline });
	const tryToRemove = async (removal: number): Promise<void> => {
		const removing = reconcile(resource, { context, pbx, desired, purpose: 'remove' });
		await removing.catch(async (error: unknown) => {
			if (removal === REMOVALS || deadline.aborted || !isTransientError(error)) throw error;
			await sleep(PAUSE_MS * removal);
			await tryToRemove(removal + 1);
		});
	};
	await tryToRemove(1);
}

/** Creates n8n's webhook methods of a resource. */
export function createWebhookMethods<D extends Desired, O, C>(resource: ManagedResource<D, O, C>) {
	return {
		/** Returns whether all is in place; where no person waits, asks nobody and leaves all to the first check. */
		async checkExists(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const known = runtimeOf(context).endpoints[side];
			const state = known && (known.activation ? 'active' : 'inactive');
			if (side === 'test' || !isUnattended(context, state))
				return await publish(resource, context, { side, isDry: true });
			enter(context, side).activation = await resource.readDesired(context, false).then(
				(desired): Activation<D> => ({ desired, isPending: true }),
				(error: unknown): Activation<D> => ({ error, isPending: true }),
			);
			return true;
		},

		/** Sets the node up, or throws, on which n8n calls `delete`. */
		async create(context: IHookFunctions): Promise<boolean> {
			return await publish(resource, context, { side: sideOf(context), isDry: false });
		},

		/** Takes away what the node has set up. Never throws: n8n's log says what stays. */
		async delete(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const endpoint = enter(context, side);
			const isNothingThere = endpoint.hasFailed && !endpoint.mayHaveLeft;
			endpoint.abort();
			if (isNothingThere || isServedByAnother(endpoint)) return true;
			const deadline = removalDeadline(context, endpoint.hasFailed);
			try {
				await endpoint.runExclusive(
					async () => await remove(resource, context, { side, deadline }),
					LOCK_MS,
				);
				endpoint.mayHaveLeft = false;
				return true;
			} catch (error) {
				endpoint.mayHaveLeft = true;
				context.logger.warn(
					`${logPrefix(context, resource.title)}: ${resource.leftovers} ${sentence(toNodeError(context, error).message)}`,
				);
				return false;
			}
		},
	};
}
