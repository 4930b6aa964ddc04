// Prints each stored execution as a line of JSON: `{id, workflowId, mode, status, ids}`, with every id of 32 hexadecimal
// digits in its data. Called with a JSON of `{file}` for SQLite, or of `{url, n8n}` for PostgreSQL by the driver of n8n.
import { createRequire } from 'node:module';

const QUERY =
	'SELECT e.id, e."workflowId", e.mode, e.status, d.data FROM execution_entity e JOIN execution_data d ON d."executionId" = e.id ORDER BY e.id';

const { file, url, n8n } = JSON.parse(process.argv[2]);
for (const { id, workflowId, mode, status, data } of await (file ? inSqlite() : inPostgres())) {
	const ids = [...new Set(String(data).match(/\b[0-9a-f]{32}\b/g))];
	process.stdout.write(`${JSON.stringify({ id: String(id), workflowId, mode, status, ids })}\n`);
}

async function inSqlite() {
	const { DatabaseSync } = await import('node:sqlite');
	return new DatabaseSync(file, { readOnly: true }).prepare(QUERY).iterate();
}

async function inPostgres() {
	const { Client } = createRequire(n8n)('pg');
	const client = new Client({ connectionString: url });
	await client.connect();
	const { rows } = await client.query(QUERY);
	await client.end();
	return rows;
}
