import type {
	CronExpression,
	IHookFunctions,
	ITriggerFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import { PbxError } from '../../pbx/errors/pbxError';
import type { Publication, Side } from './nodeRuntime';
import { runtimeOf } from './nodeRuntime';

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
export function isUnattended(context: Context, isUnpublished: boolean): boolean {
	return isStart(context) || (context.getActivationMode() === 'update' && !isUnpublished);
}

/** Returns the side that n8n calls a hook for. Only the address shows that a `delete` ends a test. */
export function sideOf(context: IHookFunctions): Side {
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
export function removalDeadline(context: IHookFunctions, isUndoing: boolean): AbortSignal {
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
