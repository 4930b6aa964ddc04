import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { withCleanups } from '../cleanups';
import { startN8n } from '../n8n';
import type { N8nClient } from '../n8n';

/** What most slices measure on: an n8n of its own, signed in, and a sandbox PBX. */
export interface Bed {
	sandbox: Sandbox;
	client: N8nClient;
}

/**
 * Starts a sandbox PBX and an n8n, hands them to `work`, and ends them, also where one could not start.
 *
 * @param env more environment of that n8n
 */
export async function withBed<T>(
	work: (bed: Bed) => Promise<T>,
	env: Record<string, string> = {},
): Promise<T> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const n8n = await startN8n({ env: { N8N_LOG_LEVEL: 'error', ...env } });
		later(async () => await n8n.dispose());
		return await work({ sandbox, client: await n8n.signIn() });
	});
}
