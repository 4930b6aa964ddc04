import type { IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { countryOf } from '../auth/credential';
import { CREDENTIAL } from '../transport/request';

/**
 * Tells the country of the credential. Nothing is kept between two deliveries, so a change counts
 * at once. A credential that cannot be read costs no event: its numbers stay as they are.
 *
 * @returns an ISO code; undefined where numbers stay as they are
 */
export async function countryFor(
	context: IWebhookFunctions | IPollFunctions,
): Promise<string | undefined> {
	if (!context.getNode().credentials?.[CREDENTIAL]) return undefined;
	try {
		return countryOf(await context.getCredentials(CREDENTIAL));
	} catch (error) {
		const words = error instanceof Error ? error.message : 'unknown reason';
		context.logger.warn(
			`${context.getNode().name}: numbers stay as they are, because the credential cannot be read. ${words}`,
		);
		return undefined;
	}
}
