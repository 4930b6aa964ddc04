import { documentOf } from '../../../transport/documents';
import { NOT_BEGUN } from '../../../transport/patience';
import { pause } from '../../../transport/retry';
import { mayPass } from '../../../transport/failure';
import type { Pbx } from '../../../transport/pbx';
import type { Failed, Marks } from './observe';
import { webhookId, observe, observeKnown } from './observe';
import type { Plan, WantedWebhook } from './plan';

const REMOVE_PASSES = 3;
const PASS_PAUSE_MS = 500;

/**
 * Carries a plan out (§4.4): new webhooks first, so that no event falls between, then away with the rest. Where the
 * PBX refuses a new webhook beside an old one, the old one goes first.
 *
 * @param made takes the ids of webhooks as they are made, also when it fails half-way
 * @returns the first failure; the caller rolls back
 */
export async function applyPlan(
	pbx: Pbx,
	{ create, remove }: Plan,
	made: string[],
): Promise<Failed | undefined> {
	let left = remove.map(({ id }) => id);
	for (const wanted of create) {
		let failed = await put(pbx, wanted, made);
		if (failed?.failure.kind === 'status' && left.length > 0 && isRefusal(failed)) {
			const stuck = await removeAll(pbx, left);
			if (stuck) return stuck;
			left = [];
			failed = await put(pbx, wanted, made);
		}
		if (failed) return failed;
	}
	return await removeAll(pbx, left);
}

/**
 * Removes webhooks by id; one that is gone already is fine.
 *
 * @returns the last failure, after having tried them all
 */
export async function removeAll(pbx: Pbx, ids: readonly string[]): Promise<Failed | undefined> {
	let failed: Failed | undefined;
	for (const id of ids) {
		const outcome = await pbx.attempt({ method: 'DELETE', path: ['webhooks', id] });
		if (!outcome.ok && outcome.failure.status !== 404) failed = outcome;
	}
	return failed;
}

/**
 * Removes everything that calls our URL, in several passes since a PBX may fail at times. What we made is tried even
 * when the list cannot be read.
 *
 * @returns the failure that stayed, or undefined when nothing is left
 */
export async function removeOwn(pbx: Pbx, marks: Marks): Promise<Failed | undefined> {
	let failed: Failed | undefined;
	for (let pass = 1; pass <= REMOVE_PASSES; pass++) {
		const seen = await observe(pbx, marks);
		failed = seen.ok
			? await removeAll(pbx, [...seen.webhooks.map(({ id }) => id), ...seen.doubtful])
			: ((await removeKnown(pbx, marks)) ?? seen);
		if (!failed || !mayPass(failed.failure) || failed.failure === NOT_BEGUN) return failed;
		if (pass < REMOVE_PASSES) await pause(PASS_PAUSE_MS * pass, pbx.signal);
	}
	return failed;
}

async function removeKnown(pbx: Pbx, marks: Marks): Promise<Failed | undefined> {
	const { ids, failed } = await observeKnown(pbx, marks);
	return (await removeAll(pbx, ids)) ?? failed;
}

function isRefusal(failed: Failed): boolean {
	const { status = 0 } = failed.failure;
	return status < 300 || (!mayPass(failed.failure) && status !== 401);
}

async function put(pbx: Pbx, wanted: WantedWebhook, made: string[]): Promise<Failed | undefined> {
	const outcome = await pbx.attempt({ method: 'PUT', path: ['webhooks'], data: wanted });
	if (!outcome.ok) return outcome;
	const id = webhookId(documentOf(outcome.body) ?? {});
	if (id !== '') made.push(id);
	return undefined;
}
