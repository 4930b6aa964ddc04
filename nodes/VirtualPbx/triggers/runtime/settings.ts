import type {
	IDataObject,
	IHookFunctions,
	INode,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { readNumber } from '../../parameters/inputs';
import { messageOf } from '../../pbx/errors/meanings';
import { CREDENTIAL } from '../../parameters/credential';
import { countryOf } from '../../pbx/session/credential';
import { asText, isObject, isOn } from '../../util/json';
import type { Desired } from './managedResource';

/** The trigger's collection of options. */
export function optionsOf(context: IHookFunctions | IWebhookFunctions): IDataObject {
	const options: unknown = (context as IHookFunctions).getNodeParameter('options', {});
	return isObject(options) ? options : {};
}

/** The account to work in, from the trigger's options; undefined for the login's own. */
export function accountIn({ accountId }: IDataObject): string | undefined {
	return asText(asText(accountId)?.trim());
}

export const USUAL_CHECK_MINUTES = 5;

/** Reads how often an active trigger is checked; throws a NodeOperationError that names the option. */
export function readCheckSettings(
	context: { getNode(): INode },
	{ checkMinutes = USUAL_CHECK_MINUTES, startsErrorWorkflow = true }: IDataObject,
): Pick<Desired, 'checkMinutes' | 'startsErrorWorkflow'> {
	return {
		checkMinutes: readNumber({ context }, checkMinutes, 'Check Every', {
			least: 0,
			most: 1440,
			isWhole: true,
		}),
		startsErrorWorkflow: isOn(startsErrorWorkflow),
	};
}

/** The country of the credential, as an ISO code. One that cannot be read costs no event: numbers stay as they are. */
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
