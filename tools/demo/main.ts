import path from 'node:path';
import { Command } from 'commander';
import { startSandbox } from '../../sandbox';
import { withCleanups } from '../cleanups';
import type { Later } from '../cleanups';
import { isFree } from '../free-port';
import { createN8n, jsonOf, OWNER, ROOT } from '../n8n';
import type { Execution, N8nClient, Workflow } from '../n8n';
import { SANDBOX_LOGIN, SandboxClient } from '../sandbox-client';
import { SetupError } from '../setup/failure.mjs';
import * as examples from './examples';

type DemoOptions = Record<'n8nPort' | 'sandboxPort', number> & { folder: string; once: boolean };

/** The demo's call: a caller reaches the main number and talks for a while. */
const CALL = {
	...{ from: '12125550123', to: '12125550100', ring_seconds: 3, talk_seconds: 12, speed: 10 },
};

/** Runs the demo until Ctrl-C, or once, and stops everything it started. */
export async function runDemo(argv: string[]): Promise<void> {
	const options = new Command('npm start --')
		.description('Runs a sandbox PBX and n8n with this package, and places a call')
		.option('--n8n-port <port>', 'where n8n listens', Number, 5678)
		.option('--sandbox-port <port>', 'where the sandbox PBX listens', Number, 8090)
		.option('--once', 'end after the first execution', false)
		.option('--folder <path>', "n8n's user folder", path.join(ROOT, '.n8n', 'demo'))
		.parse(argv)
		.opts<DemoOptions>();
	const ended = untilInterrupted();
	await withCleanups(async (later) => {
		await Promise.race([ended, demonstrate(options, later)]);
		if (!options.once) await ended;
	});
}

/** Waits for Ctrl-C or a similar signal. npm can send it twice, so later ones are ignored. */
async function untilInterrupted(): Promise<void> {
	await new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
	});
	console.log('\nStopping n8n and the sandbox …');
}

async function requireFree(port: number, user: string, flag: string): Promise<void> {
	if (await isFree(port)) return;
	throw new SetupError(
		`Port ${port} for ${user} is in use, perhaps by an earlier run.\n` +
			`What to do: stop the process that uses it, or choose another port: npm start -- ${flag} ${port + 2}`,
	);
}

async function demonstrate(options: DemoOptions, later: Later): Promise<void> {
	const { n8nPort, sandboxPort, folder } = options;
	await requireFree(n8nPort, 'n8n', '--n8n-port');
	await requireFree(sandboxPort, 'the sandbox PBX', '--sandbox-port');

	const sandbox = await step(
		'Starting the sandbox PBX',
		async () => await startSandbox({ port: sandboxPort }),
	);
	later(async () => await sandbox.close());
	const env = { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone };
	const n8n = await createN8n({ userFolder: folder, port: n8nPort, env });
	later(async () => await n8n.stop());
	await step('Starting n8n (10 seconds to 2 minutes)', async () => await n8n.start());

	const client = await n8n.signIn();
	const { main, board } = await step(
		'Importing the credential and the example workflows',
		async () => await prepareWorkflows(client, sandbox.url),
	);
	const execution = await step(
		'Placing a call and waiting for its workflow',
		async () => await callAndWait(client, main, new SandboxClient(sandbox.url)),
	);
	printExecution(execution, main.name);
	if (options.once) return;
	console.log(describeDemo(n8n.url, sandbox.url, main.name, board));
}

async function prepareWorkflows(client: N8nClient, sandboxUrl: string) {
	const credential = await examples.ensureCredential(client, sandboxUrl);
	const imported = await examples.importExamples(client, credential, sandboxUrl);
	const pick = (file: string): Workflow => {
		const workflow = imported.get(file);
		if (!workflow) throw new SetupError(`examples/${file} is missing`);
		return workflow;
	};
	const main = pick(examples.MAIN_EXAMPLE);
	const board = await examples.publishBoard(client, pick(examples.BOARD_EXAMPLE));
	return { main: await examples.publish(client, main), board };
}

async function callAndWait(
	client: N8nClient,
	workflow: Workflow,
	sandbox: SandboxClient,
): Promise<Execution> {
	const [newest] = await client.listExecutions({ workflowId: workflow.id }, 1);
	await sandbox.call({ ...CALL, wait: 'delivered' });
	const [execution] = await client.waitForExecutions(workflow.id, { after: newest?.id ?? '0' });
	if (!execution) throw new SetupError('The call started no workflow');
	return execution;
}

/** Prints an execution: each node that ran, in order, with its first item or its error. */
function printExecution(execution: Execution, workflowName: string): void {
	const { id, status, data } = execution;
	console.log(`\nExecution ${id} of “${workflowName}”: ${status}`);
	for (const [name, runs] of Object.entries(data.resultData.runData))
		console.log(`\n${name}:`, runs.at(-1)?.error?.message ?? jsonOf(execution, name)[0]);
}

/** Returns the demo's addresses, logins, and things to try. */
function describeDemo(
	n8nUrl: string,
	sandboxUrl: string,
	published: string,
	board: string,
): string {
	const { login, password, realm } = SANDBOX_LOGIN;
	const call = `npm run sandbox -- call --url ${sandboxUrl}`;
	return `
Live board     ${board}
               sign in as ${examples.BOARD_LOGIN.user} with ${examples.BOARD_LOGIN.password}, and see each call of the sandbox
n8n's editor   ${n8nUrl}    sign in as ${OWNER.email} with ${OWNER.password}
Sandbox PBX    ${sandboxUrl}    place calls and follow them
Credential     Base URL ${sandboxUrl}, Login ${login}, Password ${password}, Realm ${realm}
               (already in n8n as “Sandbox PBX”; to create one yourself, use these and the country United States)

Try:
  a call           ${call}
                   “${published}” is published: see ${n8nUrl}/home/executions
  a missed call    ${call} outcome=cancelled
  notes, messages  on the sandbox's page, under “CRM notes and messages”
  your own         follow docs/guides/first-workflow.md with the credential “Sandbox PBX”
  an AI assistant  publish “Ask the PBX”; its MCP URL needs the bearer token ${examples.ASSISTANT_TOKEN}

Ctrl-C stops both.`;
}

/** Prints a step's title and how long it took. */
async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	console.log(`▸ ${title} …`);
	const start = Date.now();
	const result = await work();
	console.log(`✔ ${((Date.now() - start) / 1000).toFixed(1)} s`);
	return result;
}
