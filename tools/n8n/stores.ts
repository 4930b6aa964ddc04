import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { SetupError } from '../setup/failure.mjs';
import { sql } from './database';
import { findMissingServers, POSTGRES, REDIS } from './servers.mjs';
import { readSetup } from './setup-result';

interface Redis {
	keys(pattern: string): Promise<string[]>;
	unlink(...keys: string[]): Promise<number>;
	disconnect(): void;
}

/**
 * Creates a database and unique Redis prefixes on the servers in POSTGRES_URL and REDIS_URL. Returns the database's URL,
 * the environment that makes n8n use both, and `dispose`, which removes them. If a server is missing, throws what is
 * needed.
 */
export async function makeStores() {
	const missing = await findMissingServers();
	if (missing) throw new SetupError(`Queue mode ${missing}`);
	const name = `virtual_pbx_${randomUUID().replaceAll('-', '')}`;
	await sql(POSTGRES.href, `CREATE DATABASE ${name}`);
	return {
		database: new URL(`/${name}`, POSTGRES).href,
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: POSTGRES.hostname,
			DB_POSTGRESDB_PORT: POSTGRES.port || '5432',
			DB_POSTGRESDB_USER: decodeURIComponent(POSTGRES.username),
			DB_POSTGRESDB_PASSWORD: decodeURIComponent(POSTGRES.password),
			DB_POSTGRESDB_DATABASE: name,
			QUEUE_BULL_REDIS_HOST: REDIS.hostname,
			QUEUE_BULL_REDIS_PORT: REDIS.port || '6379',
			QUEUE_BULL_PREFIX: `{${name}}`,
			// Of commands between processes, which would reach all instances on the same Redis.
			N8N_REDIS_KEY_PREFIX: name,
		},
		async dispose(): Promise<void> {
			await sql(POSTGRES.href, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
			await removeKeys(name);
		},
	};
}

/** Removes keys with n8n's own Redis client. */
async function removeKeys(name: string): Promise<void> {
	const { Redis: Client } = createRequire(readSetup().n8n)('ioredis') as {
		Redis: new (url: string) => Redis;
	};
	const redis = new Client(REDIS.href);
	try {
		const keys = await redis.keys(`*${name}*`);
		if (keys.length > 0) await redis.unlink(...keys);
	} finally {
		redis.disconnect();
	}
}
