import { startInMode } from '../../../tools/n8n';
import type { Cluster } from '../../../tools/n8n';

/** Starts an n8n of a test's own, which may be stopped and killed, in the mode of the shared one. */
export async function startOwnN8n(): Promise<Cluster> {
	return await startInMode(process.env.SHARED_N8N_WEBHOOKS ? 'queue' : 'regular');
}
