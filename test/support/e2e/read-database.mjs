// Prints every column of an SQLite database as a JSON line: [table.column, all its values joined].
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2], { readOnly: true });
const quote = (name) => `"${name.replaceAll('"', '""')}"`;
const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
for (const { name } of tables) {
	const rows = database.prepare(`SELECT * FROM ${quote(name)}`).all();
	for (const { name: column } of database.prepare(`PRAGMA table_info(${quote(name)})`).all()) {
		const values = rows.map((row) => row[column]).filter((value) => value !== null);
		const texts = values.map((value) =>
			value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
		);
		process.stdout.write(`${JSON.stringify([`${name}.${column}`, texts.join('\n')])}\n`);
	}
}
