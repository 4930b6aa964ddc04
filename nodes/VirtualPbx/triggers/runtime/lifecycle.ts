import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import type { Pbx } from '../../pbx/client';
import { openPbx } from '../../pbx/client';
import type { ActiveNode, Activation, Side } from './activeNodes';
import { enterNode, isServedByAnother, knownNode, sideOf } from './activeNodes';
import type { HealthReporter, Problem } from './healthReporter';
import { logPrefix } from './healthReporter';
import {
	inPublication,
	isTransientError,
	isUnattended,
	sentence,
	removalDeadline,
} from './publication';

/** What should stand at the PBX for an active node, read from its parameters. */
export interface Desired {
	accountId: string | undefined;
	/** How often an active trigger checks what stands at the PBX, in minutes; 0 for never. */
	checkMinutes: number;
	startsErrorWorkflow: boolean;
}

/** How a webhook trigger sets itself up at the PBX: the event trigger by webhooks, the routing trigger in a callflow. */
export interface Setup<D extends Desired> {
	/** The node type, for n8n's log. */
	title: string;
	/** Reads the parameters; asks nobody. Undefined where nothing is to stand at the PBX; throws a NodeOperationError. */
	read(context: IHookFunctions, isTest: boolean): Promise<D | undefined>;
	/** Refuses what a person can still correct; not at n8n's start. Asks nobody. */
	validate(context: IHookFunctions, desired: D | undefined): Promise<void>;
	isInPlace(pbx: Pbx, desired: D, context: IHookFunctions): Promise<boolean>;
	/** Makes it so. What it leaves when it throws, `remove` takes away: n8n calls `delete` then. */
	create(pbx: Pbx, desired: D, context: IHookFunctions): Promise<void>;
	/** Takes away all that is this node's; throws where something stays. */
	remove(pbx: Pbx, desired: D, context: IHookFunctions): Promise<void>;
	/** What may stay at the PBX when `remove` throws, and what to do; for n8n's log. */
	leftovers: string;
	/** Compares, makes right what may be made right, and reports; throws where the PBX does not let it. */
	check(pbx: Pbx, desired: D, check: CheckContext): Promise<void>;
	/** What of the workflow around the node keeps it from working, as far as n8n shows it to a check. */
	workflowProblem?(context: ITriggerFunctions): Problem | undefined;
	/** Tells that a check is due before its time. */
	isOutdated?(context: ITriggerFunctions, desired: D): Promise<boolean>;
}

/** What a check works with. */
export interface CheckContext {
	context: ITriggerFunctions;
	reporter: HealthReporter;
	signal: AbortSignal;
	/** n8n has activated the node by itself, and nothing was checked since. */
	isFirst: boolean;
}

/** A deactivation waits so long for what is under way. */
const LOCK_MS = 10_000;

type Work<T> = (pbx: OpenPbx) => Promise<T>;
type OpenPbx = (desired: Desired) => Promise<Pbx>;

/** Runs a hook of a person's publication, after all earlier work on the node, and unless it is aborted meanwhile. */
async function attempt<T>(context: IHookFunctions, node: ActiveNode, work: Work<T>): Promise<T> {
	const { signal } = node;
	node.hasFailed = false;
	const attempting = node.runExclusive(
		async () =>
			await inPublication(context, async (deadline) => {
				signal.throwIfAborted();
				const result = await work(
					async ({ accountId }) => await openPbx(context, { accountId, deadline, signal }),
				);
				signal.throwIfAborted();
				return result;
			}),
	);
	return await attempting.catch((error: unknown) => {
		node.hasFailed = true;
		node.activation = undefined;
		throw error;
	});
}

/** n8n repeats a removal that throws; since ours never does, it repeats itself what may pass. */
const REMOVALS = 3;
const PAUSE_MS = 1_000;

async function removeWithRetries<D extends Desired>(
	context: IHookFunctions,
	setup: Setup<D>,
	side: Side,
	deadline: AbortSignal,
): Promise<void> {
	const desired = await setup.read(context, side === 'test');
	if (!desired) return;
	const pbx = await openPbx(context, { accountId: desired.accountId, deadline });
	const remove = async (removal: number): Promise<void> =>
		await setup.remove(pbx, desired, context).catch(async (error: unknown) => {
			if (removal === REMOVALS || deadline.aborted || !isTransientError(error)) throw error;
			await sleep(PAUSE_MS * removal);
			await remove(removal + 1);
		});
	await remove(1);
}

/** Makes n8n's webhook methods of a setup. */
export function hooksOf<D extends Desired>(setup: Setup<D>) {
	return {
		/** Tells whether all is in place; where no person waits, asks nobody and leaves all to the first check. */
		async checkExists(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const before = knownNode(context, side);
			const known = before && (before.activation ? 'active' : 'inactive');
			const node = enterNode(context, side);
			if (side === 'production' && isUnattended(context, known)) {
				node.activation = await setup.read(context, false).then(
					(desired): Activation<D> => ({ desired, isPending: true }),
					(error: unknown): Activation<D> => ({ error, isPending: true }),
				);
				return true;
			}
			return await attempt(context, node, async (open) => {
				const desired = await setup.read(context, side === 'test');
				await setup.validate(context, desired);
				const isDone = !desired || (await setup.isInPlace(await open(desired), desired, context));
				if (isDone) node.activation = { desired, isPending: false };
				return isDone;
			});
		},

		/** Sets the node up, or throws, on which n8n calls `delete`. */
		async create(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const node = enterNode(context, side);
			return await attempt(context, node, async (open) => {
				const desired = await setup.read(context, side === 'test');
				if (!desired) return true;
				const pbx = await open(desired);
				node.mayHaveLeft = true;
				await setup.create(pbx, desired, context);
				node.activation = { desired, isPending: false };
				return true;
			});
		},

		/** Takes away what the node has set up. Never throws: n8n's log says what stays. */
		async delete(context: IHookFunctions): Promise<boolean> {
			const side = sideOf(context);
			const node = enterNode(context, side);
			const isNothingThere = node.hasFailed && !node.mayHaveLeft;
			node.abort();
			if (isNothingThere || isServedByAnother(node)) return true;
			const deadline = removalDeadline(context, node.hasFailed);
			try {
				await node.runExclusive(
					async () => await removeWithRetries(context, setup, side, deadline),
					LOCK_MS,
				);
				node.mayHaveLeft = false;
				return true;
			} catch (error) {
				node.mayHaveLeft = true;
				context.logger.warn(
					`${logPrefix(context, setup.title)}: ${setup.leftovers} ${sentence(toNodeError(context, error).message)}`,
				);
				return false;
			}
		},
	};
}
