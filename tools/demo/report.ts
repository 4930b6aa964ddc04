import { jsonOf, OWNER } from '../n8n';
import type { Execution } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';
import { ASSISTANT_TOKEN, BOARD_LOGIN } from './examples';

/** Prints an execution: each node that ran, in order, with its first item or its error. */
export function printExecution(execution: Execution, workflowName: string): void {
	const { id, status, data } = execution;
	console.log(`\nExecution ${id} of “${workflowName}”: ${status}`);
	for (const [name, runs] of Object.entries(data.resultData.runData))
		console.log(`\n${name}:`, runs.at(-1)?.error?.message ?? jsonOf(execution, name)[0]);
}

/** Returns the demo's addresses, logins, and things to try. */
export function describeDemo(
	n8nUrl: string,
	sandboxUrl: string,
	published: string,
	board: string,
): string {
	const { login, password, realm } = SANDBOX_LOGIN;
	const call = `npm run sandbox -- call --url ${sandboxUrl}`;
	return `
Live board     ${board}
               sign in as ${BOARD_LOGIN.user} with ${BOARD_LOGIN.password}, and see each call of the sandbox
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
  an AI assistant  publish “Ask the PBX”; its MCP URL needs the bearer token ${ASSISTANT_TOKEN}

Ctrl-C stops both.`;
}
