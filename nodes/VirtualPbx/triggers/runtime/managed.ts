import type {
	CronExpression,
	IHookFunctions,
	ITriggerFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CREDENTIAL, openPbx } from '../../parameters/credential';
import { toNodeError } from '../../parameters/nodeError';
import type { CheckSettings } from '../../parameters/options';
import type { Pbx, PbxOptions } from '../../pbx/client';
import { PbxError } from '../../pbx/errors/pbxError';
import type { CredentialData } from '../../pbx/types';
import { assertReachable } from './address';
import type { HealthReporter, Problem } from './healthReporter';
import { logPrefix } from './healthReporter';
import type { Activation, Publication, Side } from './nodeRuntime';
import { Endpoint, isServedByAnother, runtimeOf } from './nodeRuntime';

/** The desired state at the PBX for an active node, read from its parameters. */
export interface Desired extends CheckSettings {
	accountId: string | undefined;
}

/** The arguments of a resource's methods. */
export interface Work<D> {
	context: IHookFunctions | ITriggerFunctions;
	pbx: Pbx;
	/** As decrypted for the client. */
	credential: CredentialData;
	desired: D;
	/** With `remove`, nothing is desired any longer. */
	purpose: 'publish' | 'check' | 'remove';
}

/** The outcome of a change in a check. */
export type Outcome = 'repaired' | 'left' | { failure: unknown };

/**
 * The state that a trigger keeps at the PBX while published: the event trigger's webhooks, or the routing trigger's
 * pivot module in a callflow. A publication applies the difference, a check applies and reports it, and unpublishing
 * applies the difference to nothing.
 */
export interface ManagedResource<D extends Desired, Observed, Change> {
	/** The node type, for n8n's log. */
	title: string;
	/** Things that might stay at the PBX if removal fails, and what to do. For n8n's log. */
	leftovers: string;
	/**
	 * Reads the parameters. No network access. Undefined if nothing is desired at the PBX. Throws NodeOperationError.
	 */
	readDesired(context: IHookFunctions, isTest: boolean): Promise<D | undefined>;
	/** Throws for problems that the user can still fix. Not called when n8n starts. No network access. */
	validate(context: IHookFunctions): void;
	/** Reads the current state at the PBX. Changes nothing there. */
	observe(work: Work<D>): Promise<Observed>;
	/** Returns the necessary changes; undefined if there are none. No network access. */
	diff(work: Work<D>, observed: Observed): Change | undefined;
	/** Applies the change. Throws if the PBX refuses. If it fails, n8n calls `delete`, which cleans up. */
	apply(work: Work<D>, change: Change): Promise<void>;
	/** Records that the state is now as desired, given the observation before. */
	settled?(work: Work<D>, observed: Observed): void;
	/** The subject that the check reports under, and the message when it is in order again. */
	subject: string;
	inOrder: string;
	/** Reports in a check how the PBX uses what was observed. */
	inspect?(work: Work<D>, observed: Observed, reporter: HealthReporter): Promise<void>;
	/** Whether a check may apply a change, rather than only report it. By default, it may. */
	mayRepair?(work: Work<D>, observed: Observed, isFirst: boolean): boolean;
	/** Returns what a check reports of a change that was repaired, left, or failed. Can rethrow the failure instead. */
	problemOf(work: Work<D>, change: Change, outcome: Outcome): Problem | undefined;
	/**
	 * Returns the problem in the surrounding workflow that keeps the node from working, as far as n8n shows it to a
	 * check.
	 */
	workflowProblem?(context: ITriggerFunctions): Problem | undefined;
	/** Whether a check is due early. */
	isOutdated?(context: ITriggerFunctions, desired: D): Promise<boolean>;
}

/** Applies the desired state, and returns whether anything had to change. With `isDry`, only looks. */
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

/** How long a deactivation waits for work in progress. */
const LOCK_MS = 10_000;
/** n8n retries a removal that throws. Ours never does, so it retries transient failures itself. */
const REMOVALS = 3;
const PAUSE_MS = 1_000;

/** Returns the endpoint that a hook is called for, a new one if its address has changed. */
function endpointFor(context: IHookFunctions, side: Side): Endpoint {
	const { endpoints } = runtimeOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const known = endpoints[side];
	return known?.url === url ? known : (endpoints[side] = new Endpoint(url));
}

/** Opens the PBX for work on a resource. Decrypts the credential once. Throws NodeOperationError if there is none. */
export async function openWork<D extends Desired>(
	context: Work<D>['context'],
	{ desired, purpose }: Pick<Work<D>, 'desired' | 'purpose'>,
	limits: Pick<PbxOptions, 'deadline' | 'signal'>,
): Promise<Work<D>> {
	const { accountId } = desired;
	const credential = await context.getCredentials<CredentialData>(CREDENTIAL);
	const pbx = await openPbx(context, { ...limits, accountId, credential });
	return { context, pbx, credential, desired, purpose };
}

/**
 * Runs one step of a user's publication after all earlier work on the node, and returns whether everything is in place.
 * With `isDry`, changes nothing at the PBX. Throws if the workflow is unpublished meanwhile.
 */
async function publish<D extends Desired, O, C>(
	resource: ManagedResource<D, O, C>,
	context: IHookFunctions,
	{ side, isDry }: { side: Side; isDry: boolean },
): Promise<boolean> {
	const endpoint = endpointFor(context, side);
	const { signal } = endpoint;
	endpoint.hasFailed = false;
	const attempt = async (deadline: AbortSignal): Promise<boolean> => {
		signal.throwIfAborted();
		const desired = await resource.readDesired(context, side === 'test');
		if (isDry) resource.validate(context);
		let hasChanged = false;
		if (desired) {
			const work = await openWork(context, { desired, purpose: 'publish' }, { deadline, signal });
			if (isDry) assertReachable(context, work.credential);
			endpoint.mayHaveLeft ||= !isDry;
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
	const work = await openWork(context, { desired, purpose: 'remove' }, { deadline });
	const tryToRemove = async (removal: number): Promise<void> => {
		await reconcile(resource, work).catch(async (error: unknown) => {
			if (removal === REMOVALS || deadline.aborted || !isTransientError(error)) throw error;
			await sleep(PAUSE_MS * removal);
			await tryToRemove(removal + 1);
		});
	};
	await tryToRemove(1);
}

/** Creates a resource's webhook methods for n8n. */
export function createWebhookMethods<D extends Desired, O, C>(resource: ManagedResource<D, O, C>) {
	return {
		/**
		 * Returns whether everything is in place. If no user is waiting, sends nothing and leaves everything to the
		 * first check.
		 */
		async checkExists(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const known = runtimeOf(context).endpoints[side];
			const isUnpublished = known !== undefined && known.activation === undefined;
			if (side === 'test' || !isUnattended(context, isUnpublished))
				return await publish(resource, context, { side, isDry: true });
			endpointFor(context, side).activation = await resource.readDesired(context, false).then(
				(desired): Activation<D> => ({ desired, isPending: true }),
				(error: unknown): Activation<D> => ({ error, isPending: true }),
			);
			return true;
		},

		/** Sets the node up. If it throws, n8n calls `delete`. */
		async create(context: IHookFunctions): Promise<boolean> {
			return await publish(resource, context, { side: sideOf(context), isDry: false });
		},

		/** Removes what the node set up. Never throws: n8n's log shows what stays. */
		async delete(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const endpoint = endpointFor(context, side);
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

/*
 * Everything known of n8n's two ways to publish, measured on 2.39.5 and 2.41.1 (docs/internals/n8n.md).
 * The older way calls checkExists, create, and trigger() once, in sequence, and shows the user what they throw.
 * The newer way calls hooks and trigger() in parallel, each up to five times within 15 s, with `delete`
 * after each failure of a hook. Then it gives up permanently, so nothing may throw unless a user publishes. It shows a
 * message without its description, and ends a publication after 84 s.
 */

type Context = IHookFunctions | ITriggerFunctions;

/** Activations without a user: n8n's start, and another process taking over. */
const START_MODES: readonly string[] = ['init', 'leadershipChange'];

/** Returns whether n8n activates a node without a user. Then, nothing may throw. */
export function isStart(context: Context): boolean {
	return START_MODES.includes(context.getActivationMode());
}

/**
 * Returns whether n8n publishes a node by itself, so that no one reads errors: at its start, and with the mode `update`
 * unless this process has unpublished the node before, as for a new version. Such a publication is one that n8n
 * finishes after a kill, or one that its reconciler repeats.
 */
function isUnattended(context: Context, isUnpublished: boolean): boolean {
	return isStart(context) || (context.getActivationMode() === 'update' && !isUnpublished);
}

/** Returns the side that n8n calls a hook for. Only the address shows that a `delete` ends a test. */
function sideOf(context: IHookFunctions): Side {
	const { test } = runtimeOf(context).endpoints;
	const isTest =
		context.getMode() === 'manual' || test?.url === context.getNodeWebhookUrl('default');
	return isTest ? 'test' : 'production';
}

const SECONDS = 60;
const SOONEST_SECONDS = 5;
const SPREAD_SECONDS = 15;

/**
 * Returns when an active node ticks, as a cron expression: every minute, and the first time soon, but not all nodes at
 * once after n8n's start.
 */
export function tickTime(): CronExpression {
	const soon = SOONEST_SECONDS + Math.floor(SPREAD_SECONDS * Math.random());
	return `${(new Date().getSeconds() + soon) % SECONDS} * * * * *`;
}

/** How long the tries of one publication can wait for the PBX. With n8n's pauses they end within 70 s. */
const PUBLICATION_MS = 55_000;
/** When undoing failed tries must end. */
const UNDONE_MS = 68_000;

function publicationOf(context: IHookFunctions | ITriggerFunctions): Publication {
	const { publications } = runtimeOf(context);
	const staticData = context.getWorkflowStaticData('global');
	const publication = publications.get(staticData) ?? {};
	publications.set(staticData, publication);
	return publication;
}

/**
 * Runs one try of a user's publication. All tries share one deadline. A permanent error, such as that the workflow was
 * unpublished meanwhile, is rethrown to later tries without another request. Throws NodeApiError or NodeOperationError
 * whose message includes the remedy.
 */
export async function inPublication<T>(
	context: IHookFunctions | ITriggerFunctions,
	work: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
	const publication = publicationOf(context);
	publication.deadline ??= AbortSignal.timeout(PUBLICATION_MS);
	publication.undone ??= AbortSignal.timeout(UNDONE_MS);
	if (publication.permanentError) throw publication.permanentError;
	try {
		return await work(publication.deadline);
	} catch (error) {
		const shown = withRemedy(context, error);
		if (!isTransientError(error)) publication.permanentError = shown;
		throw shown;
	}
}

const REMOVAL_MS = 28_000;

/** Returns the deadline of a removal, or the one shared by all that undo a publication's failed tries. */
function removalDeadline(context: IHookFunctions, isUndoing: boolean): AbortSignal {
	const { undone } = publicationOf(context);
	return (isUndoing ? undone : undefined) ?? AbortSignal.timeout(REMOVAL_MS);
}

/** Returns whether an error can go away by itself: the PBX is down, busy, or out of reach. */
export function isTransientError(error: unknown): boolean {
	return error instanceof PbxError && error.retryable;
}

/** Adds the remedy to the message, since n8n shows nothing else of a publication error. */
function withRemedy(context: Context, error: unknown): NodeApiError | NodeOperationError {
	const shown = toNodeError(context, error);
	const remedy = shown.description ?? '';
	if (remedy === '') return shown;
	shown.message = `${sentence(shown.message)} ${remedy}`;
	shown.description = undefined;
	return shown;
}

/** Returns a text that ends with punctuation. */
export function sentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
