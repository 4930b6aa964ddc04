import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

/** PostgreSQL and Redis for queue mode; by default, those on this machine. */
const { POSTGRES_URL = 'postgres://postgres@127.0.0.1:5432/postgres' } = process.env;
const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env;
export const POSTGRES = new URL(POSTGRES_URL);
export const REDIS = new URL(REDIS_URL);

const SERVERS = [
	{ name: 'PostgreSQL', url: POSTGRES, port: 5432, variable: 'POSTGRES_URL' },
	{ name: 'Redis', url: REDIS, port: 6379, variable: 'REDIS_URL' },
];
const PATIENCE_MS = 2000;

/** Returns what this machine lacks for queue mode, or undefined if both servers accept connections. */
export async function findMissingServers() {
	const accepting = await Promise.all(SERVERS.map(acceptsConnections));
	const missing = SERVERS.filter((_, index) => !accepting[index]);
	const names = missing.map(({ name, url, variable }) => `${name} at ${url.host} (${variable})`);
	return names.length > 0 ? `needs ${names.join(' and ')}` : undefined;
}

/** Returns what this machine lacks for the front-door tests, or undefined if HAProxy runs. */
export function findMissingProxy() {
	const isInstalled = spawnSync('haproxy', ['-v']).status === 0;
	return isInstalled ? undefined : 'needs HAProxy 2.6 or later';
}

async function acceptsConnections({ url, port }) {
	const socket = connect({ host: url.hostname, port: Number(url.port) || port });
	const connected = once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE_MS) });
	const isAccepted = await connected.then(
		() => true,
		() => false,
	);
	socket.destroy();
	return isAccepted;
}
