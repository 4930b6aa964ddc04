import type {
	ICredentialDataDecryptedObject,
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { hash, scrypt } from 'node:crypto';

import { CREDENTIAL } from '../../parameters/credential';
import { findTags, matchesSecret } from '../../pbx/events/webhookTag';
import { loginIdOf, readLogin } from '../../pbx/session/credential';
import { requestCheck } from '../runtime/checks';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { EventTriggerState } from './triggerState';
import { stateOf } from './triggerState';

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

const SECRET_BYTES = 32;

/**
 * Returns the secret that deliveries of this node's webhooks carry, in 64 hexadecimal digits. Derived from the
 * credential and the node, so every n8n process knows it. Throws NodeOperationError or AuthError if the credential
 * can't be read.
 */
export async function secretOf(context: Context): Promise<string> {
	const state = stateOf(context);
	return await secretFor(context, state, await context.getCredentials(CREDENTIAL));
}

async function secretFor(
	context: Context,
	state: EventTriggerState,
	data: ICredentialDataDecryptedObject,
): Promise<string> {
	const { login, password, realm } = readLogin(data);
	const source = hash('sha256', JSON.stringify([login, password, realm]));
	const known = state.secrets.knownFor(source);
	if (known !== undefined) return await known;
	const loginId = loginIdOf(data);
	state.enterAccount(loginId);
	const salt = JSON.stringify([login, realm, runtimeOf(context).identity]);
	return await state.secrets.take({ loginId, source }, async () => await derive(password, salt));
}

/** Returns a hash of the workflow and node that identifies a webhook's owner. */
export function ownerOf(context: Context): string {
	return hash('sha256', runtimeOf(context).identity).slice(0, 16);
}

/** Slow on purpose: a secret must not reveal the password. */
async function derive(password: string, salt: string): Promise<string> {
	return await new Promise((resolve, reject) => {
		scrypt(password, salt, SECRET_BYTES, (error, key) =>
			error ? reject(error) : resolve(key.toString('hex')),
		);
	});
}

/** Which parts of a delivery are authentic, and the credential, if it was needed to decide. */
export interface Verified {
	isAuthentic: boolean[];
	credential: ICredentialDataDecryptedObject | undefined;
}

/**
 * Returns which parts of a delivery contain this node's secret (§2.5), or one from an earlier password that this
 * process knows and that is still valid. A part with another secret triggers an immediate webhook check, if this
 * process runs the checks. Throws if a part has a tag and the credential can't be read.
 */
export async function areAuthentic(
	context: IWebhookFunctions,
	state: EventTriggerState,
	parts: readonly unknown[],
): Promise<Verified> {
	const given = parts.map((part) => findTags(part).map(({ secret }) => secret));
	if (given.every((secrets) => secrets.length === 0))
		return { isAuthentic: given.map(() => false), credential: undefined };
	const credential = await context.getCredentials(CREDENTIAL);
	const expected = await secretFor(context, state, credential);
	const isCurrent = given.map((candidates) => matchesSecret(candidates, expected));
	const { secrets } = state;
	if (context.getMode() !== 'manual') {
		if (isCurrent.includes(true)) secrets.retireFormer();
		const isForeign = given.some((candidates, at) => candidates.length > 0 && !isCurrent[at]);
		if (isForeign && secrets.raiseDoubt()) requestCheck(context);
	}
	const former = await secrets.stillValid();
	const isAuthentic = given.map(
		(candidates, at) =>
			isCurrent[at] === true || former.some((secret) => matchesSecret(candidates, secret)),
	);
	return { isAuthentic, credential };
}
