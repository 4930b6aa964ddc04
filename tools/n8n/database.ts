import path from 'node:path';
import { execa } from 'execa';
import { readSetup, ROOT } from './setup-result';

/** A row, by the names of its columns. */
export type Row = Record<string, unknown>;

/**
 * Runs SQL statements with n8n's own Node and drivers.
 *
 * @param database an SQLite file, or the URL of a PostgreSQL database
 * @returns for each row the number of its statement, from 0, and the row
 * @throws with the driver's words
 */
export async function* queryRows(
	database: string,
	statements: readonly string[],
): AsyncGenerator<[statement: number, row: Row]> {
	const { node, n8n } = readSetup();
	const script = path.join(ROOT, 'tools/n8n/query.mjs');
	const args = ['--no-warnings', script, n8n, database, ...statements];
	for await (const line of execa(node, args, { buffer: { stdout: false } }))
		yield JSON.parse(String(line)) as [number, Row];
}

/** Runs an SQL statement as {@link queryRows} does; gives its rows. */
export async function sql(database: string, statement: string): Promise<Row[]> {
	const rows: Row[] = [];
	for await (const [, row] of queryRows(database, [statement])) rows.push(row);
	return rows;
}
