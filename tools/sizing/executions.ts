import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, rounded } from '../bench/measure';
import { urlOfDatabase, withPostgres } from '../n8n';

const LOOK_MS = 500;

/** The executions in n8n's database. */
export class Executions {
	/** @param database its name in PostgreSQL */
	constructor(private readonly database: string) {}

	/** The newest one's number. */
	async last(): Promise<number> {
		const [row] = await this.ask<{ id: number | null }>(
			'SELECT max(id) AS id FROM execution_entity',
		);
		return row?.id ?? 0;
	}

	/** Waits until the workers have nothing to do. */
	async allDone(): Promise<void> {
		for (;;) {
			const [row] = await this.ask<{ open: string }>(
				`SELECT count(*) AS open FROM execution_entity WHERE status IN ('new', 'running')`,
			);
			if (row?.open === '0') return;
			await sleep(LOOK_MS);
		}
	}

	/** How many a second ended, of those after one, from the first start to the last end. */
	async workedOff(after: number): Promise<number> {
		const [row] = await this.ask<{ rate: number }>(
			`SELECT count(*) / extract(epoch FROM max("stoppedAt") - min("startedAt")) AS rate
			 FROM execution_entity WHERE id > ${after}`,
		);
		return rounded(Number(row?.rate));
	}

	/** How long those after one waited for a worker, in milliseconds. */
	async waiting(after: number): Promise<{ p50: number; p99: number }> {
		const rows = await this.ask<{ ms: string }>(
			`SELECT extract(epoch FROM "startedAt" - "createdAt") * 1000 AS ms
			 FROM execution_entity WHERE id > ${after}`,
		);
		const times = rows.map(({ ms }) => Number(ms));
		return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
	}

	private async ask<T>(query: string): Promise<T[]> {
		let rows: T[] = [];
		await withPostgres(async (postgres) => {
			({ rows } = (await postgres.query(query)) as { rows: T[] });
		}, urlOfDatabase(this.database));
		return rows;
	}
}
