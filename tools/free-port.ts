import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range of ephemeral ports: from that range, an outgoing connection could take a port
 * after it was found free.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** Returns whether nothing listens on a port of this machine. */
export async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	// On all addresses, as n8n listens; the sandbox needs only 127.0.0.1.
	server.listen(port);
	const isListening = await once(server, 'listening').then(
		() => true,
		() => false,
	);
	server.close();
	return isListening;
}

/** Returns a free port for a server that another process starts; `wanted` if that one is free. */
export async function freePort(wanted = randomInt(FIRST, LAST)): Promise<number> {
	for (let port = wanted; ; port = randomInt(FIRST, LAST)) if (await isFree(port)) return port;
}
