import { isSecret } from '../events/secret';
import type { Pbx } from '../transport/pbx';
import { observe } from './observe';
import { secretIn } from './plan';
import { noteSecret } from './recent';

const PAUSE_MS = 30_000;
const MAX_URLS = 10_000;

/** By URL: when the PBX was last asked, and the question. */
const asked = new Map<string, { at: number; answer: Promise<void> }>();

/**
 * Asks the PBX which secret our webhooks carry, for when this process does not know it: static data were lost, or
 * another process has registered just now. At most once in 30 seconds and URL, so that forged deliveries cannot make
 * us press the PBX.
 *
 * @param open opens the PBX; not called when it was asked a moment ago
 * @throws NodeOperationError when the node has no credential
 */
export async function recoverSecret(
	url: string,
	open: () => Promise<Pbx>,
	now = Date.now(),
): Promise<void> {
	const last = asked.get(url);
	if (last && now - last.at < PAUSE_MS) return await last.answer;
	const answer = ask(url, open);
	asked.delete(url);
	asked.set(url, { at: now, answer });
	const oldest = asked.keys().next().value;
	if (asked.size > MAX_URLS && oldest !== undefined) asked.delete(oldest);
	await answer;
}

async function ask(url: string, open: () => Promise<Pbx>): Promise<void> {
	const seen = await observe(await open(), url, {});
	const secret = seen.ok ? secretIn(seen.webhooks) : undefined;
	if (isSecret(secret)) noteSecret(url, secret);
}
