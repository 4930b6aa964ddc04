import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { startBalancer } from './balancer';
import type { Role } from './environment';
import { createN8n, startN8n } from './n8n-process';
import type { N8nProcess } from './n8n-process';
import { makeStores } from './stores';

/** How n8n runs: all in one process on SQLite, or in queue mode on PostgreSQL and Redis. */
export const MODES = ['regular', 'queue'] as const;
export type Mode = (typeof MODES)[number];

/** The number of processes in queue mode; one of each by default. */
export interface ClusterOptions {
	webhooks?: number;
	workers?: number;
	/** Additional environment of every process. */
	env?: Record<string, string>;
}

/** n8n in one or more processes, each of which can be stopped, killed, and started separately. */
export interface Cluster {
	/** The URL of editor and webhooks; in queue mode, the load balancer's. */
	url: string;
	/** The SQLite file, or the URL of the PostgreSQL database. */
	database: string;
	main: N8nProcess;
	webhooks: N8nProcess[];
	workers: N8nProcess[];
	/** Stops everything and removes all stored data. */
	dispose(): Promise<void>;
}

/** Starts n8n in a mode. If a part doesn't start, cleans up and throws. */
export async function startInMode(mode: Mode, options: ClusterOptions = {}): Promise<Cluster> {
	if (mode === 'queue') return await startCluster(options);
	const main = await startN8n({ env: options.env ?? {} });
	const database = path.join(main.place.userFolder, '.n8n', 'database.sqlite');
	const dispose = async () => await main.dispose();
	return { url: main.url, database, main, webhooks: [], workers: [], dispose };
}

/**
 * Starts n8n in queue mode: a main process, webhook processes, and workers behind a load balancer,
 * with their own database and Redis prefixes. If a part doesn't start, cleans up and throws.
 */
async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
	const stores = await makeStores();
	const balancer = await startBalancer();
	const env = {
		...stores.env,
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: randomUUID(),
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
		...options.env,
	};
	const made: N8nProcess[] = [];
	const make = async (role: Role) => {
		const one = await createN8n({ env, role, webhookUrl: `${balancer.url}/` });
		made.push(one);
		return one;
	};
	const several = async (role: Role, count = 1) =>
		await Promise.all(Array.from({ length: count }, async () => await make(role)));
	const dispose = async () => {
		await Promise.all(made.map(async (one) => await one.dispose()));
		await balancer.close();
		await stores.dispose();
	};
	try {
		const main = await make('main');
		// The main process migrates the database, which the others need.
		await main.start();
		const webhooks = await several('webhook', options.webhooks);
		const workers = await several('worker', options.workers);
		await Promise.all([...webhooks, ...workers].map(async (one) => await one.start()));
		balancer.targets.main = main.url;
		balancer.targets.webhooks = webhooks.map(({ url }) => url);
		const { database } = stores;
		return { url: balancer.url, database, main, webhooks, workers, dispose };
	} catch (error) {
		await dispose();
		throw error;
	}
}
