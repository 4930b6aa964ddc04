import type {
	CronExpression,
	IHookFunctions,
	ITriggerFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CREDENTIAL, openPbx } from '../../parameters/credential';
import { sentence, toNodeError } from '../../parameters/nodeError';
import type { Pbx, PbxOptions } from '../../pbx/client';
import { isTransient } from '../../pbx/errors/pbxError';
import type { CredentialData } from '../../pbx/types';
import { assertReachable } from './address';
import type { Activation, HealthReporter, Problem, Publication, Setup, Side } from './nodeRuntime';
import { Endpoint, isServedByAnother, logPrefix, runtimeOf } from './nodeRuntime';

type Context = IHookFunctions | ITriggerFunctions;

/** A published trigger with its PBX. */
export interface OpenNode<S extends Setup> {
	context: Context;
	pbx: Pbx;
	/** As decrypted for the client. */
	credential: CredentialData;
	setup: S;
	/** Whether n8n's start left everything to this check. */
	isFirst: boolean;
	/** Called before the first write, after which something can be left at the PBX. */
	beforeWriting: () => void;
}

/**
 * The part of the PBX that a trigger manages while published: the event trigger's webhooks, or the routing trigger's
 * pivot module in a callflow.
 */
export interface ManagedResource<S extends Setup> {
	/** The node type, for n8n's log. */
	title: string;
	/** Things that might stay at the PBX if removal fails, and what to do. For n8n's log. */
	leftovers: string;
	/** Reads the parameters. Undefined if nothing is needed at the PBX. Sends no request. Throws NodeOperationError. */
	readSetup(context: IHookFunctions, isTest: boolean): Promise<S | undefined>;
	/** Throws NodeOperationError for what the user can still fix. Sends no request. */
	assertReady(context: IHookFunctions): void;
	/**
	 * Compares what the PBX has with the setup, and writes what differs. A publication gets everything or an error: it
	 * has no reporter. A check keeps what works, and reports what it has found; it throws if the PBX can't be read.
	 */
	check(node: OpenNode<S>, reporter?: HealthReporter): Promise<void>;
	/** Removes everything that is this node's. Throws PbxError. */
	remove(node: OpenNode<S>): Promise<void>;
	/** Returns the problem in the surrounding workflow that keeps the node from working, as far as n8n shows it. */
	workflowProblem?(context: ITriggerFunctions): Problem | undefined;
	/** Whether a check is due early. */
	isOutdated?(context: ITriggerFunctions, setup: S): Promise<boolean>;
}

/** Returns the endpoint that a hook is called for, a new one if its address has changed. */
function endpointFor(context: IHookFunctions, side: Side): Endpoint {
	const { endpoints } = runtimeOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const known = endpoints[side];
	return known?.url === url ? known : (endpoints[side] = new Endpoint(url));
}

/** Opens a node's PBX. Decrypts the credential once. Throws NodeOperationError if there is none. */
export async function openNode<S extends Setup>(
	context: Context,
	setup: S,
	limits: Pick<PbxOptions, 'deadline' | 'signal'>,
	{ isFirst = false, beforeWriting = () => {} } = {},
): Promise<OpenNode<S>> {
	const { accountId } = setup;
	const credential = await context.getCredentials<CredentialData>(CREDENTIAL);
	const pbx = await openPbx(context, { ...limits, accountId, credential });
	return { context, pbx, credential, setup, isFirst, beforeWriting };
}

/** How long a deactivation waits for what is going on. */
const LOCK_MS = 10_000;
/** n8n retries a removal that throws. Ours never does, so it retries transient failures itself. */
const REMOVALS = 3;
const PAUSE_MS = 1_000;

/** Runs a user's publication. Throws if it fails, or if the workflow is unpublished meanwhile. */
async function publish<S extends Setup>(
	resource: ManagedResource<S>,
	context: IHookFunctions,
	side: Side,
): Promise<void> {
	const endpoint = endpointFor(context, side);
	const { signal } = endpoint;
	const beforeWriting = () => void (endpoint.mayHaveLeft = true);
	endpoint.hasFailed = false;
	const attempt = async (deadline: AbortSignal) => {
		signal.throwIfAborted();
		const setup = await resource.readSetup(context, side === 'test');
		resource.assertReady(context);
		if (setup) {
			const node = await openNode(context, setup, { deadline, signal }, { beforeWriting });
			assertReachable(context, node.credential);
			await resource.check(node);
		}
		signal.throwIfAborted();
		endpoint.activation = { setup, isPending: false };
	};
	const attempting = endpoint.runExclusive(async () => await inPublication(context, attempt));
	await attempting.catch((error: unknown) => {
		endpoint.hasFailed = true;
		endpoint.activation = undefined;
		throw error;
	});
}

async function remove<S extends Setup>(
	resource: ManagedResource<S>,
	context: IHookFunctions,
	{ side, deadline }: { side: Side; deadline: AbortSignal },
): Promise<void> {
	const setup = await resource.readSetup(context, side === 'test');
	if (!setup) return;
	const node = await openNode(context, setup, { deadline });
	const tryToRemove = async (removal: number): Promise<void> => {
		await resource.remove(node).catch(async (error: unknown) => {
			if (removal === REMOVALS || deadline.aborted || !isTransient(error)) throw error;
			await sleep(PAUSE_MS * removal);
			await tryToRemove(removal + 1);
		});
	};
	await tryToRemove(1);
}

/** Creates a resource's webhook methods for n8n, which calls `create` each time, since `checkExists` returns false. */
export function createWebhookMethods<S extends Setup>(resource: ManagedResource<S>) {
	return {
		/**
		 * Sets the node up. If it throws, n8n calls `delete`. If no user is waiting, sends nothing and leaves everything
		 * to the first check.
		 */
		async create(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const known = runtimeOf(context).endpoints[side];
			const isUnpublished = known !== undefined && known.activation === undefined;
			if (side === 'test' || !isUnattended(context, isUnpublished)) {
				await publish(resource, context, side);
				return true;
			}
			endpointFor(context, side).activation = await resource.readSetup(context, false).then(
				(setup): Activation => ({ setup, isPending: true }),
				(error: unknown): Activation => ({ error, isPending: true }),
			);
			return true;
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
 * The older way calls the hook and trigger() once, in sequence, and shows the user what they throw.
 * The newer way calls hook and trigger() in parallel, each up to five times within 15 s, with `delete`
 * after each failure of a hook. Then it gives up permanently, so nothing may throw unless a user publishes. It shows a
 * message without its description, and ends a publication after 84 s.
 */

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

function publicationOf(context: Context): Publication {
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
export async function inPublication(
	context: Context,
	attempt: (deadline: AbortSignal) => Promise<void>,
): Promise<void> {
	const publication = publicationOf(context);
	publication.deadline ??= AbortSignal.timeout(PUBLICATION_MS);
	publication.undone ??= AbortSignal.timeout(UNDONE_MS);
	if (publication.permanentError) throw publication.permanentError;
	try {
		await attempt(publication.deadline);
	} catch (error) {
		const shown = withRemedy(context, error);
		if (!isTransient(error)) publication.permanentError = shown;
		throw shown;
	}
}

const REMOVAL_MS = 28_000;

/** Returns the deadline of a removal, or the one shared by all that undo a publication's failed tries. */
function removalDeadline(context: IHookFunctions, isUndoing: boolean): AbortSignal {
	const { undone } = publicationOf(context);
	return (isUndoing ? undone : undefined) ?? AbortSignal.timeout(REMOVAL_MS);
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
