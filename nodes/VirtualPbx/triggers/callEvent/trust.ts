import type { IWebhookFunctions } from 'n8n-workflow';

import type { Refusal } from '../../events/body';
import { findSecrets, isSecret, isSecretKey, matchesSecret } from '../../events/secret';
import { notedSecret } from '../../subscription/recent';
import { recoverSecret } from '../../subscription/recover';
import { readState } from '../../subscription/state';
import { openPbx } from '../../transport/pbx';

const MISSING =
	'The delivery carries no secret. Either it is forged, or this PBX does not put the custom_data of a webhook into its events: then switch off Verify Deliveries in the n8n trigger';
const WRONG =
	'The delivery carries a wrong secret. If it comes from your PBX, deactivate and activate the workflow in n8n';

/**
 * Tells which events of a delivery are not from our webhooks: those without the secret that we registered (§2.5).
 *
 * @param delivery the events and what is around them, as {@link readEntries} gives them
 * @returns for each event why it is refused with 401, or undefined where it is trusted
 */
export async function distrust(
	context: IWebhookFunctions,
	{ entries, around }: { entries: readonly unknown[]; around: unknown },
): Promise<Array<Refusal | undefined>> {
	const beside = [...findSecrets(around), ...secretsBeside(context)];
	const given = entries.map((entry) => [...findSecrets(entry), ...beside]);
	const verdicts = given.map((secrets) => verdict(secrets, validSecrets(context)));
	const isPossible = given.some((secrets, index) => verdicts[index] && secrets.some(isSecret));
	if (!isPossible) return verdicts;

	await askPbx(context);
	return given.map((secrets) => verdict(secrets, validSecrets(context)));
}

function verdict(given: string[], valid: string[]): Refusal | undefined {
	if (matchesSecret(given, valid)) return undefined;
	return { status: 401, reason: given.length === 0 ? MISSING : WRONG };
}

function validSecrets(context: IWebhookFunctions): string[] {
	const { secret } = readState(context.getWorkflowStaticData('node'));
	return [secret, notedSecret(urlOf(context))].filter((value) => value !== undefined);
}

async function askPbx(context: IWebhookFunctions): Promise<void> {
	try {
		await recoverSecret(urlOf(context), async () => await openPbx(context));
	} catch (error) {
		const words = error instanceof Error ? error.message : 'unknown reason';
		context.logger.warn(`Virtual PBX Trigger: the PBX cannot be asked for the secret. ${words}`);
	}
}

function urlOf(context: IWebhookFunctions): string {
	return context.getNodeWebhookUrl('default') ?? '';
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
