import { startCluster, startN8n } from '../n8n';
import type { N8nClient, N8nProcess } from '../n8n';
import { readStored, severDatabase } from './database';
import type { Database, Stored } from './database';
import type { Harm } from './harms';

/** How n8n runs: all in one process on SQLite, or in queue mode on PostgreSQL and Redis. */
export type Mode = 'regular' | 'queue';
export const MODES: readonly Mode[] = ['regular', 'queue'];

/** A running n8n of its own that can be harmed. */
export interface Rig {
	client: N8nClient;
	/** Every process of it; the first is the main one. */
	processes: N8nProcess[];
	/** Where production webhooks are called. */
	url: string;
	database: Database;
	harms: Harm[];
	/** What n8n has stored of executions. */
	stored(): Promise<Stored[]>;
	dispose(): Promise<void>;
}

/** Executions stay, whatever their number; the log stays small. */
const ENV = { EXECUTIONS_DATA_PRUNE: 'false', N8N_LOG_LEVEL: 'warn' };

/** Starts n8n; in queue mode with two webhook processes and two workers unless told otherwise. */
export async function startRig(
	mode: Mode,
	{ env = {}, webhooks = 2, workers = 2, concurrency = 10 }: RigOptions = {},
): Promise<Rig> {
	return mode === 'regular'
		? await startRegular({ ...ENV, ...env })
		: await startQueue({ env: { ...ENV, ...env }, webhooks, workers, concurrency });
}

/** What may differ. */
export interface RigOptions {
	env?: Record<string, string>;
	webhooks?: number;
	workers?: number;
	/** Executions that a worker runs at the same time. */
	concurrency?: number;
}

async function startRegular(env: Record<string, string>): Promise<Rig> {
	const n8n = await startN8n({ env });
	const database: Database = { kind: 'sqlite', userFolder: n8n.place.userFolder };
	return {
		client: await n8n.signIn(),
		processes: [n8n],
		url: n8n.url,
		database,
		harms: harmsOf('n8n', [n8n]),
		stored: async () => await readStored(database),
		dispose: async () => await n8n.dispose(),
	};
}

async function startQueue(options: Required<RigOptions>): Promise<Rig> {
	const cluster = await startCluster(options);
	const { main, webhooks, workers } = cluster;
	const database: Database = { kind: 'postgres', name: cluster.database };
	return {
		client: await main.signIn(),
		processes: [main, ...webhooks, ...workers],
		url: cluster.url,
		database,
		harms: [
			...harmsOf('main process', [main]),
			...harmsOf('webhook process', webhooks),
			...harmsOf('worker', workers),
			{
				name: 'every connection to the database cut',
				strike: async () => await severDatabase(database),
			},
		],
		stored: async () => await readStored(database),
		dispose: async () => await cluster.dispose(),
	};
}

function harmsOf(name: string, processes: N8nProcess[]): Harm[] {
	return processes.flatMap((one) => [
		{ name: `${name}: kill -9`, strike: async () => await one.restart('kill') },
		{ name: `${name}: stopped`, strike: async () => await one.restart('stop') },
	]);
}
