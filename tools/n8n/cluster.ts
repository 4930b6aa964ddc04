import { randomUUID } from 'node:crypto';
import { startBalancer } from './balancer';
import type { Balancer } from './balancer';
import { createN8n } from './n8n-process';
import type { N8nProcess } from './n8n-process';
import { makeStores } from './stores';

/** How many processes to start; one of each by default. */
export interface ClusterOptions {
	webhooks?: number;
	workers?: number;
	/** Executions that a worker runs at the same time. */
	concurrency?: number;
	/** Further environment of every process. */
	env?: Record<string, string>;
}

/** An n8n in queue mode. Each process can be stopped, killed and started by itself. */
export interface Cluster {
	/** The load balancer's address, which is also registered with the PBX. */
	url: string;
	/** The name of its database. */
	database: string;
	main: N8nProcess;
	webhooks: N8nProcess[];
	workers: N8nProcess[];
	balancer: Balancer;
	/** Stops everything; drops the database, the Redis keys and the folders. */
	dispose(): Promise<void>;
}

/**
 * Starts n8n in queue mode: a main process, webhook processes and workers on a database and Redis prefixes of
 * their own, behind a load balancer. Throws, with nothing left behind, when a part does not start.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
	const { webhooks = 1, workers = 1, concurrency = 10 } = options;
	const stores = await makeStores();
	const balancer = await startBalancer();
	const env = {
		...stores.env,
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: randomUUID(),
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		...options.env,
	};
	const common = { env, webhookUrl: `${balancer.url}/` };
	const made: N8nProcess[] = [];
	const make = async (role: 'main' | 'webhook' | 'worker', args: string[] = []) => {
		const one = await createN8n({ ...common, role, args });
		made.push(one);
		return one;
	};
	const dispose = async () => {
		await Promise.all(made.map(async (one) => await one.dispose()));
		await balancer.close();
		await stores.dispose();
	};
	try {
		// The main process brings the database up to date; the others need it so.
		const main = await make('main');
		await main.start();
		const takers = await inTurn(webhooks, async () => await make('webhook'));
		const runners = await inTurn(
			workers,
			async () => await make('worker', [`--concurrency=${concurrency}`]),
		);
		await Promise.all([...takers, ...runners].map(async (one) => await one.start()));
		balancer.targets.main = main.url;
		balancer.targets.webhooks = takers.map(({ url }) => url);
		const { database } = stores;
		return {
			url: balancer.url,
			database,
			main,
			webhooks: takers,
			workers: runners,
			balancer,
			dispose,
		};
	} catch (error) {
		await dispose();
		throw error;
	}
}

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
	const all: T[] = [];
	while (all.length < count) all.push(await make());
	return all;
}
