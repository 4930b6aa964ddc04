import path from 'node:path';
import type { Config } from 'jest';
import { NO_EDITOR, ROOT, startInMode } from '../../../tools/n8n';
import { IS_RELEASE } from '../release';
import { shared } from './shared';

/** The projects whose tests don't open the editor. */
const HEADLESS = ['older', 'kazoo'];

/**
 * Starts the n8n instance that all tests of a project share, once per run of jest. For `queue`, in
 * queue mode, which only a release needs. The tests run in other processes and read its address from
 * the environment.
 */
export default async function globalSetup(
	_config: Config,
	{ displayName }: { displayName: { name: string } },
): Promise<void> {
	// Lets every n8n instance of the tests start with code compiled by an earlier one.
	process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, '.n8n', 'compiled');
	const mode = displayName.name === 'queue' ? 'queue' : 'regular';
	process.env.SHARED_N8N_MODE = mode;
	if (mode === 'queue' && !IS_RELEASE) return;
	const env = HEADLESS.includes(displayName.name) ? NO_EDITOR : {};
	const n8n = await startInMode(mode, { webhooks: 2, workers: 2, env });
	shared.n8n = n8n;
	process.env.SHARED_N8N_URL = n8n.url;
	process.env.SHARED_N8N_SECRETS = path.join(n8n.main.place.userFolder, '.n8n/nodes/secrets');
}
