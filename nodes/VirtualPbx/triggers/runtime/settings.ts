import type { IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { checkMinutes, startsErrorWorkflow } from '../../parameters/options';
import type { AddedValues } from '../../parameters/parameter';
import { messageOf } from '../../pbx/errors/meanings';
import { CREDENTIAL } from '../../parameters/credential';
import type { CredentialData } from '../../pbx/session/credential';
import { countryOf } from '../../pbx/session/credential';
import type { Desired } from './managedResource';

/** How often to check a trigger whose parameters can't be read. */
export const USUAL_CHECK_MINUTES = checkMinutes.property.default as number;

/** Reads how often to check an active trigger. Throws NodeOperationError naming the option. */
export function readCheckSettings(
	options: AddedValues,
): Pick<Desired, 'checkMinutes' | 'startsErrorWorkflow'> {
	return {
		checkMinutes: checkMinutes.read(options),
		startsErrorWorkflow: startsErrorWorkflow.read(options),
	};
}

/** Returns the credential's country as an ISO code. */
export async function countryFor(
	context: IWebhookFunctions | IPollFunctions,
): Promise<string | undefined> {
	return countryOf((await credentialFor(context)) ?? {});
}

/**
 * Returns the node's credential; undefined if it has none, or if it can't be read: then no event or call is lost, but
 * numbers stay unchanged.
 */
export async function credentialFor(
	context: IWebhookFunctions | IPollFunctions,
): Promise<CredentialData | undefined> {
	if (!context.getNode().credentials?.[CREDENTIAL]) return undefined;
	try {
		return await context.getCredentials<CredentialData>(CREDENTIAL);
	} catch (error) {
		context.logger.warn(
			`${context.getNode().name}: numbers stay as they are, because the credential can't be read. ${messageOf(error)}`,
		);
		return undefined;
	}
}
