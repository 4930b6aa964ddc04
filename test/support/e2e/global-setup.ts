import path from 'node:path';
import { ROOT, startN8n } from '../../../tools/n8n';
import type { N8nProcess } from '../../../tools/n8n';
import { shared } from './shared';

/** Starts the one n8n that all end-to-end tests share, once for a run of jest. */
export default async function globalSetup(): Promise<void> {
	keepCompiled();
	const n8n = await startN8n();
	shared.n8n = n8n;
	share(n8n.url, n8n);
}

/** Lets every n8n of the tests start with the code that an earlier one has compiled. */
export function keepCompiled(): void {
	process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, '.n8n', 'compiled');
}

/** Tells the tests, which run in other processes, where the shared n8n is. */
export function share(url: string, main: N8nProcess): void {
	const nodes = path.join(main.place.userFolder, '.n8n', 'nodes');
	process.env.SHARED_N8N_URL = url;
	process.env.SHARED_N8N_SECRETS = path.join(nodes, 'secrets-of-the-tests');
}
