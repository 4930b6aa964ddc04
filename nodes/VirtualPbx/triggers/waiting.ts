import type { IHookFunctions, IPollFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Budget } from '../transport/limits';
import { timeLeft } from '../transport/limits';

/** n8n starts workflows one after another, so what one trigger waits, all others wait: 10 s with what comes around. */
const START_MS = 9_000;
/** Where a check comes soon after the start. */
const START_BEFORE_CHECK_MS = 3_000;
/** What a repair takes of a PBX that answers fast. */
const START_REPAIR_MS = 2_000;
/** A person looks at the screen. */
const ACTIVATION_MS = 60_000;
/** 30 s with what comes around. */
const DEACTIVATION_MS = 28_000;
/** To take back what an activation has half made, when there is no time left for the activation itself. */
const UNDOING_MS = 10_000;
/** For the answer to a request that is under way when its activation is overtaken: it may make something. */
const LAST_ANSWER_MS = 10_000;
/** Nobody waits for a check; the next one comes soon. */
const CHECK_MS = 60_000;
/** As long as an outage is remembered. */
const RETRY_MS = 60_000;
const MAX_STARTS = 10_000;

/** Activations that nobody looks at: n8n's start, and another process taking over. */
const STARTS: readonly string[] = ['init', 'leadershipChange'];

/** Tells whether n8n activates the workflow by itself, without a person who waits and reads messages. */
export function isStart(context: IHookFunctions | IPollFunctions | ITriggerFunctions): boolean {
	return STARTS.includes(context.getActivationMode());
}

/** By an activation's static data, which no other activation has. */
const activations = new WeakMap<object, Budget>();

/** Polling nodes whose first poll at n8n's start is over: n8n calls all later polls of that activation a start, too. */
const startedPolls = new Set<string>();
const polledActivations = new WeakSet<object>();
const MAX_PLACES = 10_000;

/**
 * Tells who waits for this poll, if anyone: n8n awaits the first one of an activation, at its start or after this process
 * took over from another with all further workflows behind it. To be asked once per poll.
 *
 * @param place identifies the node in this process
 */
export function whoWaits(context: IPollFunctions, place: string): 'start' | 'person' | undefined {
	const activation = context.getWorkflowStaticData('global');
	const isLater = polledActivations.has(activation);
	polledActivations.add(activation);
	if (!isStart(context)) return isLater ? undefined : 'person';

	const wasStarted = context.getActivationMode() === 'init' && startedPolls.has(place);
	if (startedPolls.size >= MAX_PLACES) startedPolls.clear();
	startedPolls.add(place);
	return isLater || wasStarted ? undefined : 'start';
}

/** How long a trigger may wait for the PBX while a person waits for it. */
export function personBudget(): Budget {
	return { until: Date.now() + ACTIVATION_MS };
}

/**
 * How long `checkExists` and the `create` that may follow it may wait for the PBX together; `checkExists` begins it.
 *
 * @param isCheckedSoon whether what n8n's start cannot do in a moment is done by a check soon after it
 */
export function beginActivation(context: IHookFunctions, isCheckedSoon = false): Budget {
	const budget = isStart(context)
		? { ...startBudget(isCheckedSoon), sharesOutages: !isRetry(context) }
		: personBudget();
	activations.set(activationOf(context), budget);
	return budget;
}

/** By node: when n8n last began to bring it up by itself. */
const starts = new Map<string, number>();

/** n8n tries again soon what it could not start; nothing waits for that, so the PBX is asked anew. */
function isRetry(context: IHookFunctions, now = Date.now()): boolean {
	const url = context.getNodeWebhookUrl('default');
	const key = JSON.stringify([context.getWorkflow().id, context.getNode().id, url]);
	const last = starts.get(key) ?? -Infinity;
	if (starts.size >= MAX_STARTS) starts.clear();
	starts.set(key, now);
	return now - last < RETRY_MS;
}

/** What is left for `create` of the budget that `checkExists` has begun. */
export function activationBudget(context: IHookFunctions): Budget {
	return activations.get(activationOf(context)) ?? beginActivation(context);
}

/** Tells whether enough is left of that budget for n8n's start to make right what a check would make right soon after it. */
export function hasTimeAtStart(context: IHookFunctions): boolean {
	return timeLeft(activationBudget(context)) >= START_REPAIR_MS;
}

/** How long taking back a failed activation may wait: at n8n's start no longer than the activation itself could. */
export function undoingBudget(context: IHookFunctions): Budget {
	const { until } = activationBudget(context);
	return { until: isStart(context) ? until : Math.max(until, Date.now() + UNDOING_MS) };
}

/** The one activation that a webhook method works for: n8n makes a workflow's static data anew for each. */
export function activationOf(context: IHookFunctions): object {
	return context.getWorkflowStaticData('node');
}

/** How long a check of an active trigger may wait for the PBX; `stopActivation` ends it, too. */
export function checkBudget(turn: object): Budget {
	const budget = { until: Date.now() + CHECK_MS };
	activations.set(turn, budget);
	return budget;
}

/** Makes an activation, or a check, that a deactivation has overtaken stop soon: only the request under way may still end. */
export function stopActivation(activation: object): void {
	const budget = activations.get(activation);
	if (!budget) return;
	budget.isClosed = true;
	budget.until = Math.min(budget.until, Date.now() + LAST_ANSWER_MS);
}

/** How long a trigger may wait at n8n's start, where one that found a dead PBX speaks for all with its credential. */
export function startBudget(isCheckedSoon = false): Budget {
	const patience = isCheckedSoon ? START_BEFORE_CHECK_MS : START_MS;
	return { until: Date.now() + patience, sharesOutages: true };
}

/** By what all nodes of one deactivation have in common. */
const deactivations = new WeakMap<object, Budget>();

/**
 * How long n8n's `delete` may wait for the PBX. The triggers of one workflow share it, since n8n deactivates them one
 * after another.
 *
 * @param activation a start that has just failed: what it takes to undo it is part of its time
 */
export function deactivationBudget(context?: IHookFunctions, activation?: object): Budget {
	const shared = context?.getWorkflowStaticData('global');
	const known = shared && deactivations.get(shared);
	if (known) return known;
	const started = activation && activations.get(activation);
	const budget = { until: started?.until ?? Date.now() + DEACTIVATION_MS };
	if (shared) deactivations.set(shared, budget);
	return budget;
}

const testUrls = new Set<string | undefined>();

/** Notes that the node's URL is one for test events, which n8n tells only while the listening begins. */
export function noteTest(context: IHookFunctions): void {
	if (context.getMode() === 'manual') testUrls.add(context.getNodeWebhookUrl('default'));
}

/**
 * Tells whether a webhook method works for test events. To throw at the end of the listening would be a disaster then:
 * n8n 2.39 would keep what it can store nowhere, and refuse every later listening, of any workflow, until it restarts.
 */
export function isTest(context: IHookFunctions): boolean {
	return testUrls.has(context.getNodeWebhookUrl('default'));
}
