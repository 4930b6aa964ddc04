import { readFile } from 'node:fs/promises';
import { startSandbox, type Seed, type Settings } from '..';
import { CliError } from './client';

export interface ServeOptions {
	port: number;
	host: string;
	seed?: string;
	profile: Settings['profile'];
}

async function readSeed(file: string): Promise<Seed> {
	const text = await readFile(file, 'utf8').catch((error: Error) => {
		throw new CliError(`The seed file ${file} can't be read: ${error.message}`);
	});
	return parseSeed(file, text);
}

function parseSeed(file: string, text: string): Seed {
	const seed = asJson(text);
	if (seed instanceof Error)
		throw new CliError(`The seed file ${file} isn't JSON: ${seed.message}`);
	return seed as Seed;
}

function asJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		return error;
	}
}

function explain(error: unknown, { port }: ServeOptions): CliError {
	const { code, message } = error as Error & { code?: string };
	if (code === 'EADDRINUSE') {
		return new CliError(
			`Port ${port} is in use. Set another one with --port, or 0 for any free port.`,
		);
	}
	return new CliError(message);
}

/** Runs a sandbox until Ctrl-C. Throws a CliError if it can't start. */
export async function serve(options: ServeOptions, out: (text: string) => void): Promise<void> {
	const { port, host, seed, profile } = options;
	const chosen = seed === undefined ? {} : { seed: await readSeed(seed) };
	const sandbox = await startSandbox({ port, host, settings: { profile }, ...chosen }).catch(
		(error: unknown) => {
			throw explain(error, options);
		},
	);
	const stop = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	const logins = [...sandbox.pbx.accounts.values()].map(
		({ identity: { name, login, realm } }) => `  ${name}: login ${login}, realm ${realm}`,
	);
	const lines = [
		`Sandbox PBX: ${sandbox.url}`,
		...logins,
		'Place a call on the page, or: npm run sandbox -- call from=12125550123 to=100',
		'Ctrl-C stops it.',
	];
	out(`${lines.join('\n')}\n`);
}
