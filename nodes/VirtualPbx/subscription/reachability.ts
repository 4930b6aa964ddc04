import { reachOf } from '../values/reach';

/**
 * Tells why a PBX cannot call a webhook's URL, judged by the two addresses alone: a PBX on this machine or on the same
 * private network may well do so, one on the internet cannot.
 *
 * @param webhookUrl the URL that n8n has given to the trigger
 * @param baseUrl the PBX's address in the credential
 * @returns what to tell the user, or undefined where nothing speaks against it
 */
export function whyUnreachable(
	webhookUrl: string,
	baseUrl: string,
): { message: string; description: string } | undefined {
	if (!URL.canParse(webhookUrl) || !URL.canParse(baseUrl)) return undefined;
	const own = new URL(webhookUrl);
	const pbx = new URL(baseUrl);
	const reach = reachOf(own.hostname);
	const pbxReach = reachOf(pbx.hostname);
	const isFine = reach === 'public' || pbxReach === 'local' || own.hostname === pbx.hostname;
	if (isFine || (reach === 'private' && pbxReach === 'private')) return undefined;

	const where =
		reach === 'local' ? 'only this machine can reach it' : 'only its own network can reach it';
	return {
		message: `The PBX at ${pbx.host} cannot call this n8n at ${own.host}: ${where}`,
		description:
			'Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older n8n) to the public https address of this n8n and restart it. If the PBX can reach this address after all, switch on Skip URL Check under Options.',
	};
}
