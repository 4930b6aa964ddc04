import type { IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { checkMinutes, startsErrorWorkflow } from '../../parameters/options';
import type { AddedValues } from '../../parameters/parameter';
import { messageOf } from '../../pbx/errors/meanings';
import { CREDENTIAL } from '../../parameters/credential';
import { countryOf } from '../../pbx/session/credential';
import type { Desired } from './managedResource';

/** How often a trigger is checked whose parameters cannot be read. */
export const USUAL_CHECK_MINUTES = checkMinutes.property.default as number;

/** Reads how often an active trigger is checked; throws a NodeOperationError that names the option. */
export function readCheckSettings(
	options: AddedValues,
): Pick<Desired, 'checkMinutes' | 'startsErrorWorkflow'> {
	return {
		checkMinutes: checkMinutes.read(options),
		startsErrorWorkflow: startsErrorWorkflow.read(options),
	};
}

/** Returns the country of the credential, as an ISO code. One that cannot be read costs no event: numbers stay as they are. */
export async function countryFor(
	context: IWebhookFunctions | IPollFunctions,
): Promise<string | undefined> {
	if (!context.getNode().credentials?.[CREDENTIAL]) return undefined;
	try {
		return countryOf(await context.getCredentials(CREDENTIAL));
	} catch (error) {
		context.logger.warn(
			`${context.getNode().name}: numbers stay as they are, because the credential cannot be read. ${messageOf(error)}`,
		);
		return undefined;
	}
}
