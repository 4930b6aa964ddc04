import type { Leak } from './secrets';
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
	try {
		await report(async (secrets) => await findLeaks(n8n.place.userFolder, secrets));
	} finally {
		await n8n.dispose();
	}
}

/**
 * Tells whether the secrets that the tests have used were found.
 *
 * @throws Error that names each place where a secret was found
 */
export async function report(
	find: (secrets: ReturnType<typeof readSecrets>) => Promise<Leak[]>,
): Promise<void> {
	const secrets = readSecrets(process.env.SHARED_N8N_SECRETS ?? '');
	const leaks = await find(secrets);
	if (leaks.length === 0) {
		console.log(`No trace of ${secrets.size} secrets in what n8n stored and printed`);
		return;
	}
	const lines = leaks.map(({ kind, place, around }) => `  ${kind} in ${place}: …${around}…`);
	throw new Error(`Secrets were found where they must not be:\n${lines.slice(0, 40).join('\n')}`);
}
