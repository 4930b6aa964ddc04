import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { sampleOf } from '../../nodes/VirtualPbx/events/samples';
import type { Sandbox } from '../../sandbox';
import { credentialOf, makeNode, ROOT } from '../n8n';
import type { N8nClient } from '../n8n';
import { activate, createCredential, noOperation, UNSAVED, webhook } from './flow';
import { rounded } from './measure';

const run = promisify(execFile);

/** How a webhook bore a load: requests that got 2xx, how many a second, and milliseconds. */
export type Load = Record<'accepted' | 'perSecond' | 'p99', number>;

/** The address of an event trigger, and an event for it in which `$id` stands for an id of its own. */
export interface EventFlow {
	url: string;
	body: string;
}

/**
 * Activates a workflow of our event trigger.
 *
 * @param type the trigger's type
 * @param settings of the workflow; by default its executions are not stored
 */
export async function makeEventFlow(
	client: N8nClient,
	sandbox: Sandbox,
	{
		type = 'virtualPbxTrigger',
		settings = UNSAVED,
	}: { type?: string; settings?: IDataObject } = {},
): Promise<EventFlow> {
	const credential = await createCredential(client, sandbox.url);
	const parameters = { filters: { number: '74951234567' }, options: { skipUrlCheck: true } };
	const more = { typeVersion: 1.1, ...credentialOf(credential) };
	const trigger = makeNode('Event', type, parameters, more);
	await activate(client, [trigger, noOperation], settings);
	const webhooks = [...sandbox.pbx.accounts.values()].flatMap((one) => one.webhooks.all());
	const registered = webhooks.find(({ uri }) => uri.includes(String(trigger.webhookId)));
	if (!registered) throw new Error('The trigger has registered no webhook');
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const event = { name, args: { ...args, 'Msg-ID': '$id' }, custom_data: registered.custom_data };
	return { url: registered.uri, body: JSON.stringify(event) };
}

/** The addresses of our event trigger and of n8n's Webhook node, and an event in which `$id` stands for an id of its own. */
export interface EventFlows {
	ours: string;
	theirs: string;
	body: string;
}

/**
 * Activates a workflow of our event trigger and one of n8n's Webhook node, which answers at once.
 *
 * @param settings of both; by default their executions are not stored
 */
export async function makeEventFlows(
	client: N8nClient,
	sandbox: Sandbox,
	settings: IDataObject = UNSAVED,
): Promise<EventFlows> {
	const { url, body } = await makeEventFlow(client, sandbox, { settings });
	const theirs = await activate(client, [webhook('onReceived', 'POST'), noOperation], settings);
	return { ours: url, theirs, body };
}

/** Sends requests from a process of their own. Throws when one was refused. */
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
	const accepted = result['2xx'];
	if (result.non2xx + result.errors > 0 || accepted === 0)
		throw new Error(`${order.url} refused requests: ${stdout.slice(0, 500)}`);
	return { accepted, perSecond: rounded(accepted / result.duration), p99: result.latency.p99 };
}
