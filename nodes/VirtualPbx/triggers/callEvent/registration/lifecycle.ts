import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isDisabled } from '../../../events/health';
import { findSecrets, newSecret, MARK_NAME } from '../../../events/secret';
import type { PbxHook } from '../../../events/table';
import { mayPass } from '../../../transport/failure';
import type { Pbx } from '../../../transport/pbx';
import { applyPlan, removeOwn } from './apply';
import { sentMark, shownMark, observe } from './observe';
import type { Failed, Known, OwnWebhook } from './observe';
import type { Plan, WantedWebhook } from './plan';
import { isSettled, makePlan, secretIn } from './plan';
import {
	forgetSecret,
	holds,
	isHeldByAnother,
	noteSecret,
	clearState,
	isRecorded,
	NO_STATE,
	readEarlier,
	readState,
	writeState,
} from './state';
import type { Earlier, Home, State } from './state';

/** What is to be registered: one webhook per hook, all with one URL. */
export interface Registration extends Home {
	/** Each hook with the name of its webhook. */
	hooks: ReadonlyArray<{ hook: PbxHook; name: string }>;
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
	registration: Registration,
	data: IDataObject,
): Promise<{ registered: boolean } | { unknown: Failed }> {
	const recorded = readState(data, registration);
	const seen = await inspect(pbx, registration, data);
	if ('unknown' in seen) return seen;
	const { isSettled: registered, state, secret } = seen;
	if (!registered) return { registered };
	noteSecret(registration.url, secret, registration);
	if (recorded.isUnproven || state.secret !== secret)
		writeState(data, registration, { ...state, secret });
	return { registered };
}

/** What is registered, and what leads from there to what should be. */
interface Inspection {
	isSettled: boolean;
	plan: Plan;
	webhooks: OwnWebhook[];
	state: State;
	/** A new one where none is known. */
	secret: string;
}

/** Compares what is registered with what should be. Reads only. */
export async function inspect(
	pbx: Pbx,
	registration: Registration,
	data: IDataObject,
): Promise<Inspection | { unknown: Failed }> {
	const recorded = readState(data, registration);
	const seen = await observe(pbx, registration.url, knownOf(recorded));
	if (!seen.ok) return { unknown: seen };

	const { webhooks } = seen;
	const state = proven(recorded, webhooks);
	const known = state.secret ?? secretIn(webhooks);
	const secret = known ?? newSecret();
	const plan = makePlan(wantedOf(registration, secret), webhooks, state);
	return { isSettled: known !== undefined && isSettled(plan), plan, webhooks, state, secret };
}

/**
 * Registers: after it exactly one healthy webhook per hook calls our URL, and all carry the secret in `data`.
 * Webhooks of other addresses are never touched. What fails half-way is rolled back.
 *
 * @param undoing the PBX for rolling back, which must be possible when there is no time left
 * @returns a registration that this node has recorded elsewhere, and that stays there
 * @throws NodeApiError with the PBX's words; NodeOperationError when the PBX does not keep what it has taken
 */
export async function register(
	{ pbx, undoing }: { pbx: Pbx; undoing: () => Promise<Pbx> },
	registration: Registration,
	data: IDataObject,
): Promise<Earlier | undefined> {
	const { url } = registration;
	const recorded = readState(data, registration);
	const made: string[] = [];
	const result = await reconcile(pbx, registration, recorded, made);
	if ('state' in result) {
		const earlier = result.isForeign ? { ...NOWHERE } : readEarlier(data, registration);
		writeState(data, registration, result.state);
		return earlier;
	}
	const left = await removeOwn(await undoing(), url, { ...knownOf(recorded), ...blank(made) });
	if (!left) {
		if (isRecorded(data, registration)) clearState(data);
		forgetSecret(url);
	}
	throw result.error;
}

/**
 * Removes every webhook that calls our URL, also without static data, provided that this node has registered there:
 * n8n asks for it at its start for a workflow whose path belongs to another one, too.
 *
 * @returns the failure that stayed; `data` then keeps what is needed to try again
 */
export async function unregister(
	pbx: Pbx,
	home: Home,
	data: IDataObject,
): Promise<Failed | undefined> {
	const { url } = home;
	const recorded = readState(data, home);
	if (recorded.isUnproven && !holds(url, home)) {
		const seen = await observe(pbx, url, {});
		if (!seen.ok) return seen;
		if (proven(recorded, seen.webhooks) === NO_STATE) return undefined;
	}
	const failed = await removeOwn(pbx, url, knownOf(recorded));
	if (failed) return failed;
	if (isRecorded(data, home)) clearState(data);
	forgetSecret(url);
	return undefined;
}

/** Tells whether this node may have webhooks at its address: it has recorded, registered or checked them. */
export function mayHaveRegistered(home: Home, data: IDataObject): boolean {
	if (isHeldByAnother(home.url, home)) return false;
	return holds(home.url, home) || isRecorded(data, home);
}

/**
 * Tells whether a failed check leaves it open that all is well, so that the trigger had better go on listening; then
 * its registration counts as checked.
 */
export function mayBeRegistered(failed: Failed, data: IDataObject, home: Home): boolean {
	const { secret, isUnproven } = readState(data, home);
	if (!mayPass(failed.failure) || secret === undefined) return false;
	if (!isUnproven) noteSecret(home.url, secret, home);
	return true;
}

/** Where a registration of an earlier version of this package stands, which is not at our address. */
const NOWHERE: Earlier = { url: undefined, owner: undefined, accountId: undefined };

/** The webhooks that we are known to have made at this address. */
export function knownOf({ isUnproven, shown }: State): Known {
	return isUnproven ? {} : shown;
}

/** A state of which it is not known whose it is holds only where a webhook at our address has its secret or ID. */
function proven(state: State, webhooks: readonly OwnWebhook[]): State {
	if (!state.isUnproven) return state;
	const isOurs = webhooks.some(
		({ id, doc }) =>
			Object.hasOwn(state.shown, id) ||
			(state.secret !== undefined && findSecrets(doc.custom_data).includes(state.secret)),
	);
	return isOurs ? { ...state, isUnproven: false } : NO_STATE;
}

/** What stands at the PBX now, or why it is not as it should be: a request failed, or the PBX does not keep it. */
type Reconciled = { state: State; isForeign?: boolean } | Failed | { error: NodeOperationError };

/**
 * Makes the registration right, and nothing is taken back where that fails.
 *
 * @param made takes the ids of webhooks as they are made
 */
export async function reconcile(
	pbx: Pbx,
	registration: Registration,
	recorded: State,
	made: string[],
): Promise<Reconciled> {
	const { url } = registration;
	const before = await observe(pbx, url, knownOf(recorded));
	if (!before.ok) return before;

	const state = proven(recorded, before.webhooks);
	const secret = state.secret ?? secretIn(before.webhooks) ?? newSecret();
	noteSecret(url, secret, registration);
	const wanted = wantedOf(registration, secret);
	const plan = makePlan(wanted, before.webhooks, state);
	const failed = await applyPlan(pbx, plan, made);
	if (failed) return failed;

	const after = await observe(pbx, url, blank([...plan.keep.map(({ id }) => id), ...made]));
	if (!after.ok) return after;
	const gone = plan.remove.map(({ id }) => id);
	const existing = after.webhooks.filter(({ id }) => !gone.includes(id));
	const result = settle(pbx, wanted, secret, existing);
	const hadOthers = state === NO_STATE && Object.keys(recorded.shown).length > 0;
	return 'state' in result && hadOthers ? { ...result, isForeign: true } : result;
}

/** Webhooks that are known by nothing but their ids. */
function blank(ids: string[]): Known {
	return Object.fromEntries(ids.map((id) => [id, '']));
}

/** Checks what the PBX shows after the writing, and notes how it shows it. */
function settle(
	pbx: Pbx,
	wanted: WantedWebhook[],
	secret: string,
	existing: OwnWebhook[],
): Reconciled {
	const state: State = { secret, shown: {}, sent: {} };
	for (const target of wanted) {
		const webhook = existing.find(({ hook, doc }) => hook === target.hook && !isDisabled(doc));
		if (!webhook) return { error: notKept(pbx, target, existing) };
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
			? `The PBX has disabled the webhook "${name}"${why}`
			: `The PBX has accepted the webhook "${name}", but does not list it`,
		{
			description:
				'Nothing was left registered. Try again, or ask your PBX provider for the webhooks of this account.',
		},
	);
}

function wantedOf(
	{ url, hooks, retries, customData }: Registration,
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
