import { urlOfDatabase } from '../../../tools/n8n';
import { report } from '../e2e/global-teardown';
import { findLeaks, findLeaksInPostgres } from '../e2e/secrets';
import { shared } from '../e2e/shared';

/** As for the other end-to-end tests, with the folders of all processes and the database. */
export default async function globalTeardown(): Promise<void> {
	const { cluster } = shared;
	if (!cluster) return;
	const { main, webhooks, workers } = cluster;
	const processes = [main, ...webhooks, ...workers];
	await Promise.all(processes.map(async (one) => await one.stop()));
	try {
		await report(async (secrets) => {
			const folders = processes.map(
				async ({ place }) => await findLeaks(place.userFolder, secrets),
			);
			const stored = findLeaksInPostgres(urlOfDatabase(cluster.database), secrets);
			return (await Promise.all([stored, ...folders])).flat();
		});
	} finally {
		await cluster.dispose();
	}
}
