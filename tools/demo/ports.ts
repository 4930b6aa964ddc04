import getPort from 'get-port';
import { SetupError } from '../setup/failure.mjs';

/** A port that the demo needs. */
export interface NeededPort {
	port: number;
	user: string;
	flag: string;
	variable: string;
}

/** Throws a {@link SetupError} that tells what to do when a port is in use. */
export async function requireFreePorts(ports: NeededPort[]): Promise<void> {
	const taken: NeededPort[] = [];
	for (const needed of ports)
		if ((await getPort({ port: needed.port })) !== needed.port) taken.push(needed);
	if (taken.length === 0) return;
	const lines = taken.map(({ port, user, flag, variable }) => {
		const other = port + 2;
		return (
			`Port ${port} for ${user} is in use, perhaps by an earlier run.\n` +
			`  What to do: end what uses it, or choose another one:\n` +
			`  npm start -- ${flag} ${other}    or    ${variable}=${other} npm start`
		);
	});
	throw new SetupError(lines.join('\n'));
}
