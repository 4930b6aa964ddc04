import { randomInt } from 'node:crypto';
import getPort from 'get-port';

/**
 * Below the range from which systems take the ports of outgoing connections: a port there can be taken
 * by any connection between being found free and being listened on.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** A free port of this machine for a server that another process starts. */
export async function freePort(): Promise<number> {
	const choices = Array.from({ length: 20 }, () => randomInt(FIRST, LAST));
	return await getPort({ port: choices });
}
