import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { newSecret, MARK_NAME } from '../events/secret';
import type { HookName } from '../events/table';
import { mayPass } from '../transport/failure';
import type { Pbx } from '../transport/pbx';
import { applyPlan, removeOwn } from './apply';
import { sentMark, shownMark } from './marks';
import type { Failed, Known, OwnWebhook } from './observe';
import { observe } from './observe';
import type { WantedWebhook } from './plan';
import { isDisabled, isSettled, makePlan, secretIn } from './plan';
import { forgetSecret, noteSecret } from './recent';
import type { State } from './state';
import { clearState, readState, writeState } from './state';

/** What is to be registered: one webhook per hook, all with one URL. */
export interface Subscription {
	url: string;
	/** A mark of the PBX login that registers. */
	owner: string;
	/** Each hook with the name of its webhook. */
	hooks: ReadonlyArray<{ hook: HookName; name: string }>;
	retries: number;
	/** The user's own; the secret is put beside it. */
	customData: IDataObject;
}

/**
 * Tells whether everything is registered as it should be. Reads only; what is off is left to {@link register}.
 *
 * @param data the node's static data; takes a secret that was lost and found again
 * @returns `unknown` with the failure when the PBX cannot be asked
 */
export async function isRegistered(
	pbx: Pbx,
	subscription: Subscription,
	data: IDataObject,
): Promise<{ registered: boolean } | { unknown: Failed }> {
	const state = readState(data, subscription.owner);
	const seen = await observe(pbx, subscription.url, state.shown);
	if (!seen.ok) return { unknown: seen };

	const secret = state.secret ?? secretIn(seen.webhooks);
	if (secret === undefined) return { registered: false };
	const plan = makePlan(wantedOf(subscription, secret), seen.webhooks, state);
	if (!isSettled(plan)) return { registered: false };
	noteSecret(subscription.url, secret);
	if (state.secret !== secret) writeState(data, { ...state, secret });
	return { registered: true };
}

/**
 * Registers: after it exactly one healthy webhook per hook calls our URL, and all carry the secret in `data`.
 * Foreign webhooks are never touched. What fails half-way is rolled back.
 *
 * @throws NodeApiError with the PBX's words; NodeOperationError when the PBX does not keep what it has taken
 */
export async function register(
	pbx: Pbx,
	subscription: Subscription,
	data: IDataObject,
): Promise<void> {
	const state = readState(data, subscription.owner);
	const made: string[] = [];
	const result = await reconcile(pbx, subscription, state, made);
	if ('state' in result) {
		writeState(data, result.state);
		return;
	}
	const { url } = subscription;
	const left = await removeOwn(pbx, url, { ...state.shown, ...blank(made) });
	if (left) writeState(data, { ...state, secret: undefined });
	else clearState(data);
	forgetSecret(url);
	throw result.error;
}

/**
 * Removes every webhook that calls our URL; works without static data.
 *
 * @returns the failure that stayed; `data` then keeps what is needed to try again
 */
export async function unregister(
	pbx: Pbx,
	{ url, owner }: Pick<Subscription, 'url' | 'owner'>,
	data: IDataObject,
): Promise<Failed | undefined> {
	const failed = await removeOwn(pbx, url, readState(data, owner).shown);
	if (failed) return failed;
	clearState(data);
	forgetSecret(url);
	return undefined;
}

/** Tells whether a failed check leaves it open that all is well, so that the trigger had better go on listening. */
export function mayBeRegistered(failed: Failed, data: IDataObject, owner: string): boolean {
	return mayPass(failed.failure) && readState(data, owner).secret !== undefined;
}

type Result = { state: State } | { error: Failed['error'] | NodeOperationError };

async function reconcile(
	pbx: Pbx,
	subscription: Subscription,
	state: State,
	made: string[],
): Promise<Result> {
	const { url } = subscription;
	const before = await observe(pbx, url, state.shown);
	if (!before.ok) return before;

	const secret = state.secret ?? secretIn(before.webhooks) ?? newSecret();
	noteSecret(url, secret);
	const wanted = wantedOf(subscription, secret);
	const plan = makePlan(wanted, before.webhooks, state);
	const failed = await applyPlan(pbx, plan, made);
	if (failed) return failed;

	const after = await observe(pbx, url, blank([...plan.keep.map(({ id }) => id), ...made]));
	if (!after.ok) return after;
	const gone = plan.remove.map(({ id }) => id);
	return settle(pbx, wanted, {
		owner: state.owner,
		secret,
		existing: after.webhooks.filter(({ id }) => !gone.includes(id)),
	});
}

/** Webhooks that are known by nothing but their ids. */
function blank(ids: string[]): Known {
	return Object.fromEntries(ids.map((id) => [id, '']));
}

/** Checks what the PBX shows after the writing, and notes how it shows it. */
function settle(
	pbx: Pbx,
	wanted: WantedWebhook[],
	seen: { owner: string | undefined; secret: string; existing: OwnWebhook[] },
): Result {
	const state: State = { owner: seen.owner, secret: seen.secret, shown: {}, sent: {} };
	for (const target of wanted) {
		const webhook = seen.existing.find(({ hook, doc }) => hook === target.hook && !isDisabled(doc));
		if (!webhook) return { error: notKept(pbx, target, seen.existing) };
		state.shown[webhook.id] = shownMark(webhook.doc);
		state.sent[webhook.id] = sentMark(target);
	}
	return { state };
}

function notKept(
	pbx: Pbx,
	{ name, hook }: WantedWebhook,
	existing: OwnWebhook[],
): NodeOperationError {
	const found = existing.find((webhook) => webhook.hook === hook);
	const reason = found?.doc.disable_reason;
	const why = typeof reason === 'string' && reason !== '' ? ` (${reason.slice(0, 200)})` : '';
	return new NodeOperationError(
		pbx.node,
		found
			? `The PBX has switched the webhook "${name}" off${why}`
			: `The PBX has accepted the webhook "${name}", but does not list it`,
		{
			description:
				'Nothing was left registered. Try again, or ask your PBX provider for the webhooks of this account.',
		},
	);
}

function wantedOf(
	{ url, hooks, retries, customData }: Subscription,
	secret: string,
): WantedWebhook[] {
	return hooks.map(({ hook, name }) => ({
		name,
		uri: url,
		http_verb: 'post',
		hook,
		retries,
		custom_data: { ...customData, [MARK_NAME]: secret },
	}));
}
