import { createHash, createHmac, scrypt } from 'node:crypto';
import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Login } from '../../auth/credential';
import { readLogin } from '../../auth/credential';
import { findMarks, matchesSecret } from '../../events/secret';
import { CREDENTIAL } from '../../transport/request';
import { LruMap } from '../../values/lruMap';

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

const KEY_BYTES = 32;
const MAX_KEYS = 200;

/** By login data: the key of which the secrets of all its webhooks are made. Slow to make, so that no secret tells the password. */
const keys = new LruMap<string, Promise<Buffer>>(MAX_KEYS);

/**
 * The secret that deliveries of this node's webhooks carry, in 64 hexadecimal digits. It follows from the credential and
 * the node, so every process of n8n knows it. Throws a NodeOperationError or PbxRefusal when the credential cannot be read.
 */
export async function secretOf(context: Context): Promise<string> {
	const key = await keyOf(readLogin(await context.getCredentials(CREDENTIAL)));
	return createHmac('sha256', key).update(identityOf(context)).digest('hex');
}

/** A hash of the workflow and the node, by which a webhook says whose it is. */
export function ownerOf(context: Context): string {
	return createHash('sha256').update(identityOf(context)).digest('hex').slice(0, 16);
}

function identityOf(context: Context): string {
	return JSON.stringify([context.getWorkflow().id ?? '', context.getNode().id]);
}

async function keyOf({ login, password, realm }: Login): Promise<Buffer> {
	const name = createHash('sha256')
		.update(JSON.stringify([login, password, realm]))
		.digest('hex');
	const key = keys.get(name) ?? keys.set(name, derive(password, JSON.stringify([login, realm])));
	return await key.catch((error: unknown) => {
		keys.delete(name);
		throw error;
	});
}

async function derive(password: string, salt: string): Promise<Buffer> {
	return await new Promise((resolve, reject) => {
		scrypt(password, salt, KEY_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
	});
}

/** Tells which parts of a delivery hold this node's secret (§2.5). Throws where one looks so and the credential is unreadable. */
export async function areAuthentic(
	context: IWebhookFunctions,
	parts: readonly unknown[],
): Promise<boolean[]> {
	const given = parts.map((part) => findMarks(part).map(({ secret }) => secret));
	if (given.every((secrets) => secrets.length === 0)) return given.map(() => false);
	const expected = await secretOf(context);
	return given.map((secrets) => matchesSecret(secrets, expected));
}
