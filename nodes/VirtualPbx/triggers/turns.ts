import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { activationOf, deactivationBudget, isStart, stopActivation } from './waiting';

/** What n8n did with one node at one address in this process. */
interface Place {
	/** Ends when all that changes something at the PBX has ended. */
	last: Promise<unknown>;
	/** How many of these have not ended. */
	changes: number;
	removals: number;
	/** Removals that have not ended. */
	removing: number;
	/** When the last removal ended, unless an activation has come since. */
	removedAt: number;
	/** A start that has just failed, by its static data. */
	failedStart: { at: number; activation: object } | undefined;
	/** Activations under way, by their static data. */
	activations: Set<object>;
}

type Method = (this: IHookFunctions) => Promise<boolean>;

const MAX_PLACES = 10_000;
/** A deactivation may wait 30 s in all; what is left is for the PBX. */
const TURN_MS = 11_000;
/** n8n's publishing of a new version comes from its removal to its check in a few milliseconds. */
const LINGER_MS = 500;
const SOON_MS = 2000;

const places = new Map<string, Place>();

/** By an activation's static data, which no other activation has: the removals when it began. */
const begun = new WeakMap<object, number>();

/**
 * Runs one of n8n's webhook methods so that the last wish of a user holds, whatever overlaps: n8n starts workflows and
 * publishes new versions while people deactivate them already. Creating and deleting go one after the other, and an
 * activation that was overtaken by a deactivation stops soon, fails no more, and creates nothing.
 *
 * @param step n8n's name of the method
 * @returns what the method returns; true for an activation that was overtaken
 * @throws what the method throws, unless it was overtaken
 */
export async function inTurn(
	context: IHookFunctions,
	step: 'checkExists' | 'create' | 'delete',
	method: Method,
): Promise<boolean> {
	const place = placeAt(placeKey(context));
	if (step === 'delete') return await remove(context, place, method);
	const activation = activationOf(context);
	if (step === 'checkExists') begun.set(activation, removalsBefore(context, place));
	const isOvertaken = () => (begun.get(activation) ?? place.removals) !== place.removals;
	if (isOvertaken()) return true;

	place.removedAt = 0;
	place.activations.add(activation);
	const act = async () => isOvertaken() || (await method.call(context));
	const acting = step === 'checkExists' ? act() : inLine(place, act);
	const isDone = await acting
		.catch((error: unknown) => {
			if (isOvertaken()) return true;
			if (isStart(context)) place.failedStart = { at: Date.now(), activation };
			throw error;
		})
		.finally(() => place.activations.delete(activation));
	return isDone || isOvertaken();
}

/**
 * n8n has waited for the removal that belongs to an activation. One that is still under way is a deactivation that came
 * after it, so the activation is overtaken from the start. In test mode n8n does not wait.
 */
function removalsBefore(context: IHookFunctions, place: Place): number {
	return context.getMode() === 'manual' ? place.removals : place.removals - place.removing;
}

/**
 * Runs a check of an active trigger in turn with n8n's webhook methods: it waits for those under way, and one that is
 * overtaken by a deactivation stops soon. What it has made by then the deactivation removes, which comes after it.
 *
 * @param key the trigger's place, see {@link placeKey}
 * @param check is given what its budget goes by, see `checkBudget`
 * @returns undefined where it was overtaken, whatever it came to
 * @throws what the check throws, unless it was overtaken
 */
export async function checkInTurn<T>(
	key: string,
	check: (turn: object) => Promise<T>,
): Promise<T | undefined> {
	const place = placeAt(key);
	const { removals } = place;
	const isOvertaken = () => place.removals !== removals;
	if (place.removing > 0) return undefined;
	const turn = {};
	place.activations.add(turn);
	const checking = inLine(place, async () => (isOvertaken() ? undefined : await check(turn)));
	const checked = await checking
		.catch((error: unknown) => {
			if (isOvertaken()) return undefined;
			throw error;
		})
		.finally(() => place.activations.delete(turn));
	return isOvertaken() ? undefined : checked;
}

async function remove(context: IHookFunctions, place: Place, method: Method): Promise<boolean> {
	deactivationBudget(context, justFailedStart(place));
	const isSecond = place.removing > 0 || Date.now() - place.removedAt < SOON_MS;
	place.removals++;
	place.removing++;
	for (const activation of place.activations) stopActivation(activation);
	try {
		return await inLine(place, async () => await method.call(context), TURN_MS);
	} finally {
		// Two removals on end: the first may belong to a new version, and n8n is about to check that one.
		if (isSecond && context.getMode() !== 'manual') await sleep(LINGER_MS);
		place.removing--;
		place.removedAt = Date.now();
	}
}

/** n8n removes at once what it has failed to bring up at its start, while all other workflows wait. */
function justFailedStart(place: Place): object | undefined {
	const { failedStart } = place;
	place.failedStart = undefined;
	return failedStart && Date.now() - failedStart.at < SOON_MS ? failedStart.activation : undefined;
}

/** Waits until all earlier changes have ended, or for some time, and makes later ones wait for all of them. */
async function inLine<T>(
	place: Place,
	change: () => Promise<T>,
	patienceMs = Infinity,
): Promise<T> {
	const before = place.last;
	const isFree = place.changes === 0;
	const work = async () => {
		if (!isFree)
			await (patienceMs === Infinity ? before : Promise.race([before, sleep(patienceMs)]));
		return await change();
	};
	place.changes++;
	const turn = work();
	place.last = Promise.allSettled([before, turn]).then(() => place.changes--);
	return await turn;
}

/** Identifies a node at an address of n8n, in this process. */
export function placeKey(context: IHookFunctions): string {
	const { id } = context.getWorkflow();
	return JSON.stringify([id, context.getNode().id, context.getNodeWebhookUrl('default')]);
}

function placeAt(key: string): Place {
	const place = places.get(key) ?? {
		last: Promise.resolve(),
		changes: 0,
		removals: 0,
		removing: 0,
		removedAt: 0,
		failedStart: undefined,
		activations: new Set(),
	};
	places.delete(key);
	places.set(key, place);
	for (const [oldest, { changes, removing, activations }] of places) {
		if (places.size <= MAX_PLACES || changes + removing + activations.size > 0) break;
		places.delete(oldest);
	}
	return place;
}
