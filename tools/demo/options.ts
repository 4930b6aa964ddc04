import { Command, InvalidArgumentError } from 'commander';

/** What the demo was asked for. */
export interface DemoOptions {
	n8nPort: number;
	sandboxPort: number;
	/** End after the first printed execution. */
	once: boolean;
	/** n8n's user folder. */
	folder: string;
}

function parsePort(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new InvalidArgumentError('A port is a number from 1 to 65535.');
}

/** Reads the command line; prints help or what is wrong and ends the process if need be. */
export function readOptions(argv: string[], defaultFolder: string): DemoOptions {
	return new Command('npm start --')
		.description('Runs a sandbox PBX and a real n8n with this package, and places a call')
		.option('--n8n-port <port>', 'where n8n listens', parsePort, 5678)
		.option('--sandbox-port <port>', 'where the sandbox PBX listens', parsePort, 8090)
		.option('--once', 'end after the first execution', false)
		.option('--folder <path>', "n8n's user folder", defaultFolder)
		.parse(argv)
		.opts<DemoOptions>();
}
