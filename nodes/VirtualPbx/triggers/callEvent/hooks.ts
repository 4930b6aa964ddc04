import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readCredential } from '../../auth/credential';
import type { Budget } from '../../transport/limits';
import type { Pbx } from '../../transport/pbx';
import { openPbx } from '../../transport/pbx';
import { CREDENTIAL } from '../../transport/request';
import { whyUnreachable } from '../address';
import {
	activationBudget,
	beginActivation,
	deactivationBudget,
	hasTimeAtStart,
	isStart,
	isTest,
	noteTest,
	undoingBudget,
} from '../waiting';
import { addressOf, homeOf, inAccount, registrationOf } from './home';
import {
	isRegistered,
	isRepairable,
	mayBeRegistered,
	mayHaveRegistered,
	register,
	repair,
	unregister,
} from './registration/lifecycle';
import type { Failed } from './registration/observe';
import type { Registration } from './registration/reconcile';
import type { Earlier, Home } from './registration/state';
import { forgetSecret, readEarlier } from './registration/state';
import { sendSamples, wasSampling } from './sample';
import { isSampling, readSettings, refuseReserved } from './settings';
import type { Settings } from './settings';
import { sweepTestWebhooks, warn } from './sweep';
import { forgetActivation, noteActivation } from './watch';

/** One request that is lost must not take all the time that there is. */
const TRY_MS = 15_000;

const LEFTOVERS = 'use Webhook → Delete Leftovers of the Virtual PBX node';

/** A sentence of an error without its full stop, to be put into another text. */
const wordsOf = ({ message }: Error) => message.replace(/\.$/, '');

/**
 * n8n's `checkExists`: tells whether the webhooks of all chosen events are registered and healthy.
 * When n8n starts and the PBX cannot be asked, they are taken for registered: an error would make n8n stop listening.
 * What a slow PBX leaves no time to make right then is left to the first check, too.
 */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
	noteTest(this);
	const settings = readSettings(this);
	if (isSampling(this)) return false;
	if (!isStart(this)) {
		refuseReserved(this, settings);
		await refuseUnreachable(this, settings);
	}
	const data = this.getWorkflowStaticData('node');
	const registration = await registrationOf(this, settings);
	const isRepairedLater = isStart(this) && isRepairable(data, registration);
	const pbx = await open(this, beginActivation(this, isRepairedLater), registration.accountId);
	const earlier = readEarlier(data, registration);
	if (earlier && isOfOtherAccount(earlier, registration)) return false;
	const answer = await isRegistered(pbx, registration, data);
	if ('unknown' in answer) return goOnUnchecked(this, registration, settings, answer.unknown);

	const { registered: isChecked } = answer;
	const hasTime = !isRepairedLater || hasTimeAtStart(this);
	if (!isChecked && hasTime) return false;
	if (isStart(this) && hasTime) await sweepTestWebhooks(this, pbx, registration);
	noteActivation(this, registration, settings, { isChecked, isSwept: hasTime });
	return true;
}

function goOnUnchecked(
	context: IHookFunctions,
	registration: Registration,
	settings: Settings,
	failed: Failed,
): boolean {
	const data = context.getWorkflowStaticData('node');
	if (!isStart(context) || !mayBeRegistered(failed, data, registration)) throw failed.error;
	noteActivation(context, registration, settings, { isChecked: false, isSwept: false });
	warn(
		context,
		`the webhooks could not be checked, so the trigger continues with the registered ones. ${failed.error.message}`,
	);
	return true;
}

/**
 * n8n's `create`: makes the registration right, or throws and leaves nothing behind. At n8n's start a trigger that has
 * webhooks keeps those that are healthy, and the first check tries again and reports: an error would remove them.
 */
export async function create(this: IHookFunctions): Promise<boolean> {
	const settings = readSettings(this);
	if (isSampling(this)) {
		sendSamples(this, await homeOf(this), settings);
		return true;
	}
	await refuseUnreachable(this, settings);
	const registration = await registrationOf(this, settings);
	const { accountId } = registration;
	const data = this.getWorkflowStaticData('node');
	const budget = activationBudget(this);
	if (isStart(this) && isRepairable(data, registration)) {
		const failed = await repair(await open(this, budget, accountId), registration, data);
		noteActivation(this, registration, settings, { isChecked: !failed, isSwept: false });
		return true;
	}
	await leaveAccount(this, registration, readEarlier(data, registration), budget);
	const pbx = await open(this, budget, accountId);
	const undoing = async () => await open(this, undoingBudget(this), accountId);
	const earlier = await register({ pbx, undoing }, registration, data);
	if (earlier && !isOfOtherAccount(earlier, registration))
		warnOfEarlier(this, earlier, registration);
	noteActivation(this, registration, settings, { isChecked: true, isSwept: !isStart(this) });
	return true;
}

/**
 * n8n's `delete`: removes every webhook that calls this node, provided that this node has registered them.
 *
 * @returns false when some stay, which n8n's log then says; after a test they are removed at the next start
 */
export async function remove(this: IHookFunctions): Promise<boolean> {
	forgetActivation(this);
	const home = await homeOf(this);
	const data = this.getWorkflowStaticData('node');
	if (wasSampling(data, home.url)) return true;
	const earlier = readEarlier(data, home);
	const budget = deactivationBudget(this);
	if (earlier?.owner !== undefined && earlier.owner !== home.owner) warnOfLogin(this);
	await leaveAccount(this, home, earlier, budget);
	if (!mayHaveRegistered(home, data)) return true;

	const pbx = await open(this, budget, home.accountId);
	const failed = await unregister(pbx, home, data);
	if (!failed) {
		if (!isTest(this)) await sweepTestWebhooks(this, pbx, home);
		return true;
	}
	if (isTest(this)) forgetSecret(home.url);
	warn(
		this,
		`webhooks that call ${home.url} may still be registered at the PBX. ${wordsOf(failed.error)}. Publish and unpublish the workflow again to remove them, or ${LEFTOVERS}.`,
	);
	return false;
}

/**
 * Removes what this node has registered at its address in the account that it worked in before. Where that fails, it
 * is only logged: the new account does not need it.
 */
async function leaveAccount(
	context: IHookFunctions,
	home: Home,
	earlier: Earlier | undefined,
	budget: Budget,
): Promise<void> {
	if (!earlier || !isOfOtherAccount(earlier, home)) return;
	const { accountId } = earlier;
	const pbx = await open(context, budget, accountId);
	const data = context.getWorkflowStaticData('node');
	const failed = await unregister(pbx, { ...home, accountId }, data);
	if (!failed) return;
	const account = accountId === undefined ? "the login's own account" : `account ${accountId}`;
	warn(
		context,
		`webhooks that call ${home.url} stay in ${account}, which the trigger used before. ${wordsOf(failed.error)}. To clean up, ${LEFTOVERS}.`,
	);
}

function isOfOtherAccount({ url, owner, accountId }: Earlier, home: Home): boolean {
	return url === home.url && owner === home.owner && accountId !== home.accountId;
}

function warnOfEarlier(context: IHookFunctions, { url, owner }: Earlier, home: Home): void {
	if (owner !== undefined && owner !== home.owner) return warnOfLogin(context);
	warn(
		context,
		`webhooks that were registered at ${url ?? 'another address'} are left alone, because the PBX now calls this trigger at ${home.url}. If no n8n uses them anymore, ${LEFTOVERS}.`,
	);
}

function warnOfLogin(context: IHookFunctions): void {
	warn(
		context,
		'the credential now belongs to another login, so webhooks that the earlier one registered cannot be removed. Delete them at the PBX; their deliveries are refused.',
	);
}

async function open(
	context: IHookFunctions,
	budget: Budget,
	accountId: string | undefined,
): Promise<Pbx> {
	const pbx = inAccount(await openPbx(context, budget), accountId);
	return {
		...pbx,
		attempt: async (request) => await pbx.attempt({ timeoutMs: TRY_MS, ...request }),
	};
}

async function refuseUnreachable(context: IHookFunctions, settings: Settings): Promise<void> {
	if (settings.skipUrlCheck) return;
	const { baseUrl } = readCredential(await context.getCredentials(CREDENTIAL));
	const reason = whyUnreachable(addressOf(context), baseUrl);
	if (!reason) return;
	throw new NodeOperationError(context.getNode(), reason.message, {
		description: reason.description,
	});
}
