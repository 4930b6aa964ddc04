import { Command, CommanderError, Option } from 'commander';
import type { CallView } from '../calls/call';
import { FAULT_KINDS } from '../faults/schema';
import { PROFILES } from '../model/profiles';
import { settingRows } from '../model/settings';
import { OUTCOMES } from '../calls/params';
import { CliError, Control } from './client';
import { numberArgument, pairs, portArgument } from './options';
import { callText } from './print';
import { serve, type ServeOptions } from './serve';

const DEFAULT_PORT = 8090;

interface Remote {
	url: string;
}

interface CallOptions extends Remote {
	from: string;
	to: string;
	outcome: string;
	answeredBy?: string;
	account?: string;
	ring: number;
	talk: number;
	speed?: number;
	hangupBy: string;
	wait?: boolean;
}

/** Where the words of the commands go. */
export interface Output {
	out: (text: string) => void;
	err: (text: string) => void;
}

/** A list of names with their meanings, below a command's options. */
const helpList = (title: string, rows: Array<[name: string, meaning: string]>): string =>
	['', `${title}:`, ...rows.map(([name, meaning]) => `  ${name}\n      ${meaning}`)].join('\n');

const asText = (answer: unknown): string => JSON.stringify(answer, null, 2);

/** Starts a command that talks to a running sandbox. */
const remote = (program: Command, name: string, description: string): Command =>
	program
		.command(name)
		.description(description)
		.option('--url <address>', 'address of the sandbox', `http://127.0.0.1:${DEFAULT_PORT}`);

async function placeCall(options: CallOptions): Promise<CallView> {
	const { url, from, to, outcome, ring, talk, speed, wait, answeredBy, account, hangupBy } =
		options;
	const order = {
		from,
		to,
		outcome,
		ring_seconds: ring,
		talk_seconds: talk,
		hangup_by: hangupBy,
		answered_by: answeredBy,
		account_id: account,
		speed,
		wait,
	};
	return (await new Control(url).send('POST', '/calls', order)) as CallView;
}

function addServe(program: Command, { out }: Output): void {
	program
		.command('serve')
		.description('run a sandbox PBX until you press Ctrl-C')
		.option('--port <port>', 'port to listen on, 0 for any free one', portArgument, DEFAULT_PORT)
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

function addCalls(program: Command, { out }: Output): void {
	remote(program, 'call', 'place a call')
		.requiredOption('--from <number>', 'caller: an outside number or an extension')
		.requiredOption('--to <number>', 'dialed number')
		.addOption(
			new Option('--outcome <outcome>', 'what the called side does')
				.choices(OUTCOMES)
				.default('answered'),
		)
		.option('--answered-by <who>', 'extension or device ID that answers')
		.option('--account <id>', 'account to call')
		.option('--ring <seconds>', 'ring time', numberArgument, 3)
		.option('--talk <seconds>', 'talk time, or length of the voicemail message', numberArgument, 10)
		.option('--speed <factor>', 'how many times faster the call runs', numberArgument)
		.addOption(
			new Option('--hangup-by <side>', 'who ends the call')
				.choices(['caller', 'callee'])
				.default('caller'),
		)
		.option('--wait', 'wait until the call has ended and its events are delivered')
		.action(async (options: CallOptions) => out(`${callText(await placeCall(options))}\n`));
	remote(program, 'hangup <call>', 'hang up a call').action(async (id: string, { url }: Remote) => {
		const path = `/calls/${encodeURIComponent(id)}`;
		const call = (await new Control(url).send('DELETE', path)) as CallView;
		out(`${callText(call)}\n`);
	});
}

function addSwitches(program: Command, { out }: Output): void {
	const show = (answer: unknown) => out(`${asText(answer)}\n`);
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
				if (clear) show(await control.send('DELETE', '/faults'));
				else if (kind === undefined) show(await control.send('GET', '/faults'));
				else show(await control.send('POST', '/faults', { kind, ...pairs(fields) }));
			},
		);
	remote(program, 'settings [changes...]', 'show the settings, or change them (name=value)')
		.addHelpText('after', () =>
			helpList(
				'Settings, with their defaults in the profile `contract`',
				settingRows().map(({ name, fallback, description }) => [
					`${name} (${fallback})`,
					description,
				]),
			),
		)
		.action(async (changes: string[], { url }: Remote) => {
			const control = new Control(url);
			if (changes.length === 0) show(await control.send('GET', '/settings'));
			else show(await control.send('PATCH', '/settings', pairs(changes)));
		});
	remote(program, 'expire-tokens', 'end all tokens').action(async ({ url }: Remote) =>
		show(await new Control(url).send('POST', '/tokens/expire')),
	);
	remote(program, 'reset', 'return to the initial state').action(async ({ url }: Remote) =>
		show(await new Control(url).send('POST', '/reset')),
	);
	remote(program, 'state', 'show accounts, employees, and numbers').action(
		async ({ url }: Remote) => show(await new Control(url).send('GET', '/state')),
	);
}

/** Tells what went wrong and gives the exit code. Throws what nobody foresaw. */
function exitCodeOf(error: unknown, { err }: Output): number {
	if (error instanceof CommanderError) return error.exitCode;
	if (!(error instanceof CliError)) throw error;
	err(`${error.message}\n`);
	return 1;
}

/**
 * Runs a command line and gives the exit code.
 * What goes wrong is told in a sentence; anything unforeseen is thrown.
 */
export async function runCli(args: string[], output: Output): Promise<number> {
	const program = new Command('sandbox')
		.description('A PBX to build and test against')
		.showHelpAfterError()
		.exitOverride()
		.configureOutput({ writeOut: output.out, writeErr: output.err });
	addServe(program, output);
	addCalls(program, output);
	addSwitches(program, output);
	const parsing = program.parseAsync(args, { from: 'user' });
	return await parsing.then(
		() => 0,
		(error: unknown) => exitCodeOf(error, output),
	);
}
