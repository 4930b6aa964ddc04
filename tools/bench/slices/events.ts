import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import type { Sandbox } from '../../../sandbox';
import { ROOT } from '../../n8n';
import type { N8nClient } from '../../n8n';
import { SANDBOX_LOGIN } from '../../sandbox-client';
import { withBed } from '../bed';
import { inARow, noOperation } from '../flow';
import type { Part } from '../flow';
import { FLOOR_FOLDER, floorTrigger, makeFlow } from '../routing/flows';
import { claim, inTurns, rounded } from '../measure';
import type { Effort, Growth, Measured, Slice } from '../measure';

const run = promisify(execFile);

const CALLERS = 10;
const GROWTH = [1, 10, 100];
/** Executions are not stored, or the database is what is measured. */
export const SETTINGS = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' };

/** How many events a second n8n accepts, and how long the slowest senders wait. */
export const events: Slice = {
	name: 'events',
	title: 'Events accepted',
	method: `Events of their own \`Msg-ID\`, sent by another process (autocannon) over ${CALLERS} connections to one n8n; each starts a workflow with one node that does nothing. Ours checks the secret, drops repeats, applies a filter by number and simplifies; n8n's Webhook node does none of that and answers immediately.`,
	notes:
		'Why not more: in its default engine n8n 2.39 makes a sandbox for expressions in the webhook phase of every trigger but its own Webhook node. The empty trigger is a node that does nothing at all, loaded as a custom node: what it takes is the floor of any community trigger.',
	measure,
};

/** How a webhook bore a load. */
export interface Load {
	/** Requests that got 2xx. */
	accepted: number;
	perSecond: number;
	/** Milliseconds. */
	p99: number;
}

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const env = { N8N_LOG_LEVEL: 'error', N8N_CUSTOM_EXTENSIONS: FLOOR_FOLDER };
	return await withBed(env, async ({ sandbox, client }) => {
		const ours = await makeOurs(client, sandbox);
		const webhook = await makeWebhook(client);
		const floor = await makeFlow(
			client,
			'Floor',
			[floorTrigger('OnReceived'), noOperation],
			SETTINGS,
		);
		const body = eventFor(sandbox);
		const load = async (url: string, callers: number, amount?: number) =>
			await send({ url, body, callers, ...(amount ? { amount } : { seconds: 6 }) });
		const few = full ? undefined : 20;
		const figures = await inTurns(
			{
				ours: async () => await load(ours, CALLERS, few),
				webhook: async () => await load(webhook, CALLERS, few),
				floor: async () => await load(floor, CALLERS, few),
			},
			{ rounds: full ? 7 : 1, warmUps: full ? 1 : 0 },
		);
		const growth: Growth = { what: 'events a second by connections', unit: '/s', points: [] };
		for (const work of full ? GROWTH : [])
			growth.points.push({ work, value: (await load(ours, work, 100 + 2 * work)).perSecond });
		return { claims: claimsOf(figures), growth: full ? [growth] : [] };
	});
}

function claimsOf({ ours, ...rivals }: Record<'ours' | 'webhook' | 'floor', Load[]>) {
	const compare = (against: string, theirs: Load[], withAims: boolean) => [
		claim(
			{
				what: 'events accepted',
				against,
				unit: '/s',
				...(withAims && { aim: { atLeast: 1 } }),
			},
			ours.map(({ perSecond }) => perSecond),
			theirs.map(({ perSecond }) => perSecond),
		),
		claim(
			{ what: 'p99 of the answer', against, unit: 'ms', ...(withAims && { aim: { atMost: 1 } }) },
			ours.map(({ p99 }) => p99),
			theirs.map(({ p99 }) => p99),
		),
	];
	return [
		...compare('Webhook node', rivals.webhook, true),
		...compare('empty trigger (floor)', rivals.floor, false),
	];
}

/** Activates a workflow of our trigger with a filter by number; gives the URL that it has registered. */
export async function makeOurs(client: N8nClient, sandbox: Sandbox): Promise<string> {
	const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN };
	const { id, name } = await client.createCredential('virtualPbxApi', 'PBX', account);
	const trigger: Part = {
		name: 'Event',
		type: 'n8n-nodes-virtual-pbx.virtualPbxTrigger',
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { filters: { number: '74951234567' }, options: { skipUrlCheck: true } },
		credentials: { virtualPbxApi: { id, name } },
	};
	const workflow = await client.createWorkflow(inARow('Ours', [trigger, noOperation], SETTINGS));
	await client.activate(workflow.id);
	return registered(sandbox).uri;
}

/** Activates a workflow of n8n's Webhook node, which answers at once; gives its URL. */
export async function makeWebhook(client: N8nClient): Promise<string> {
	const hook = randomUUID();
	const trigger: Part = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		webhookId: hook,
		parameters: { path: hook, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
	};
	const workflow = await client.createWorkflow(inARow('Theirs', [trigger, noOperation], SETTINGS));
	await client.activate(workflow.id);
	return `${client.rest.url}/webhook/${hook}`;
}

function registered(sandbox: Sandbox) {
	const all = [...sandbox.pbx.accounts.values()].flatMap(({ webhooks }) => webhooks.all());
	const [webhook] = all;
	if (!webhook) throw new Error('The trigger has registered no webhook');
	return webhook;
}

/** The body of an event as the sandbox would send it; `$id` stands for an id of its own. */
export function eventFor(sandbox: Sandbox): string {
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const custom = registered(sandbox).custom_data;
	return JSON.stringify({ name, args: { ...args, 'Msg-ID': '$id' }, custom_data: custom });
}

/** Sends events from a process of their own. Throws when one was refused. */
export async function send(order: {
	url: string;
	body: string;
	callers: number;
	seconds?: number;
	amount?: number;
}): Promise<Load> {
	const script = path.join(ROOT, 'tools/bench/load.cjs');
	const { stdout } = await run(process.execPath, [script, JSON.stringify(order)]);
	const result = JSON.parse(stdout) as {
		'2xx': number;
		non2xx: number;
		errors: number;
		duration: number;
		latency: { p99: number };
	};
	if (result.non2xx + result.errors > 0 || result['2xx'] === 0)
		throw new Error(`${order.url} refused events: ${stdout.slice(0, 500)}`);
	return {
		accepted: result['2xx'],
		perSecond: rounded(result['2xx'] / result.duration),
		p99: result.latency.p99,
	};
}
