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
import { nodeRuntimes, runtimeOf } from './nodeRuntime';

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

/** If n8n is killed while publishing, it finishes when its lease of 128 s expires, with the mode `update`. */
const LEASE_MS = 150_000;

/** When n8n loaded this package. Tests override it. */
export const loaded = { at: Date.now() };

/** Returns whether n8n activates a node without a user. Then, nothing may throw. */
export function isStart(context: Context): boolean {
	return START_MODES.includes(context.getActivationMode());
}

/**
 * Returns whether n8n publishes a node by itself, so that no one reads errors. Judged by its mode and what is known of
 * the node here.
 */
export function isUnattended(context: Context, known: 'active' | 'inactive' | undefined): boolean {
	if (isStart(context)) return true;
	if (context.getActivationMode() !== 'update') return false;
	return known === 'active' || (known === undefined && Date.now() - loaded.at < LEASE_MS);
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

/** n8n reports a publication that it resumes after a kill as complete, so its first check can't wait a minute. */
const RESUME_SECONDS = 4;

/**
 * Returns when an active node ticks, as cron expressions: every minute, soon after n8n's start but not all nodes at
 * once, and every few seconds until the first check of a resumed publication.
 */
export function tickTimes(context: ITriggerFunctions): {
	minute: CronExpression;
	resumed?: CronExpression;
} {
	const soon = SOONEST_SECONDS + Math.floor(SPREAD_SECONDS * Math.random());
	const second = isStart(context)
		? (new Date().getSeconds() + soon) % SECONDS
		: Math.floor(Math.random() * SECONDS);
	const minute = `${second} * * * * *` as const;
	if (isStart(context) || !isUnattended(context, undefined)) return { minute };
	return { minute, resumed: `*/${RESUME_SECONDS} * * * * *` };
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
 * Runs one try of a user's publication. All tries share one deadline, and a permanent error is rethrown without
 * another request. Throws NodeApiError or NodeOperationError whose message includes the remedy.
 */
export async function inPublication<T>(
	context: IHookFunctions | ITriggerFunctions,
	work: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
	const attempts = (publicationOf(context).attempts ??= {
		deadline: AbortSignal.timeout(PUBLICATION_MS),
		undone: AbortSignal.timeout(UNDONE_MS),
	});
	if (attempts.permanentError) throw attempts.permanentError;
	try {
		return await work(attempts.deadline);
	} catch (error) {
		const shown = withRemedy(context, error);
		if (!isTransientError(error)) attempts.permanentError = shown;
		throw shown;
	}
}

/** The time limit of all removals of a deactivation. n8n's older way calls them in sequence. */
const TEARDOWN_MS = 28_000;

/** Returns the deadline shared by all removals of one deactivation, or of a publication's failed tries. */
export function removalDeadline(context: IHookFunctions, isUndoing: boolean): AbortSignal {
	const own = publicationOf(context);
	if (isUndoing && own.attempts) return own.attempts.undone;
	const staticData = context.getWorkflowStaticData('global');
	const ofWorkflow = nodeRuntimes.values().map(({ publications }) => publications.get(staticData));
	const begun = ofWorkflow.find((publication) => publication?.teardown)?.teardown;
	return (own.teardown ??= begun ?? AbortSignal.timeout(TEARDOWN_MS));
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
