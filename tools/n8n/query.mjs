// Runs SQL statements in n8n's database, and prints each row as a line of JSON: `[index of its statement, row]`.
// Arguments: n8n's script, next to which the PostgreSQL driver is; an SQLite file or the URL of a PostgreSQL database;
// the statements. Runs on n8n's Node, which has SQLite built in.
import { createRequire } from 'node:module';

const [n8n, database, ...statements] = process.argv.slice(2);
const { run, close } = await (database.startsWith('postgres') ? openPostgres() : openSqlite());
for (const [index, statement] of statements.entries())
	for (const row of await run(statement))
		process.stdout.write(`${JSON.stringify([index, row], readable)}\n`);
await close();

/** Converts bytes to text that can be searched. */
function readable(name, value) {
	const bytes = this[name];
	return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('latin1') : value;
}

async function openSqlite() {
	const { DatabaseSync } = await import('node:sqlite');
	const sqlite = new DatabaseSync(database);
	return { run: (statement) => sqlite.prepare(statement).iterate(), close: () => sqlite.close() };
}

async function openPostgres() {
	const { Client } = createRequire(n8n)('pg');
	const client = new Client({ connectionString: database, connectionTimeoutMillis: 5000 });
	await client.connect();
	const run = async (statement) => (await client.query(statement)).rows;
	return { run, close: async () => await client.end() };
}
