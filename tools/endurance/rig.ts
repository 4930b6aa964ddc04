import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { N8nClient, queryRows, sql, startInMode } from '../n8n';
import type { Cluster, Mode, N8nProcess } from '../n8n';

const EXECUTIONS =
	'SELECT e.id, e."workflowId", e.mode, e.status, d.data FROM execution_entity e LEFT JOIN execution_data d ON d."executionId" = e.id ORDER BY e.id';

/** A stored execution. */
export interface Stored {
	id: string;
	workflowId: string;
	/** `webhook` if a delivery started it, `trigger` if a poll did. */
	mode: string;
	status: string;
	/** The `Msg-ID`s and call IDs in its data. */
	ids: string[];
}

/** A running n8n instance, with faults to inject. */
export interface Rig extends Cluster {
	client: N8nClient;
	/** The duration of its start. */
	startSeconds: number;
	/** Faults by name. Each includes the recovery. */
	faults: Record<string, () => Promise<void>>;
	/** Reads every stored execution of a workflow. */
	stored(workflowId: string): Promise<Stored[]>;
}

/** Keeps all executions, and limits the log. */
const ENV = { EXECUTIONS_DATA_PRUNE: 'false', N8N_LOG_LEVEL: 'warn' };

/** Starts n8n. Queue mode has two webhook processes and two workers. */
export async function startRig(mode: Mode, more: Record<string, string> = {}): Promise<Rig> {
	const began = Date.now();
	const env = { ...ENV, ...more };
	const cluster = await startInMode(mode, { env, webhooks: 2, workers: 2 });
	const startSeconds = (Date.now() - began) / 1000;
	const { main, webhooks, workers, database } = cluster;
	const faults =
		mode === 'regular'
			? faultsOf('n8n', [main])
			: {
					...faultsOf('main process', [main]),
					...faultsOf('webhook process', webhooks),
					...faultsOf('worker', workers),
					'every connection to the database cut': async () => await cutConnections(database),
				};
	return {
		...cluster,
		client: await N8nClient.signIn(cluster.url),
		startSeconds,
		faults,
		stored: async (workflowId) =>
			(await readStored(database)).filter((one) => one.workflowId === workflowId),
	};
}

function faultsOf(name: string, processes: N8nProcess[]): Rig['faults'] {
	let turn = 0;
	const restart = async (how: 'kill' | 'stop') =>
		await processes[turn++ % processes.length]?.restart(how);
	return {
		[`${name}: kill -9`]: async () => await restart('kill'),
		[`${name}: stopped`]: async () => await restart('stop'),
	};
}

/** Cuts all other connections to a PostgreSQL database, as a failover would. */
async function cutConnections(database: string): Promise<void> {
	const others = 'datname = current_database() AND pid <> pg_backend_pid()';
	await sql(database, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
}

async function readStored(database: string): Promise<Stored[]> {
	const stored: Stored[] = [];
	for await (const [, { data, ...row }] of queryRows(database, [EXECUTIONS])) {
		const ids = [...new Set(String(data).match(/\b[0-9a-f]{32}\b/g))];
		stored.push({ ...(row as Omit<Stored, 'ids'>), id: String(row.id), ids });
	}
	return stored;
}

/** When to inject faults. */
export interface FaultPlan {
	/** Makes faults and pauses repeatable. */
	seed: number;
	/** Pauses between two faults, in seconds. */
	pauses: { min: number; max: number };
	/**
	 * The minimum number of faults before the work can end. By default, as many as happen during the
	 * work.
	 */
	minFaults?: number;
}

/**
 * Injects random faults while the work runs. The work can ask whether more faults are due. Returns
 * how often each fault happened.
 */
export async function withFaults<T>(
	faults: Rig['faults'],
	{ seed, pauses, minFaults }: FaultPlan,
	work: (isTooEarly: () => boolean) => Promise<T>,
): Promise<{ result: T; counts: Record<string, number> }> {
	const over = new AbortController();
	const { signal } = over;
	const counts = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
	let count = 0;
	const injectAll = async () => {
		const turn = fc.tuple(fc.integer(pauses), fc.constantFrom(...Object.entries(faults)));
		for (const [pause, [name, inject]] of fc.sample(turn, { seed, numRuns: minFaults ?? 10_000 })) {
			await sleep(pause * 1000, undefined, { signal }).catch(() => {});
			if (signal.aborted) break;
			await inject();
			counts[name] = (counts[name] ?? 0) + 1;
			count++;
		}
	};
	const working = work(() => minFaults !== undefined && count < minFaults);
	const [result] = await Promise.all([working.finally(() => over.abort()), injectAll()]);
	return { result, counts };
}
