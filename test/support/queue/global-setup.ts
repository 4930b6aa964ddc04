import { startCluster } from '../../../tools/n8n';
import { keepCompiled, share } from '../e2e/global-setup';
import { shared } from '../e2e/shared';

/** Starts the one n8n in queue mode that all queue tests share: two webhook processes and two workers. */
export default async function globalSetup(): Promise<void> {
	keepCompiled();
	const cluster = await startCluster({ webhooks: 2, workers: 2 });
	shared.cluster = cluster;
	share(cluster.url, cluster.main);
	process.env.SHARED_N8N_WEBHOOKS = cluster.webhooks.map(({ url }) => url).join(' ');
}
