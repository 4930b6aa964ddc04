import { Command, InvalidArgumentError, Option } from 'commander';

/** What the demo was asked for. */
export interface DemoOptions {
	n8nPort: number;
	sandboxPort: number;
	/** Forget what earlier runs left in n8n. */
	fresh: boolean;
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

const port = (flag: string, variable: string, fallback: number, what: string) =>
	new Option(`${flag} <port>`, what).env(variable).default(fallback).argParser(parsePort);

/** Reads the command line and the environment; prints help or what is wrong and ends the process if need be. */
export function readOptions(argv: string[], defaultFolder: string): DemoOptions {
	return new Command('npm start --')
		.description('Runs a sandbox PBX and a real n8n with this package, and places a call')
		.addOption(port('--n8n-port', 'N8N_PORT', 5678, 'where n8n listens'))
		.addOption(port('--sandbox-port', 'SANDBOX_PORT', 8090, 'where the sandbox PBX listens'))
		.option('--fresh', 'forget the workflows and executions of earlier runs', false)
		.option('--once', 'end after the first execution', false)
		.addOption(
			new Option('--folder <path>', "n8n's user folder").env('DEMO_FOLDER').default(defaultFolder),
		)
		.parse(argv)
		.opts<DemoOptions>();
}
