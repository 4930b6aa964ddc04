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

/** How many processes queue mode has, one of each by default, and additional environment of all. */
interface ClusterOptions {
	webhooks?: number;
	workers?: number;
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

/** Starts a main process, webhook processes, and workers behind a load balancer, with stores of their own. */
async function startCluster({ webhooks = 1, workers = 1, env: more }: ClusterOptions) {
	const stores = await makeStores();
	const balancer = await startBalancer();
	const env = {
		...stores.env,
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: randomUUID(),
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
		...more,
	};
	const made: N8nProcess[] = [];
	const make = async (role: Role) => {
		const one = await createN8n({ env, role, webhookUrl: `${balancer.url}/` });
		made.push(one);
		return one;
	};
	const several = async (role: Role, length: number) =>
		await Promise.all(Array.from({ length }, async () => await make(role)));
	const dispose = async () => {
		await Promise.all(made.map(async (one) => await one.dispose()));
		await balancer.close();
		await stores.dispose();
	};
	try {
		const main = await make('main');
		// The main process migrates the database, which the others need.
		await main.start();
		const others = {
			webhooks: await several('webhook', webhooks),
			workers: await several('worker', workers),
		};
		await Promise.all(Object.values(others).flatMap((all) => all.map((one) => one.start())));
		balancer.targets.main = main.url;
		balancer.targets.webhooks = others.webhooks.map(({ url }) => url);
		return { url: balancer.url, database: stores.database, main, ...others, dispose };
	} catch (error) {
		await dispose();
		throw error;
	}
}
