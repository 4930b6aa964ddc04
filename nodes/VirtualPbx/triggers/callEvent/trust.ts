import type { IWebhookFunctions } from 'n8n-workflow';

import { findSecrets, isSecret, isSecretKey, matchesSecret } from '../../events/secret';
import type { Pbx } from '../../transport/pbx';
import { openPbx } from '../../transport/pbx';
import { inAccount, placeOf } from './home';
import { observe } from './registration/observe';
import { secretIn } from './registration/plan';
import type { Home } from './registration/state';
import { notedSecret, noteSecret, readState } from './registration/state';

/**
 * Tells which parts of a delivery come from our webhooks: those with the secret that we registered (§2.5).
 *
 * @param parts the events, or the body as it is where it cannot be taken apart
 * @param around the object around the events
 * @returns for each part whether it is to be trusted
 * @throws NodeOperationError when the trigger's address cannot be told
 */
export async function trustEach(
	context: IWebhookFunctions,
	{ parts, around }: { parts: readonly unknown[]; around?: unknown },
): Promise<boolean[]> {
	const place = registeredPlace(context);
	const beside = [...findSecrets(around), ...secretsBeside(context)];
	const given = parts.map((part) => [...findSecrets(part), ...beside]);
	const judge = () => {
		const valid = validSecrets(context, place);
		return given.map((secrets) => matchesSecret(secrets, valid));
	};
	const verdicts = judge();
	const isPossible = given.some((secrets, index) => !verdicts[index] && secrets.some(isSecret));
	if (!isPossible) return verdicts;

	await askPbx(context, place);
	return judge();
}

/** In test mode n8n gives the production URL to whoever takes a delivery, and static data made for the test alone. */
function registeredPlace(context: IWebhookFunctions): Home {
	const place = placeOf(context);
	const { url } = context.getWorkflowStaticData('node');
	return context.getMode() === 'manual' && typeof url === 'string' ? { ...place, url } : place;
}

function validSecrets(context: IWebhookFunctions, place: Home): string[] {
	const { secret } = readState(context.getWorkflowStaticData('node'), place);
	return [secret, notedSecret(place.url)].filter((value) => value !== undefined);
}

async function askPbx(context: IWebhookFunctions, { url, accountId }: Home): Promise<void> {
	try {
		await recoverSecret(url, async () => inAccount(await openPbx(context), accountId));
	} catch (error) {
		const words = error instanceof Error ? error.message : 'unknown reason';
		context.logger.warn(`Virtual PBX Trigger: could not ask the PBX for the secret. ${words}`);
	}
}

/** Secrets in the query or in a header. */
function secretsBeside(context: IWebhookFunctions): string[] {
	const places = [context.getQueryData(), context.getHeaderData()] as Array<
		Record<string, unknown> | undefined
	>;
	return places.flatMap((place) =>
		Object.entries(place ?? {}).flatMap(([name, value]) =>
			isSecretKey(name) && typeof value === 'string' ? [value] : [],
		),
	);
}

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
	const seen = await observe(await open(), { url, known: {} });
	const secret = seen.ok ? secretIn(seen.webhooks) : undefined;
	if (isSecret(secret)) noteSecret(url, secret);
}
