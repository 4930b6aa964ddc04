import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Place } from './environment';

const run = promisify(execFile);

/** Returns the container image to run instead of the installed n8n, such as `n8nio/n8n:latest`. */
export const imageOfN8n = (): string | undefined => process.env.TEST_N8N_IMAGE;

/** Variables that n8n and its Node read. The rest of the environment belongs to this machine. */
const PASSED_ON = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|NODES_|TZ$|GENERIC_TIMEZONE$)/;

const nameOf = ({ port }: Place): string => `virtual-pbx-n8n-${port}`;

/**
 * Returns the command that runs an n8n command in a container like a local process: on this machine's network, as its
 * user, with the user folder at the same path. Linux only.
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

/** Kills a container, which would outlive the command that runs it. */
export async function killContainer(place: Place): Promise<void> {
	// It might have ended already.
	await run('docker', ['rm', '--force', nameOf(place)]).catch(() => undefined);
}
