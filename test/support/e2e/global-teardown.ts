import { findLeaks, findLeaksInDatabase, readSecrets } from './secrets';
import { shared } from './shared';

/**
 * Stops the shared n8n, looks for secrets in all that it has stored and printed, and removes its folders.
 *
 * @throws Error that names each place where a secret was found, which fails the run
 */
export default async function globalTeardown(): Promise<void> {
	const { n8n } = shared;
	if (!n8n) return;
	const processes = [n8n.main, ...n8n.webhooks, ...n8n.workers];
	await Promise.all(processes.map(async (one) => await one.stop()));
	try {
		const secrets = readSecrets(process.env.SHARED_N8N_SECRETS ?? '');
		const folders = processes.map(async ({ place }) => await findLeaks(place.userFolder, secrets));
		// Asking the database makes files beside it, which come and go.
		const leaks = (await Promise.all(folders)).flat();
		leaks.push(...(await findLeaksInDatabase(n8n.database, secrets)));
		const lines = leaks.map(({ kind, place, around }) => `  ${kind} in ${place}: …${around}…`);
		if (lines.length > 0)
			throw new Error(
				`Secrets were found where they must not be:\n${lines.slice(0, 40).join('\n')}`,
			);
		console.log(`No trace of ${secrets.size} secrets in what n8n stored and printed`);
	} finally {
		await n8n.dispose();
	}
}
