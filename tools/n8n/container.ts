import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Place } from './environment';

const run = promisify(execFile);

/** The container image to run in place of the installed n8n, such as `n8nio/n8n:latest`. */
export const imageOfN8n = (): string | undefined => process.env.TEST_N8N_IMAGE;

/** What n8n and its Node read; the rest of the environment is this machine's. */
const PASSED_ON = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|NODES_|TZ$|GENERIC_TIMEZONE$)/;

const nameOf = ({ port }: Place): string => `virtual-pbx-n8n-${port}`;

/**
 * Returns the command that runs a command of n8n in a container as if it were a process of this machine: on its network,
 * as its user, and with the user folder at the same path. So it needs Linux.
 */
export function containerCommand(
	image: string,
	place: Place,
	env: NodeJS.ProcessEnv,
	command: string,
): string[] {
	const { userFolder } = place;
	const { getuid = () => 0, getgid = () => 0 } = process;
	const names = Object.keys(env).filter((name) => PASSED_ON.test(name));
	return [
		...['docker', 'run', '--rm', '--name', nameOf(place), '--network', 'host'],
		...['--user', `${getuid()}:${getgid()}`, '--env', `HOME=${userFolder}`],
		...['--volume', `${userFolder}:${userFolder}`, '--workdir', userFolder],
		// Docker takes the values from its own environment.
		...names.flatMap((name) => ['--env', name]),
		...[image, command],
	];
}

/** Ends a container at once, as SIGKILL ends a process: without this, it would outlive the command that runs it. */
export async function killContainer(place: Place): Promise<void> {
	// It may have ended already.
	await run('docker', ['rm', '--force', nameOf(place)]).catch(() => undefined);
}
