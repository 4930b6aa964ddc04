import { findLeaks, readSecrets } from './secrets';
import { shared } from './shared';

/**
 * Stops the shared n8n, looks for secrets in all that it has stored and printed, and removes its folder.
 *
 * @throws Error that names each place where a secret was found, which fails the run
 */
export default async function globalTeardown(): Promise<void> {
	const { n8n } = shared;
	if (!n8n) return;
	await n8n.stop();
	const secrets = readSecrets(process.env.SHARED_N8N_SECRETS ?? '');
	try {
		const leaks = await findLeaks(n8n.place.userFolder, secrets);
		if (leaks.length > 0) throw new Error(reportOf(leaks));
		console.log(`No trace of ${secrets.size} secrets in what n8n stored and printed`);
	} finally {
		await n8n.dispose();
	}
}

function reportOf(leaks: Awaited<ReturnType<typeof findLeaks>>): string {
	const lines = leaks.map(({ kind, place, around }) => `  ${kind} in ${place}: …${around}…`);
	return `Secrets were found where they must not be:\n${lines.slice(0, 40).join('\n')}`;
}
