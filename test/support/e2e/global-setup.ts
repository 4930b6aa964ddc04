import path from 'node:path';
import { startN8n } from '../../../tools/n8n';
import { shared } from './shared';

/** Starts the one n8n that all end-to-end tests share, once for a run of jest. */
export default async function globalSetup(): Promise<void> {
	const n8n = await startN8n();
	shared.n8n = n8n;
	process.env.SHARED_N8N_URL = n8n.url;
	process.env.SHARED_N8N_SECRETS = path.join(
		n8n.place.userFolder,
		'.n8n',
		'nodes',
		'secrets-of-the-tests',
	);
}
