import { inspect } from 'node:util';
import { jsonOf, OWNER } from '../n8n';
import type { Execution } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';
import { ASSISTANT_TOKEN } from './examples';

const indent = (text: string) => text.replace(/^/gm, '    ');

const show = (data: unknown) =>
	indent(
		inspect(data, {
			depth: 4,
			colors: process.stdout.isTTY,
			breakLength: 110,
			maxStringLength: 160,
		}),
	);

/** Tells what an execution did: each node that ran, in order, with its first item. */
export function describeExecution(execution: Execution, workflowName: string): string {
	const { id, status, startedAt, stoppedAt, data } = execution;
	const milliseconds = Date.parse(stoppedAt ?? startedAt) - Date.parse(startedAt);
	const lines = [`Execution ${id} of “${workflowName}”: ${status} in ${milliseconds} ms`];
	for (const [name, runs] of Object.entries(data.resultData.runData)) {
		const items = jsonOf(execution, name);
		lines.push('', `  ${name}: ${items.length} ${items.length === 1 ? 'item' : 'items'}`);
		const error = runs.at(-1)?.error;
		lines.push(error ? indent(`failed: ${error.message}`) : show(items[0]));
	}
	return lines.join('\n');
}

/** Tells where things are and what to try, with the names of the demo's workflows. */
export function describeSurroundings(
	n8nUrl: string,
	sandboxUrl: string,
	names: { published: string; missed: string },
): string {
	const { login, password, realm } = SANDBOX_LOGIN;
	const call = `npm run sandbox -- call --url ${sandboxUrl}`;
	return `
n8n's editor   ${n8nUrl}    sign in as ${OWNER.email} with ${OWNER.password}
Sandbox PBX    ${sandboxUrl}    place calls and see what they do
Credential     Base URL ${sandboxUrl}, Login ${login}, Password ${password}, Realm ${realm}
               (already in n8n as “Sandbox PBX”; use these to create one yourself)

Try:
  a call           ${call}
                   “${names.published}” is published: see ${n8nUrl}/home/executions
  a missed call    publish “${names.missed}”, then
                   ${call} outcome=cancelled
  notes, messages  curl ${sandboxUrl}/sandbox/crm/notes
  an AI assistant  publish “Ask the PBX”; its MCP URL needs the bearer token ${ASSISTANT_TOKEN}

Ctrl-C stops both.`;
}
