/**
 * `npm run check-platform`: reports which features of the nodes work with a PBX. Only reads, unless allowed to do more.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { runAsCommand, SetupError } from '../setup/failure.mjs';
import { checkPlatform } from './check';
import type { Permission } from './finding';
import { reportOf } from './report';
import { senderOf } from './send';

interface Options {
	url: string;
	login: string;
	realm?: string;
	accountName?: string;
	platform: string;
	kazoo?: boolean;
	write?: boolean;
	receiveAt?: string;
	port?: number;
	ignoreSslIssues?: boolean;
}

const command = new Command('check-platform')
	.description(
		'Checks which features of n8n-nodes-virtual-pbx work with a PBX, and prints a report. Only reads, unless you allow more. Prompts for the password, unless the variable PBX_PASSWORD is set.',
	)
	.requiredOption('--url <address>', 'Base URL of the PBX, such as https://pbx.example.com')
	.requiredOption('--login <name>', 'login of a PBX user')
	.option(
		'--realm <name>',
		'SIP domain of the account; on Kazoo, you can give --account-name instead',
	)
	.option('--account-name <name>', 'name of the account, on Kazoo')
	.option('--platform <name>', 'Platform Name of the credential', 'pbx')
	.option('--kazoo', 'the PBX is Kazoo itself, without a provider in between')
	.option('--write', 'also create a webhook and a callflow, and delete both again')
	.option(
		'--receive-at <address>',
		'also receive the events of a call that you place; the PBX must reach this address. Implies --write',
	)
	.option('--port <port>', "local port for that address; by default, the address's port", Number)
	.option('--ignore-ssl-issues', 'accept a self-signed certificate');

async function askForPassword(): Promise<string> {
	const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
	const terminal = createInterface({ input: process.stdin, output: muted, terminal: true });
	process.stderr.write('Password: ');
	const password = await terminal.question('');
	terminal.close();
	process.stderr.write('\n');
	return password;
}

function receiverAt(address: string | undefined, port: number | undefined) {
	if (address === undefined) return undefined;
	if (!URL.canParse(address)) throw new SetupError(`--receive-at "${address}" isn't a web address`);
	const { port: own, protocol } = new URL(address);
	return { url: address, port: port ?? Number(own || (protocol === 'https:' ? 443 : 80)) };
}

async function main(): Promise<void> {
	const options = command.parse().opts<Options>();
	if (!options.realm && !(options.kazoo && options.accountName))
		throw new SetupError(options.kazoo ? 'Give --realm or --account-name' : 'Give --realm');
	const { url, kazoo, write, receiveAt, port, ignoreSslIssues, ...login } = options;
	const receiver = receiverAt(receiveAt, port);
	const permissions: Permission[] = ['read'];
	if (write || receiver) permissions.push('write');
	if (receiver) permissions.push('receive');
	const password = process.env.PBX_PASSWORD ?? (await askForPassword());
	const results = await checkPlatform({
		credential: {
			baseUrl: url,
			password,
			ignoreSslIssues,
			...login,
			...(kazoo ? { dialect: 'kazoo' } : {}),
		},
		send: senderOf(),
		permissions,
		receiver,
		show: (text) => console.error(text),
	});
	process.stdout.write(reportOf(url, results));
	if (results.some(({ verdict }) => verdict === 'breaks')) process.exitCode = 1;
}

void runAsCommand(main);
