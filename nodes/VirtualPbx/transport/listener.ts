import type { IExecuteFunctions } from 'n8n-workflow';

const TIMEOUT_MS = 5_000;
const NOT_FOUND = 404;

/**
 * Asks an address of this n8n whether a workflow listens there, by a delivery that is none: a trigger refuses it, and
 * starts nothing.
 *
 * @returns undefined where n8n cannot call the address itself
 */
export async function isListenedTo(
	{ helpers }: IExecuteFunctions,
	url: string,
): Promise<boolean | undefined> {
	try {
		const { statusCode } = (await helpers.httpRequest({
			method: 'POST',
			url,
			body: {},
			json: true,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			timeout: TIMEOUT_MS,
		})) as { statusCode: number };
		return statusCode !== NOT_FOUND;
	} catch {
		return undefined;
	}
}
