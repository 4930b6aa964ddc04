import type { IHookFunctions, IPollFunctions } from 'n8n-workflow';

import type { Budget } from '../transport/budget';

/** n8n starts workflows one after another, so what one trigger waits, all others wait. */
const START_MS = 10_000;
/** A person looks at the screen. */
const ACTIVATION_MS = 60_000;
const DEACTIVATION_MS = 30_000;

/** Activations that nobody looks at: n8n's start, and another process taking over. */
const STARTS: readonly string[] = ['init', 'leadershipChange'];

/** Tells whether n8n activates the workflow by itself, without a person who waits and reads messages. */
export function isStart(context: IHookFunctions | IPollFunctions): boolean {
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

/** How long `checkExists` and the `create` that may follow it may wait for the PBX together; `checkExists` begins it. */
export function beginActivation(context: IHookFunctions): Budget {
	const budget = isStart(context) ? startBudget() : personBudget();
	activations.set(context.getWorkflowStaticData('node'), budget);
	return budget;
}

/** What is left for `create` of the budget that `checkExists` has begun. */
export function activationBudget(context: IHookFunctions): Budget {
	return activations.get(context.getWorkflowStaticData('node')) ?? beginActivation(context);
}

/** How long a trigger may wait at n8n's start, where one that found a dead PBX speaks for all with its credential. */
export function startBudget(): Budget {
	return { until: Date.now() + START_MS, sharesOutages: true };
}

/** How long n8n's `delete` may wait for the PBX. */
export function deactivationBudget(): Budget {
	return { until: Date.now() + DEACTIVATION_MS };
}
