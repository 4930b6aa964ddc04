import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { SetupError } from '../setup/failure.mjs';
import { findMissingServers, POSTGRES, REDIS } from './servers.mjs';
import { readSetup } from './setup-result';

interface Postgres {
	connect(): Promise<void>;
	query(text: string): Promise<unknown>;
	end(): Promise<void>;
}
interface Redis {
	keys(pattern: string): Promise<string[]>;
	unlink(...keys: string[]): Promise<number>;
	disconnect(): void;
}

/** A database and Redis prefixes of a cluster's own. */
export interface Stores {
	/** The name of the database. */
	database: string;
	/** The environment that makes n8n use them. */
	env: Record<string, string>;
	/** Drops the database and removes the keys. */
	dispose(): Promise<void>;
}

/**
 * Makes a database and chooses Redis prefixes that nobody else uses, on the servers that POSTGRES_URL and REDIS_URL
 * name (by default those on this machine). Throws, saying what is needed, when one of them does not answer.
 */
export async function makeStores(): Promise<Stores> {
	const missing = await findMissingServers();
	if (missing) throw new SetupError(`Queue mode ${missing}`);
	const name = `virtual_pbx_${randomUUID().replaceAll('-', '')}`;
	await withPostgres(async (postgres) => await postgres.query(`CREATE DATABASE ${name}`));
	return {
		database: name,
		env: environmentOf(name),
		dispose: async () => {
			const query = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
			await withPostgres(async (postgres) => await postgres.query(query));
			await removeKeys(name);
		},
	};
}

function environmentOf(name: string): Record<string, string> {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: POSTGRES.hostname,
		DB_POSTGRESDB_PORT: POSTGRES.port || '5432',
		DB_POSTGRESDB_USER: decodeURIComponent(POSTGRES.username),
		DB_POSTGRESDB_PASSWORD: decodeURIComponent(POSTGRES.password),
		DB_POSTGRESDB_DATABASE: name,
		QUEUE_BULL_REDIS_HOST: REDIS.hostname,
		QUEUE_BULL_REDIS_PORT: REDIS.port || '6379',
		QUEUE_BULL_PREFIX: `{${name}}`,
		// Commands between the processes go by this one, and would reach every n8n on the same Redis.
		N8N_REDIS_KEY_PREFIX: name,
	};
}

/** The address of a database of the PostgreSQL that is used. */
export function urlOfDatabase(name: string): string {
	return new URL(`/${name}`, POSTGRES).href;
}

/** Does something on a connection to PostgreSQL of its own. */
export async function withPostgres(
	work: (postgres: Postgres) => Promise<unknown>,
	connectionString = POSTGRES.href,
): Promise<void> {
	const { Client } = fromN8n<{ Client: new (options: object) => Postgres }>('pg');
	const postgres = new Client({ connectionString, connectionTimeoutMillis: 5000 });
	await postgres.connect();
	try {
		await work(postgres);
	} finally {
		await postgres.end();
	}
}

async function removeKeys(name: string): Promise<void> {
	const { Redis: Client } = fromN8n<{ Redis: new (url: string) => Redis }>('ioredis');
	const redis = new Client(REDIS.href);
	try {
		const keys = await redis.keys(`*${name}*`);
		if (keys.length > 0) await redis.unlink(...keys);
	} finally {
		redis.disconnect();
	}
}

/** The clients that the pinned n8n itself brings. */
function fromN8n<T>(name: string): T {
	return createRequire(readSetup().n8n)(name) as T;
}
