import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../../../sandbox';
import type { N8nClient } from '../../n8n';
import { SANDBOX_LOGIN } from '../../sandbox-client';
import { withBed } from '../bed';
import { inARow } from '../flow';
import type { Part } from '../flow';
import { claim } from '../measure';
import type { Effort, Growth, Measured, Slice } from '../measure';

const AT_ONCE = 200;

/** How often n8n logs in when a token has ended and many executions notice. */
export const logins: Slice = {
	name: 'logins',
	title: `Logins for ${AT_ONCE} executions at once on an expired token`,
	method: `Every token of the sandbox is ended, then ${AT_ONCE} executions of a workflow with one Get start at once in one n8n process; counted in the sandbox's request log. All must succeed. The ideal is one login per process.`,
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	return await withBed({ N8N_LOG_LEVEL: 'error' }, async ({ sandbox, client }) => {
		const url = await makeFlow(client, sandbox);
		await ask(url);
		const counts: number[] = [];
		for (let round = 0; round < (full ? 5 : 1); round++)
			counts.push(await loginsOf(url, sandbox, full ? AT_ONCE : 10));
		const growth: Growth = { what: 'logins by executions at once', unit: 'logins', points: [] };
		for (const work of full ? [2, 20] : [])
			growth.points.push({ work, value: await loginsOf(url, sandbox, work) });
		const about = {
			what: 'logins',
			against: 'one per process',
			unit: 'logins',
			aim: { atMost: 1 },
		};
		const whole = claim(about, counts, 1);
		growth.points.push({ work: full ? AT_ONCE : 10, value: whole.ours });
		return { claims: [whole], growth: [growth] };
	});
}

async function loginsOf(url: string, sandbox: Sandbox, executions: number): Promise<number> {
	sandbox.pbx.tokens.expire();
	const since = Date.now();
	await Promise.all(Array.from({ length: executions }, async () => await ask(url)));
	const entries = sandbox.pbx.requests.list();
	return entries.filter(({ at, row }) => Date.parse(at) >= since && row.includes('user_auth'))
		.length;
}

async function ask(url: string): Promise<void> {
	const response = await fetch(url);
	const text = await response.text();
	if (!response.ok) throw new Error(`The execution failed: ${text.slice(0, 500)}`);
}

async function makeFlow(client: N8nClient, sandbox: Sandbox): Promise<string> {
	const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN };
	const { id, name } = await client.createCredential('virtualPbxApi', 'PBX', account);
	const hook = randomUUID();
	const start: Part = {
		name: 'Start',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: hook,
		parameters: { path: hook, responseMode: 'lastNode', options: {} },
	};
	const get: Part = {
		name: 'Get',
		type: 'n8n-nodes-virtual-pbx.virtualPbx',
		parameters: { resource: 'callflow', operation: 'getMany', limit: 1 },
		credentials: { virtualPbxApi: { id, name } },
	};
	const workflow = await client.createWorkflow(inARow('Logins', [start, get]));
	await client.activate(workflow.id);
	return `${client.rest.url}/webhook/${hook}`;
}
