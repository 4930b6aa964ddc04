import { readFile } from 'node:fs/promises';
import { Command, CommanderError, Option } from 'commander';
import { startSandbox, type Seed, type Settings } from '.';
import { callSchema } from './calls/params';
import { FAULT_KINDS } from './faults/schema';
import { fieldsOf } from './model/schema';
import { PROFILES, settingsSchema } from './model/settings';
import { jsonIn } from './model/util';

const DEFAULT_PORT = 8090;

/** A failure shown to the user in one sentence, without a stack trace. */
class CliError extends Error {}

interface Output {
	out: (text: string) => void;
	err: (text: string) => void;
}

/** The options of commands that need a running sandbox. */
interface Remote {
	url: string;
	clear?: boolean;
}

interface ServeOptions {
	port: number;
	host: string;
	seed?: string;
	profile: Settings['profile'];
}

type Rows = Array<{ name: string; fallback?: string | undefined; description: string }>;

/** Formats names with their meanings and defaults, for below a command's options. */
const helpList = (title: string, rows: Rows): string =>
	[
		`\n${title}:`,
		...rows.map(
			({ name, fallback, description }) =>
				`  ${name}${fallback === undefined ? '' : ` (${fallback})`}\n      ${description}`,
		),
	].join('\n');

/** Whether a field of a call is text, such as a number to dial. */
const isTextOfCall = (name: string): boolean =>
	fieldsOf(callSchema).some((field) => field.name === name && field.type === 'string');

/**
 * Reads `name=value` pairs. A value that is JSON is parsed, unless its field is text. Throws a
 * CliError naming a malformed pair.
 */
const pairs = (texts: string[], isText?: (name: string) => boolean): Record<string, unknown> =>
	Object.fromEntries(
		texts.map((text) => {
			const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
			if (name === undefined || value === undefined)
				throw new CliError(`"${text}" must have the form name=value.`);
			const parsed = isText?.(name) ? undefined : jsonIn(value);
			return [name, parsed === undefined ? value : parsed];
		}),
	);

/** Sends a request to the control side of a running sandbox. Throws a CliError with a remedy if it fails. */
async function ask({ url }: Remote, method: string, path: string, body?: object): Promise<string> {
	const content = body && {
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	};
	const received = await fetch(new URL(`/sandbox${path}`, url), { method, ...content }).catch(
		() => {
			const advice =
				'Start one with "npm run sandbox -- serve", or set another address with --url.';
			throw new CliError(`No sandbox answers at ${url}. ${advice}`);
		},
	);
	const response = jsonIn(await received.text());
	if (received.ok) return `${JSON.stringify(response, null, 2)}\n`;
	const { error, details = {} } = Object(response) as { error?: string; details?: object };
	if (error === undefined)
		throw new CliError(`The server responded with ${received.status}, so it isn't a sandbox PBX.`);
	const more = Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : '';
	throw new CliError(`The sandbox rejected the request (${received.status}): ${error}${more}`);
}

async function readSeed(file: string): Promise<Seed> {
	const read = async () => JSON.parse(await readFile(file, 'utf8')) as Seed;
	return await read().catch(({ message }: Error) => {
		throw new CliError(`The seed file ${file} can't be read: ${message}`);
	});
}

/** Runs a sandbox until Ctrl-C. Throws a CliError if it can't start. */
async function serve({ port, host, seed, profile }: ServeOptions, { out }: Output): Promise<void> {
	const chosen = seed === undefined ? {} : { seed: await readSeed(seed) };
	const sandbox = await startSandbox({ port, host, settings: { profile }, ...chosen }).catch(
		({ code, message }: NodeJS.ErrnoException) => {
			const advice = 'Set another one with --port, or 0 for any free port.';
			throw new CliError(code === 'EADDRINUSE' ? `Port ${port} is in use. ${advice}` : message);
		},
	);
	const stop = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	const logins = [...sandbox.pbx.accounts.values()].map(
		({ identity: { name, login, realm } }) => `  ${name}: login ${login}, realm ${realm}\n`,
	);
	out(
		`Sandbox PBX: ${sandbox.url}\n${logins.join('')}Place a call on the page, or: npm run sandbox -- call from=12125550123 to=100\nCtrl-C stops it.\n`,
	);
}

function build(output: Output): Command {
	const { out } = output;
	const program = new Command('sandbox')
		.description('A PBX to build and test against')
		.showHelpAfterError()
		.exitOverride()
		.configureOutput({ writeOut: output.out, writeErr: output.err });
	/** Adds a command that needs a running sandbox. */
	const remote = (name: string, description: string, help: string) =>
		program
			.command(name)
			.description(description)
			.option('--url <address>', 'address of the sandbox', `http://127.0.0.1:${DEFAULT_PORT}`)
			.addHelpText('after', help);
	program
		.command('serve')
		.description('run a sandbox PBX until you press Ctrl-C')
		.option('--port <port>', 'port to listen on, 0 for any free one', Number, DEFAULT_PORT)
		.option('--host <address>', 'address to listen on', '127.0.0.1')
		.option('--seed <file>', 'JSON file with accounts')
		.addOption(
			new Option('--profile <name>', 'which PBX to be: as in the contract, or as seen in the field')
				.choices(Object.keys(PROFILES))
				.default('contract'),
		)
		.action(async (options: ServeOptions) => await serve(options, output));
	const fields = helpList('Fields, with their defaults', fieldsOf(callSchema));
	remote('call [fields...]', 'place a call (fields as name=value)', fields).action(
		async (given: string[], options: Remote) =>
			out(await ask(options, 'POST', '/calls', pairs(given, isTextOfCall))),
	);
	const kinds = Object.entries(FAULT_KINDS).map(([name, description]) => ({ name, description }));
	const faults = 'turn on a fault (name=value), or list the active ones';
	remote('fault [kind] [fields...]', faults, helpList('Kinds', kinds))
		.option('--clear', 'turn off every fault')
		.action(async (kind: string | undefined, given: string[], options: Remote) => {
			const body = kind === undefined ? undefined : { kind, ...pairs(given) };
			const method = body ? 'POST' : 'GET';
			out(await ask(options, options.clear ? 'DELETE' : method, '/faults', body));
		});
	const settings = 'Settings, with their defaults in the profile `contract`';
	remote(
		'settings [changes...]',
		'show the settings, or change them (name=value)',
		helpList(settings, fieldsOf(settingsSchema)),
	).action(async (changes: string[], options: Remote) => {
		const body = changes.length > 0 ? pairs(changes) : undefined;
		out(await ask(options, body ? 'PATCH' : 'GET', '/settings', body));
	});
	return program;
}

/** Runs a command line and returns the exit code. Expected failures print a sentence, unexpected ones throw. */
export async function runCli(args: string[], output: Output): Promise<number> {
	const run = build(output).parseAsync(args, { from: 'user' });
	const exitCode = (error: unknown) => {
		if (error instanceof CommanderError) return error.exitCode;
		if (!(error instanceof CliError)) throw error;
		output.err(`${error.message}\n`);
		return 1;
	};
	return await run.then(() => 0, exitCode);
}

if (require.main === module) {
	const out = (text: string) => process.stdout.write(text);
	const err = (text: string) => process.stderr.write(text);
	void runCli(process.argv.slice(2), { out, err }).then((code) => void (process.exitCode = code));
}
