import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';
import { findSecrets, isSecret, MARK_NAME } from './secret';

const NAME = 'N8N_PING';
const MAX_NONCE = 100;

/**
 * The body by which a trigger calls its own address, in the form of a delivery (§6).
 *
 * @param secret the one that the webhooks carry
 * @param nonce a text that was never sent before
 */
export function pingBody(secret: string, nonce: string): IDataObject {
	return { name: NAME, args: { nonce, [MARK_NAME]: secret } };
}

/**
 * The answer to a delivery that is a ping; undefined for any other. It holds no secret, and proves that whoever answers
 * has read this very ping.
 */
export function pongFor(entries: readonly unknown[]): IDataObject | undefined {
	const [ping] = entries;
	if (entries.length !== 1 || !isObject(ping) || ping.name !== NAME || !isObject(ping.args))
		return undefined;
	const { nonce } = ping.args;
	const secret = findSecrets(ping.args).find(isSecret);
	if (secret === undefined || typeof nonce !== 'string' || nonce.length > MAX_NONCE)
		return undefined;
	return { status: 'pong', proof: proofOf(secret, nonce) };
}

/** Tells whether an answer is that of the trigger to this very ping. */
export function isPong(body: unknown, secret: string, nonce: string): boolean {
	return isObject(body) && body.proof === proofOf(secret, nonce);
}

function proofOf(secret: string, nonce: string): string {
	return createHmac('sha256', secret).update(nonce).digest('hex');
}
