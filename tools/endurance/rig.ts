import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { readSetup, ROOT, startCluster, startN8n, urlOfDatabase, withPostgres } from '../n8n';
import type { N8nClient, N8nProcess } from '../n8n';

const run = promisify(execFile);

/** How n8n runs: all in one process on SQLite, or in queue mode on PostgreSQL and Redis. */
export const MODES = ['regular', 'queue'] as const;
export type Mode = (typeof MODES)[number];

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
export interface Rig {
	client: N8nClient;
	/** Where the editor is. */
	main: N8nProcess;
	/** By name what harms n8n, and brings it back. */
	harms: Record<string, () => Promise<void>>;
	/** Reads every stored execution. */
	stored(): Promise<Stored[]>;
	dispose(): Promise<void>;
}

/** Executions stay, whatever their number; the log stays small. */
const ENV = { EXECUTIONS_DATA_PRUNE: 'false', N8N_LOG_LEVEL: 'warn' };

/** Starts n8n; in queue mode with two webhook processes and two workers. */
export async function startRig(mode: Mode, more: Record<string, string> = {}): Promise<Rig> {
	const env = { ...ENV, ...more };
	return mode === 'regular' ? await startRegular(env) : await startQueue(env);
}

async function startRegular(env: Record<string, string>): Promise<Rig> {
	const main = await startN8n({ env });
	const file = path.join(main.place.userFolder, '.n8n/database.sqlite');
	return {
		client: await main.signIn(),
		main,
		harms: harmsOf('n8n', [main]),
		stored: async () => await readStored({ file }),
		dispose: async () => await main.dispose(),
	};
}

async function startQueue(env: Record<string, string>): Promise<Rig> {
	const cluster = await startCluster({ env, webhooks: 2, workers: 2 });
	const { main, webhooks, workers, database } = cluster;
	return {
		client: await main.signIn(),
		main,
		harms: {
			...harmsOf('main process', [main]),
			...harmsOf('webhook process', webhooks),
			...harmsOf('worker', workers),
			'every connection to the database cut': async () => await sever(database),
		},
		stored: async () => await readStored({ url: urlOfDatabase(database) }),
		dispose: async () => await cluster.dispose(),
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

/** Cuts every connection to a PostgreSQL database, as a failover would. */
async function sever(database: string): Promise<void> {
	const query = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
	await withPostgres(async (postgres) => await postgres.query(query));
}

/** Reads with n8n's own Node and drivers. */
async function readStored(place: { file: string } | { url: string }): Promise<Stored[]> {
	const { node, n8n } = readSetup();
	const script = path.join(ROOT, 'tools/endurance/stored-executions.mjs');
	const args = [script, JSON.stringify({ n8n, ...place })];
	const { stdout } = await run(node, args, { maxBuffer: 2 ** 28 });
	return stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Stored] : []));
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

/**
 * Harms n8n at random while work goes on; the last harm is over when this ends.
 *
 * @param work is handed what tells whether there were too few harms yet
 * @returns what the work gave, and how often each harm struck
 */
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
