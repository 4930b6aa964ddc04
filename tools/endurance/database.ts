import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSetup, ROOT, urlOfDatabase, withPostgres } from '../n8n';

const run = promisify(execFile);
const MAX_OUTPUT = 2 ** 28;

/** The database of an n8n that this machine runs. */
export type Database = { kind: 'sqlite'; userFolder: string } | { kind: 'postgres'; name: string };

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

/** Reads every stored execution, with n8n's own Node and drivers. */
export async function readStored(database: Database): Promise<Stored[]> {
	const { node, n8n } = readSetup();
	const script = path.join(ROOT, 'tools/endurance/stored-executions.mjs');
	const order =
		database.kind === 'postgres'
			? { n8n, url: urlOfDatabase(database.name) }
			: { file: path.join(database.userFolder, '.n8n/database.sqlite') };
	const { stdout } = await run(node, [script, JSON.stringify(order)], { maxBuffer: MAX_OUTPUT });
	return stdout
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as Stored);
}

/** Cuts every connection to a PostgreSQL database, as a failover would. */
export async function severDatabase(database: Database & { kind: 'postgres' }): Promise<void> {
	const query = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`;
	await withPostgres(async (postgres) => await postgres.query(query));
}
