import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isDisabled } from '../../../events/health';
import { findSecrets, newSecret, MARK_NAME } from '../../../events/secret';
import type { PbxHook } from '../../../events/table';
import type { Pbx } from '../../../transport/pbx';
import { applyPlan } from './apply';
import { observe, sentMark, shownMark } from './observe';
import type { Failed, Known, Listed, Marks, OwnWebhook } from './observe';
import type { Plan, WantedWebhook } from './plan';
import { isSettled, makePlan, secretIn } from './plan';
import type { Home, State } from './state';
import { NO_STATE, knownState, noteSecret } from './state';

/** What is to be registered: one webhook per hook, all with one URL. */
export interface Registration extends Home {
	/** Each hook with the name of its webhook. */
	hooks: ReadonlyArray<{ hook: PbxHook; name: string }>;
	retries: number;
	/** The user's own; the secret is put beside it. */
	customData: IDataObject;
}

/** What is registered, and what leads from there to what should be. */
interface Inspection {
	isSettled: boolean;
	plan: Plan;
	webhooks: OwnWebhook[];
	/** Holds what is in order. */
	state: State;
	/** A new one where none is known. */
	secret: string;
}

/**
 * Compares what is registered with what should be. Reads only.
 *
 * @param listed the list of webhooks, where it was just read
 */
export async function inspect(
	pbx: Pbx,
	registration: Registration,
	data: IDataObject,
	listed?: Listed,
): Promise<Inspection | { unknown: Failed }> {
	const recorded = knownState(data, registration);
	const seen = await observe(pbx, marksOf(registration, recorded), listed);
	if (!seen.ok) return { unknown: seen };

	const { webhooks } = seen;
	const state = proven(recorded, webhooks);
	const known = state.secret ?? secretIn(webhooks);
	const secret = known ?? newSecret();
	const wanted = wantedOf(registration, secret);
	const plan = makePlan(wanted, webhooks, state);
	return {
		isSettled: known !== undefined && isSettled(plan),
		plan,
		webhooks,
		state: { ...state, secret, ...stateOf(state, wanted, plan) },
		secret,
	};
}

/** What is in order, as it is to be recorded: a check in an n8n that was stopped since may have made some of it. */
function stateOf(
	state: State,
	wanted: readonly WantedWebhook[],
	{ keep }: Plan,
): Pick<State, 'shown' | 'sent'> {
	const rows = keep.map(({ id, hook, doc }) => {
		const target = wanted.find((one) => one.hook === hook);
		return { id, shown: shownMark(doc), sent: target ? sentMark(target) : state.sent[id] };
	});
	return {
		shown: Object.fromEntries(rows.map(({ id, shown }) => [id, shown])),
		sent: Object.fromEntries(rows.map(({ id, sent }) => [id, sent ?? ''])),
	};
}

/** By what our webhooks are known; what may be someone else's record tells nothing. */
export function marksOf({ url }: Home, state: State): Marks {
	return { url, known: knownOf(state), secret: state.isUnproven ? undefined : state.secret };
}

/** The webhooks that we are known to have made at this address. */
export function knownOf({ isUnproven, shown }: State): Known {
	return isUnproven ? {} : shown;
}

/** A state of which it is not known whose it is holds only where a webhook at our address has its secret or ID. */
export function proven(state: State, webhooks: readonly OwnWebhook[]): State {
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
	const before = await observe(pbx, marksOf(registration, recorded));
	if (!before.ok) return before;

	const state = proven(recorded, before.webhooks);
	const secret = state.secret ?? secretIn(before.webhooks) ?? newSecret();
	noteSecret(url, secret, registration);
	const wanted = wantedOf(registration, secret);
	const plan = makePlan(wanted, before.webhooks, state);
	const failed = await applyPlan(pbx, plan, made);
	if (failed) return failed;

	const known = blank([...plan.keep.map(({ id }) => id), ...made]);
	const after = await observe(pbx, { url, known, secret });
	if (!after.ok) return after;
	const gone = plan.remove.map(({ id }) => id);
	const existing = after.webhooks.filter(({ id }) => !gone.includes(id));
	const result = settle(pbx, wanted, secret, existing);
	const hadOthers = state === NO_STATE && Object.keys(recorded.shown).length > 0;
	return 'state' in result && hadOthers ? { ...result, isForeign: true } : result;
}

/** Webhooks that are known by nothing but their ids. */
export function blank(ids: string[]): Known {
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
