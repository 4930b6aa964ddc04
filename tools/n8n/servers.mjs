import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';

/** PostgreSQL and Redis for queue mode; by default, those on this machine. */
export const POSTGRES = new URL(
	process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres',
);
export const REDIS = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');

const SERVERS = [
	{ name: 'PostgreSQL', url: POSTGRES, port: 5432, variable: 'POSTGRES_URL' },
	{ name: 'Redis', url: REDIS, port: 6379, variable: 'REDIS_URL' },
];
const PATIENCE_MS = 2000;

/**
 * Describes what this machine lacks for queue mode. Returns undefined if both servers accept
 * connections.
 */
export async function findMissingServers() {
	const accepting = await Promise.all(SERVERS.map(acceptsConnections));
	const missing = SERVERS.filter((_, index) => !accepting[index]);
	const names = missing.map(({ name, url, variable }) => `${name} at ${url.host} (${variable})`);
	return names.length > 0 ? `needs ${names.join(' and ')}` : undefined;
}

/** Describes what this machine lacks for the front-door tests. Returns undefined if HAProxy runs. */
export function findMissingProxy() {
	const isInstalled = spawnSync('haproxy', ['-v']).status === 0;
	return isInstalled ? undefined : 'needs HAProxy 2.6 or later';
}

function acceptsConnections({ url, port }) {
	return new Promise((resolve) => {
		const socket = connect({ host: url.hostname, port: Number(url.port) || port });
		const end = (isAccepted) => () => {
			socket.destroy();
			resolve(isAccepted);
		};
		socket.setTimeout(PATIENCE_MS, end(false));
		socket.once('connect', end(true)).once('error', end(false));
	});
}
