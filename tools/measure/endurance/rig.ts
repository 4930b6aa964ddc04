import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { N8nClient, queryRows, sql, startInMode } from '../../n8n';
import type { Cluster, Mode, N8nProcess } from '../../n8n';

const EXECUTIONS =
	'SELECT e.id, e."workflowId", e.mode, e.status, d.data FROM execution_entity e JOIN execution_data d ON d."executionId" = e.id ORDER BY e.id';

/** An execution as it is stored. */
export interface Stored {
	id: string;
	workflowId: string;
	/** `webhook` where a delivery has begun it, `trigger` where a poll has. */
	mode: string;
	status: string;
	/** The `Msg-ID`s and call ids in its data. */
	ids: string[];
}

/** A running n8n of its own that can be harmed. */
export interface Rig extends Cluster {
	client: N8nClient;
	/** How long it took to start. */
	startSeconds: number;
	/** By name what harms n8n, and brings it back. */
	harms: Record<string, () => Promise<void>>;
	/** Reads every stored execution. */
	stored(): Promise<Stored[]>;
}

/** Executions stay, whatever their number; the log stays small. */
const ENV = { EXECUTIONS_DATA_PRUNE: 'false', N8N_LOG_LEVEL: 'warn' };

/** Starts n8n; in queue mode with two webhook processes and two workers. */
export async function startRig(mode: Mode, more: Record<string, string> = {}): Promise<Rig> {
	const began = Date.now();
	const env = { ...ENV, ...more };
	const cluster = await startInMode(mode, { env, webhooks: 2, workers: 2 });
	const startSeconds = (Date.now() - began) / 1000;
	const { main, webhooks, workers, database } = cluster;
	const harms =
		mode === 'regular'
			? harmsOf('n8n', [main])
			: {
					...harmsOf('main process', [main]),
					...harmsOf('webhook process', webhooks),
					...harmsOf('worker', workers),
					'every connection to the database cut': async () => await sever(database),
				};
	return {
		...cluster,
		client: await N8nClient.signIn(cluster.url),
		startSeconds,
		harms,
		stored: async () => await readStored(database),
	};
}

function harmsOf(name: string, processes: N8nProcess[]): Rig['harms'] {
	let turn = 0;
	const restart = async (how: 'kill' | 'stop') =>
		await processes[turn++ % processes.length]?.restart(how);
	return {
		[`${name}: kill -9`]: async () => await restart('kill'),
		[`${name}: stopped`]: async () => await restart('stop'),
	};
}

/** Cuts every other connection to a PostgreSQL database, as a failover would. */
async function sever(database: string): Promise<void> {
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

/** When to harm. */
export interface Striking {
	/** Makes the harms and the pauses between them repeatable. */
	seed: number;
	/** The pauses between two harms, in seconds. */
	pauses: { min: number; max: number };
	/** How many harms there are, before the work may end; by default as many as fit into the work. */
	strikes?: number;
}

/** Harms n8n at random while work goes on, which can ask whether there were too few harms yet; gives how often each struck. */
export async function whileHarmed<T>(
	harms: Rig['harms'],
	{ seed, pauses, strikes }: Striking,
	work: (isTooEarly: () => boolean) => Promise<T>,
): Promise<{ result: T; struck: Record<string, number> }> {
	const over = new AbortController();
	const { signal } = over;
	const struck = Object.fromEntries(Object.keys(harms).map((name) => [name, 0]));
	let count = 0;
	const strike = async () => {
		const turn = fc.tuple(fc.integer(pauses), fc.constantFrom(...Object.entries(harms)));
		for (const [pause, [name, harm]] of fc.sample(turn, { seed, numRuns: strikes ?? 10_000 })) {
			await sleep(pause * 1000, undefined, { signal }).catch(() => {});
			if (signal.aborted) break;
			await harm();
			struck[name] = (struck[name] ?? 0) + 1;
			count++;
		}
	};
	const working = work(() => strikes !== undefined && count < strikes);
	const [result] = await Promise.all([working.finally(() => over.abort()), strike()]);
	return { result, struck };
}
