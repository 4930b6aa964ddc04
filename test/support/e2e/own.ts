import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { readSetup, startCluster, startN8n, urlOfDatabase, withPostgres } from '../../../tools/n8n';
import type { N8nProcess } from '../../../tools/n8n';

/** An n8n of a test's own, which may be stopped and killed. */
export interface OwnN8n {
	/** In queue mode the main process. */
	main: N8nProcess;
	/** Where both its editor and its webhooks are. */
	url: string;
	/** Runs an SQL statement in n8n's database. */
	sql(statement: string): Promise<void>;
	dispose(): Promise<void>;
}

/** Starts one as the shared one is: in the queue slice a main process, a webhook process and a worker. */
export async function startOwnN8n(): Promise<OwnN8n> {
	return process.env.SHARED_N8N_WEBHOOKS ? await inQueueMode() : await inRegularMode();
}

async function inRegularMode(): Promise<OwnN8n> {
	const main = await startN8n();
	const file = path.join(main.place.userFolder, '.n8n', 'database.sqlite');
	const script =
		"const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(process.argv[1]).exec(process.argv[2]);";
	return {
		main,
		url: main.url,
		sql: async (statement) =>
			void execFileSync(readSetup().node, ['--no-warnings', '-e', script, file, statement]),
		dispose: async () => await main.dispose(),
	};
}

async function inQueueMode(): Promise<OwnN8n> {
	const { main, url, database, dispose } = await startCluster();
	return {
		main,
		url,
		sql: async (statement) =>
			await withPostgres(
				async (postgres) => await postgres.query(statement),
				urlOfDatabase(database),
			),
		dispose,
	};
}
