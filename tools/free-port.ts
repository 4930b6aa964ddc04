import { randomInt } from 'node:crypto';
import getPort from 'get-port';

/**
 * Below the range of ephemeral ports: from that range, an outgoing connection could take a port
 * after it was found free.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** Returns a free port for a server that another process starts. */
export async function freePort(): Promise<number> {
	const choices = Array.from({ length: 20 }, () => randomInt(FIRST, LAST));
	return await getPort({ port: choices });
}
