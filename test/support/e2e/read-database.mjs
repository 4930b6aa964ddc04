// Prints every column of a database as a JSON line: [table.column, all its values joined].
// Called with an SQLite file or the URL of a PostgreSQL database, and n8n's script, beside which PostgreSQL's driver lies.
import { createRequire } from 'node:module';

const [database, n8n] = process.argv.slice(2);
const quote = (name) => `"${name.replaceAll('"', '""')}"`;
const { all, tables, close } = await (database.startsWith('postgres:')
	? openPostgres()
	: openSqlite());

for (const { name } of await tables()) {
	const rows = await all(`SELECT * FROM ${quote(name)}`);
	for (const column of Object.keys(rows[0] ?? {})) {
		const values = rows.map((row) => row[column]).filter((value) => value !== null);
		const line = [`${name}.${column}`, values.map(textOf).join('\n')];
		process.stdout.write(`${JSON.stringify(line)}\n`);
	}
}
await close();

function textOf(value) {
	if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function openSqlite() {
	const { DatabaseSync } = await import('node:sqlite');
	const sqlite = new DatabaseSync(database, { readOnly: true });
	const read = (query) => sqlite.prepare(query).all();
	return {
		all: read,
		tables: () => read("SELECT name FROM sqlite_master WHERE type = 'table'"),
		close: () => sqlite.close(),
	};
}

async function openPostgres() {
	const { Client } = createRequire(n8n)('pg');
	const client = new Client({ connectionString: database });
	await client.connect();
	const read = async (query) => (await client.query(query)).rows;
	return {
		all: read,
		tables: async () =>
			await read("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"),
		close: async () => await client.end(),
	};
}
