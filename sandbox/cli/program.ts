import { Command, CommanderError, Option } from 'commander';
import { callRows, isTextField } from '../calls/params';
import { FAULT_KINDS } from '../faults/schema';
import { PROFILES, settingRows } from '../model/settings';
import { CliError, Control } from './client';
import { pairs } from './options';
import { serve, type ServeOptions } from './serve';

const DEFAULT_PORT = 8090;

interface Remote {
	url: string;
}

/** Where commands print. */
export interface Output {
	out: (text: string) => void;
	err: (text: string) => void;
}

/** Formats names with their meanings, for below a command's options. */
const helpList = (title: string, rows: Array<[name: string, meaning: string]>): string =>
	['', `${title}:`, ...rows.map(([name, meaning]) => `  ${name}\n      ${meaning}`)].join('\n');

const withDefaults = (rows: ReturnType<typeof settingRows>): Array<[string, string]> =>
	rows.map(({ name, fallback, description }) => [
		fallback === undefined ? name : `${name} (${fallback})`,
		description,
	]);

const asText = (response: unknown): string => `${JSON.stringify(response, null, 2)}\n`;

/** Adds a command that needs a running sandbox. */
const remote = (program: Command, name: string, description: string): Command =>
	program
		.command(name)
		.description(description)
		.option('--url <address>', 'address of the sandbox', `http://127.0.0.1:${DEFAULT_PORT}`);

function addServe(program: Command, { out }: Output): void {
	program
		.command('serve')
		.description('run a sandbox PBX until you press Ctrl-C')
		.option('--port <port>', 'port to listen on, 0 for any free one', Number, DEFAULT_PORT)
		.option('--host <address>', 'address to listen on', '127.0.0.1')
		.option('--seed <file>', 'JSON file with accounts and contacts')
		.addOption(
			new Option(
				'--profile <name>',
				'defaults of the settings: as in the contract, or as in live services',
			)
				.choices(Object.keys(PROFILES))
				.default('contract'),
		)
		.action(async (options: ServeOptions) => await serve(options, out));
}

function addCall(program: Command, { out }: Output): void {
	remote(program, 'call [fields...]', 'place a call (fields as name=value)')
		.addHelpText('after', () => helpList('Fields, with their defaults', withDefaults(callRows())))
		.action(async (fields: string[], { url }: Remote) => {
			out(asText(await new Control(url).send('POST', '/calls', pairs(fields, isTextField))));
		});
}

function addFault(program: Command, { out }: Output): void {
	remote(
		program,
		'fault [kind] [fields...]',
		'turn on a fault (fields as name=value), or list the active ones',
	)
		.option('--clear', 'turn off every fault')
		.addHelpText('after', () => helpList('Kinds', Object.entries(FAULT_KINDS)))
		.action(
			async (
				kind: string | undefined,
				fields: string[],
				{ url, clear }: Remote & { clear?: boolean },
			) => {
				const control = new Control(url);
				if (clear) out(asText(await control.send('DELETE', '/faults')));
				else if (kind === undefined) out(asText(await control.send('GET', '/faults')));
				else out(asText(await control.send('POST', '/faults', { kind, ...pairs(fields) })));
			},
		);
}

function addSettings(program: Command, { out }: Output): void {
	remote(program, 'settings [changes...]', 'show the settings, or change them (name=value)')
		.addHelpText('after', () =>
			helpList(
				'Settings, with their defaults in the profile `contract`',
				withDefaults(settingRows()),
			),
		)
		.action(async (changes: string[], { url }: Remote) => {
			const control = new Control(url);
			if (changes.length === 0) out(asText(await control.send('GET', '/settings')));
			else out(asText(await control.send('PATCH', '/settings', pairs(changes))));
		});
}

/** Prints what went wrong and returns the exit code. Rethrows unexpected errors. */
function exitCodeOf(error: unknown, { err }: Output): number {
	if (error instanceof CommanderError) return error.exitCode;
	if (!(error instanceof CliError)) throw error;
	err(`${error.message}\n`);
	return 1;
}

/** Runs a command line and returns the exit code. Expected failures print a sentence, unexpected ones throw. */
export async function runCli(args: string[], output: Output): Promise<number> {
	const program = new Command('sandbox')
		.description('A PBX to build and test against')
		.showHelpAfterError()
		.exitOverride()
		.configureOutput({ writeOut: output.out, writeErr: output.err });
	for (const add of [addServe, addCall, addFault, addSettings]) add(program, output);
	const parsing = program.parseAsync(args, { from: 'user' });
	return await parsing.then(
		() => 0,
		(error: unknown) => exitCodeOf(error, output),
	);
}
