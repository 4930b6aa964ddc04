import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readSetup, ROOT } from './setup-result';

/** A row, by the names of its columns. */
export type Row = Record<string, unknown>;

/**
 * Runs SQL statements in an SQLite file or a PostgreSQL database, with n8n's own Node and drivers, which print errors.
 * Yields each row with the index of its statement.
 */
export async function* queryRows(
	database: string,
	statements: readonly string[],
): AsyncGenerator<[statement: number, row: Row]> {
	const { node, n8n } = readSetup();
	const script = path.join(ROOT, 'tools/n8n/query.mjs');
	const args = ['--no-warnings', script, n8n, database, ...statements];
	const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = once(child, 'close');
	for await (const line of createInterface(child.stdout)) yield JSON.parse(line) as [number, Row];
	const [code] = await ended;
	if (code !== 0) throw new Error('A statement failed in the database');
}

/** Runs an SQL statement like {@link queryRows} and returns its rows. */
export async function sql(database: string, statement: string): Promise<Row[]> {
	const rows: Row[] = [];
	for await (const [, row] of queryRows(database, [statement])) rows.push(row);
	return rows;
}
