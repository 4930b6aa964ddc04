import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { SetupError } from '../setup/failure.mjs';
import { POSTGRES, REDIS } from './servers.mjs';
import { readSetup } from './setup-result';

interface Postgres {
	connect(): Promise<void>;
	query(text: string): Promise<unknown>;
	end(): Promise<void>;
}
interface Redis {
	connect(): Promise<void>;
	scan(cursor: string, match: 'MATCH', pattern: string): Promise<[string, string[]]>;
	unlink(...keys: string[]): Promise<number>;
	disconnect(): void;
}
type Make<T> = new (options: object | string, more?: object) => T;

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
	const name = `virtual_pbx_${randomUUID().replaceAll('-', '')}`;
	await withRedis(async () => {});
	await withPostgres(async (postgres) => await postgres.query(`CREATE DATABASE ${name}`));
	return {
		database: name,
		env: environmentOf(name),
		dispose: async () => {
			await withPostgres(
				async (postgres) => await postgres.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
			);
			await withRedis(async (redis) => await removeKeys(redis, name));
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

async function removeKeys(redis: Redis, name: string): Promise<void> {
	let cursor = '0';
	do {
		const [next, keys] = await redis.scan(cursor, 'MATCH', `*${name}*`);
		if (keys.length > 0) await redis.unlink(...keys);
		cursor = next;
	} while (cursor !== '0');
}

/** The address of a database of the PostgreSQL that is used. */
export function urlOfDatabase(name: string): string {
	return new URL(`/${name}`, POSTGRES).href;
}

/** Does something on a connection to PostgreSQL of its own. Throws, saying what is needed, when none answers. */
export async function withPostgres(
	work: (postgres: Postgres) => Promise<unknown>,
	url = POSTGRES.href,
): Promise<void> {
	const { Client } = fromN8n('pg') as { Client: Make<Postgres> };
	const postgres = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
	await postgres.connect().catch((error: unknown) => {
		throw missing('PostgreSQL', `${POSTGRES.hostname}:${POSTGRES.port}`, 'POSTGRES_URL', error);
	});
	try {
		await work(postgres);
	} finally {
		await postgres.end();
	}
}

async function withRedis(work: (redis: Redis) => Promise<unknown>): Promise<void> {
	const { Redis: Client } = fromN8n('ioredis') as { Redis: Make<Redis> };
	const redis = new Client(REDIS.href, { lazyConnect: true, retryStrategy: () => null });
	await redis.connect().catch((error: unknown) => {
		throw missing('Redis', REDIS.host, 'REDIS_URL', error);
	});
	try {
		await work(redis);
	} finally {
		redis.disconnect();
	}
}

/** The clients that the pinned n8n itself brings. */
function fromN8n(name: string): unknown {
	return createRequire(readSetup().n8n)(name);
}

function missing(what: string, where: string, variable: string, cause: unknown): Error {
	const message = `Queue mode needs ${what}, and none answers at ${where}. What to do: start it, or name another by ${variable}`;
	return new SetupError(message, { cause });
}
