// Prints each stored execution as a line of JSON: `{id, workflowId, mode, status, ids}`, with every id of 32 hexadecimal digits in
// its data. Called with a JSON of `{file}` for SQLite, or of `{url, n8n}` for PostgreSQL by the driver that n8n brings.
import { createRequire } from 'node:module';

const PAGE = 500;
const COLUMNS = 'e.id, e."workflowId", e.mode, e.status, d.data';
const FROM = 'FROM execution_entity e JOIN execution_data d ON d."executionId" = e.id WHERE e.id >';

const { file, url, n8n } = JSON.parse(process.argv[2]);
const next = await (file ? openSqlite() : openPostgres());
let last = 0;
for (;;) {
	const rows = await next(last);
	if (rows.length === 0) break;
	last = rows.at(-1).id;
	for (const { id, workflowId, mode, status, data } of rows) {
		const ids = [...new Set(String(data).match(/\b[0-9a-f]{32}\b/g))];
		process.stdout.write(`${JSON.stringify({ id: String(id), workflowId, mode, status, ids })}\n`);
	}
}

async function openSqlite() {
	const { DatabaseSync } = await import('node:sqlite');
	const query = `SELECT ${COLUMNS} ${FROM} ? ORDER BY e.id LIMIT ${PAGE}`;
	const statement = new DatabaseSync(file, { readOnly: true }).prepare(query);
	return async (after) => statement.all(after);
}

async function openPostgres() {
	const { Client } = createRequire(n8n)('pg');
	const client = new Client({ connectionString: url });
	await client.connect();
	const query = `SELECT ${COLUMNS} ${FROM} $1 ORDER BY e.id LIMIT ${PAGE}`;
	return async (after) => {
		const { rows } = await client.query(query, [after]);
		if (rows.length === 0) await client.end();
		return rows;
	};
}
