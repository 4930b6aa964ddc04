import { N8nClient, queryRows, sql, startInMode } from '../n8n';
import type { Mode, N8nProcess } from '../n8n';

/** A stored execution. */
export interface Stored {
	id: string;
	/** `webhook` if a delivery started it, `trigger` if a poll did. */
	mode: string;
	status: string;
	/** The `Msg-ID`s and call IDs in its data. */
	ids: string[];
}

/** A running n8n instance, with faults to inject. Each includes the recovery. */
export type Rig = Awaited<ReturnType<typeof startRig>>;

/** Starts n8n, which keeps all executions. Queue mode has two webhook processes and two workers. */
export async function startRig(mode: Mode, more: Record<string, string> = {}) {
	const began = Date.now();
	const env = { EXECUTIONS_DATA_PRUNE: 'false', N8N_LOG_LEVEL: 'warn', ...more };
	const cluster = await startInMode(mode, { env, webhooks: 2, workers: 2 });
	const startSeconds = (Date.now() - began) / 1000;
	const { main, webhooks, workers, database } = cluster;
	const kinds = mode === 'queue' ? [[main], webhooks, workers] : [[main]];
	const kills = kinds.map((processes) => restartsOf(processes, 'kill'));
	const stops = kinds.map((processes) => restartsOf(processes, 'stop'));
	const cuts = mode === 'queue' ? [async () => await cutConnections(database)] : [];
	return {
		...cluster,
		client: await N8nClient.signIn(cluster.url),
		startSeconds,
		kills,
		faults: [...kills, ...stops, ...cuts],
		stored: async (workflowId: string) => await readStored(database, workflowId),
	};
}

/** Returns a fault that affects one process after the other. */
function restartsOf(processes: N8nProcess[], how: 'kill' | 'stop') {
	let turn = 0;
	return async () => await processes[turn++ % processes.length]?.restart(how);
}

/** Cuts all other connections to a PostgreSQL database, as a failover would. */
async function cutConnections(database: string): Promise<void> {
	const others = 'datname = current_database() AND pid <> pg_backend_pid()';
	await sql(database, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
}

/** Reads every stored execution of a workflow. */
async function readStored(database: string, workflowId: string): Promise<Stored[]> {
	const stored: Stored[] = [];
	const tables = 'execution_entity e LEFT JOIN execution_data d ON d."executionId" = e.id';
	const statement = `SELECT e.id, e.mode, e.status, d.data FROM ${tables} WHERE e."workflowId" = '${workflowId}' ORDER BY e.id`;
	for await (const [, { data, id, ...row }] of queryRows(database, [statement])) {
		const ids = [...new Set(String(data).match(/\b[0-9a-f]{32}\b/g))];
		stored.push({ ...(row as Pick<Stored, 'mode' | 'status'>), id: String(id), ids });
	}
	return stored;
}
